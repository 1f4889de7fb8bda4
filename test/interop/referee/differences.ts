// What the two say differently, what of it is explained, and the table of the rest.
import { join } from "node:path";

export interface Difference {
  model: string;
  source: string;
  /** The component and the property or part. */
  entity: string;
  /** Which of its words: the kind of the difference. */
  what: string;
  homeAssistant: string;
  hub: string;
}

interface Explanation {
  /** Patterns; each that is there must match all of its field. */
  model?: string;
  source?: string;
  entity?: string;
  what?: string;
  homeAssistant?: string;
  hub?: string;
  why: string;
}

const FIELDS = ["model", "source", "entity", "what", "homeAssistant", "hub"] as const;

export const short = (value: unknown): string =>
  String(typeof value === "string" ? value : JSON.stringify(value)).slice(0, 160);

export async function readExplanations(): Promise<Explanation[]> {
  return (await Bun.file(join(import.meta.dir, "explained.json")).json()) as Explanation[];
}

/** Each with its explanation; each explanation that explains nothing is stale. */
export function sorted(all: readonly Difference[], explanations: readonly Explanation[]) {
  const explained = new Map<Explanation, Difference[]>(explanations.map((one) => [one, []]));
  const left: Difference[] = [];
  for (const one of all) {
    const why = explanations.find((candidate) => explains(candidate, one));
    if (why === undefined) left.push(one);
    else explained.get(why)?.push(one);
  }
  return { left, explained };
}

function explains(explanation: Explanation, difference: Difference): boolean {
  return FIELDS.every((field) => {
    const pattern = explanation[field];
    return pattern === undefined || new RegExp(`^(?:${pattern})$`, "s").test(difference[field]);
  });
}

/** The same difference in several states or sources is one line. */
export function tableOf(differences: readonly Difference[]): string[] {
  const lines = new Map<string, { first: Difference; sources: Set<string>; count: number }>();
  for (const one of differences) {
    const key = [one.model, one.entity, one.what].join("\t");
    const line = lines.get(key) ?? { first: one, sources: new Set(), count: 0 };
    line.sources.add(one.source);
    line.count++;
    lines.set(key, line);
  }
  return [...lines.values()].map(({ first, sources, count }) =>
    [
      `${first.model} (${[...sources].join(", ")}${count > 1 ? `; ${count} times` : ""})`,
      first.entity,
      first.what,
      `Home Assistant: ${first.homeAssistant}`,
      `hub: ${first.hub}`,
    ].join(" | "),
  );
}
