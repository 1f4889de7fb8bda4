// What a judge of one kind of thing finds different.
import { namesOfWord, type Seen } from "../entities.ts";

export interface Finding {
  what: string;
  homeAssistant: unknown;
  hub: unknown;
}

export type Judge = (seen: Seen) => Finding[];

/** What Home Assistant says where it says nothing. */
export const isUnknown = (state: unknown): boolean =>
  state === "unknown" || state === "unavailable" || state === null || state === undefined;

/** `isRight` judges the hub's value; `of` is the property that the word is made from. */
export function judgeWord(
  seen: Seen,
  word: string,
  check: { of?: string | undefined; says: unknown; isRight: (value: unknown) => boolean },
): Finding[] {
  const { entity, hub } = seen;
  const alike = entity.device.filter(({ component }) => component === entity.component);
  const isAlone = alike.length === 1;
  const [name] = namesOfWord(hub, word, { entity, property: check.of, isAlone });
  if (name === undefined) return [{ what: `no ${word}`, homeAssistant: check.says, hub: namesIn(hub.attributes) }];
  const value = hub.attributes[name];
  return check.isRight(value) ? [] : [{ what: word, homeAssistant: check.says, hub: { [name]: value ?? null } }];
}

export const namesIn = (attributes: Record<string, unknown>): string => Object.keys(attributes).join(" ");

export const isNear = (one: unknown, other: unknown, most: number): boolean =>
  typeof one === "number" && typeof other === "number" && Math.abs(one - other) <= most;
