// What is wrong with the hub itself, in the reader's language. What there are no words for is said as the hub says it.
import { formatNumber, fromHub, textFor } from "../../texts/index.ts";

export interface Alert {
  id: string;
  kind: string;
  severity: "info" | "warning" | "critical";
  message: string;
  mend: string;
  /** Which sentence of its kind `message` is. */
  variant?: string;
  /** What stands in it. */
  values?: Readonly<Record<string, string | number>>;
  until: string | null;
}

export interface HubProblem {
  part: string;
  message: string;
}

/** Sentences without a full stop, and what to do. */
export function alertInWords({
  kind,
  variant,
  values = {},
  message,
  mend,
}: Pick<Alert, "kind" | "variant" | "values" | "message" | "mend">): { message: string; mend: string } {
  const key = variant === undefined ? `alert.${kind}` : `alert.${kind}_${variant}`;
  return { message: sentence(key, values) ?? message, mend: textFor(`alert.${kind}_mend`) ?? mend };
}

/** Undefined where there is none, or something is missing in it: an alert of before an upgrade may lack values. */
function sentence(key: string, values: NonNullable<Alert["values"]>): string | undefined {
  const names = [...(textFor(key) ?? "").matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  if (!names.every((name) => Object.hasOwn(values, name))) return undefined;
  const shown = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === "number" ? formatNumber(value, 0) : value,
  ]);
  return textFor(key, Object.fromEntries(shown));
}

/** Its part by name, and what to do where that is known; the hub's own sentence says what it is. */
export function problemInWords({ part }: Pick<HubProblem, "part">): { part: string; mend: string | undefined } {
  const section = textFor(`section.${part}`);
  return {
    part: textFor(`attention.part_${part}`) ?? section ?? part,
    mend: textFor(`problem.${part}`) ?? (section === undefined ? undefined : textFor("problem.section")),
  };
}

// What is wrong with a rule, for people: devices by their names, in the reader's language.
const MAX_CHOICES = 3;

type NameOf = (deviceId: string) => string | undefined;

/** The hub's sentence about a rule. */
export function ruleProblem(message: string, nameOf: NameOf): string {
  return fromHub(
    message.replace(/(?:the device )?"([^"]+)"/g, (whole, id: string) => {
      const name = nameOf(id);
      return name ? `"${name}"` : whole;
    }),
  );
}

/** The same where there is little room: of a long list of what it could be, the first few. */
export function ruleProblemInShort(message: string, nameOf: NameOf): string {
  const [first = "", ...rest] = ruleProblem(message, nameOf).split(/(?<="), (?=")/);
  return rest.length < MAX_CHOICES
    ? [first, ...rest].join(", ")
    : `${[first, ...rest.slice(0, MAX_CHOICES - 1)].join(", ")}, …`;
}
