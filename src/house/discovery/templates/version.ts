// `version("2024.1.0b2")`: versions compare by their numbers, and before a release come its release candidates, betas and so on.

const MODIFIERS = ["dev", "alpha", "beta", "rc", ""];
const SHORT: Readonly<Record<string, string>> = {
  a: "alpha",
  b: "beta",
  d: "dev",
  dev: "dev",
  alpha: "alpha",
  beta: "beta",
  rc: "rc",
};

export class Version {
  readonly string: string;
  readonly sections: readonly number[];
  /** `dev`, `alpha`, `beta` or `rc`; empty of a release. */
  readonly modifier: string;
  readonly modifierNumber: number;

  constructor(text: string) {
    this.string = text;
    const found = /^[vV]?(\d+(?:\.\d+)*)(?:[-.]?(alpha|beta|dev|rc|a|b|d)[-.]?(\d*))?/.exec(text.slice(0, 200));
    this.sections = (found?.[1] ?? "").split(".").map(Number);
    this.modifier = SHORT[found?.[2] ?? ""] ?? "";
    this.modifierNumber = Number(found?.[3] ?? 0);
  }

  part(name: string): Version | string | number | boolean | null | undefined {
    const at = ["major", "minor", "patch"].indexOf(name);
    if (at >= 0) {
      const section = this.sections[at];
      return section === undefined ? null : new Version(String(section));
    }
    const states: Readonly<Record<string, string | number | boolean | null>> = {
      ...{ string: this.string, sections: this.sections.length, modifier: this.modifier || null },
      ...{ alpha: this.modifier === "alpha", beta: this.modifier === "beta", dev: this.modifier === "dev" },
      ...{ release_candidate: this.modifier === "rc" },
    };
    return Object.hasOwn(states, name) ? states[name] : undefined;
  }
}

/** Of versions, texts and numbers; NaN where one is none of them. */
export function compareVersions(a: unknown, b: unknown): number {
  const [one, other] = [versionOf(a), versionOf(b)];
  if (!one || !other) return Number.NaN;
  for (let at = 0; at < Math.max(one.sections.length, other.sections.length); at++) {
    const difference = (one.sections[at] ?? 0) - (other.sections[at] ?? 0);
    if (difference !== 0) return difference;
  }
  const modifiers = MODIFIERS.indexOf(one.modifier) - MODIFIERS.indexOf(other.modifier);
  return modifiers !== 0 ? modifiers : one.modifierNumber - other.modifierNumber;
}

function versionOf(value: unknown): Version | undefined {
  if (value instanceof Version) return value;
  return typeof value === "string" || typeof value === "number" ? new Version(String(value)) : undefined;
}
