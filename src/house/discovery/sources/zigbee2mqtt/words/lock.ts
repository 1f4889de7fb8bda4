// Locks: whether one is locked is unknown while it is neither, and `lock_state` says what it is doing.
import type { Json } from "../../../../../kit/schema/json.ts";
import type { Conversion } from "../../../words.ts";
import type { Property } from "../exposes.ts";
import { type Derived, derive, type Part, partsOf } from "./derived.ts";

// Zigbee knows three states. A bolt that is halfway is what other locks call jammed.
const STATES: Readonly<Record<string, string>> = {
  not_fully_locked: "jammed",
  locked: "locked",
  unlocked: "unlocked",
  locking: "locking",
  unlocking: "unlocking",
  jammed: "jammed",
  open: "open",
};
const KNOWN = ["locked", "unlocked", "open"];
const LOCK_STATE: Conversion = {
  attribute: { type: "string", options: ["locked", "unlocked", "locking", "unlocking", "jammed", "open"] },
  from: stateIn,
  to: (value) => value,
};

export function lockWords(properties: ReadonlyMap<string, Property>): Derived[] {
  return partsOf(properties, "lock").flatMap((part) => [...lockState(part)]);
}

function lockState({ features, suffix }: Part): Derived[] {
  const [state, actual] = [features.get("state"), features.get("lock_state")];
  if (!actual) return [];
  const words = [derive(actual, { word: "lock_state", suffix, conversion: LOCK_STATE })];
  if (!state) return words;
  const { attribute } = derive(state, { word: "locked", suffix });
  const locked: Derived = {
    attribute,
    read(own) {
      const now = stateIn(own[actual.property] as Json | undefined);
      return now !== undefined && !KNOWN.includes(now) ? null : undefined;
    },
    write: () => ({}),
    corrects: true,
  };
  return [...words, locked];
}

function stateIn(value: Json | undefined): string | undefined {
  return typeof value === "string" && Object.hasOwn(STATES, value) ? STATES[value] : undefined;
}
