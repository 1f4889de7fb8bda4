// What a device senses and says in one of several words: a window that is `tilted` is open. What it says as true and false has a class
// instead, and gets its word where those of all devices do.
import type { Json } from "../../../../../kit/schema/json.ts";
import type { Property } from "../exposes.ts";
import { type Derived, originOf } from "./derived.ts";

interface Said {
  names: readonly string[];
  yes: readonly string[];
  no: readonly string[];
  /** Classes of what says the same as true and false. */
  classes: readonly string[];
}

// By word; all in small letters.
const SAID: Readonly<Record<string, Said>> = {
  open: {
    names: ["opening_state", "opening_mode", "handle_position", "door_state", "window"],
    ...{ yes: ["open", "opened", "tilted", "error_forced_open"], no: ["closed", "close"] },
    classes: ["door", "window", "garage_door"],
  },
  presence: {
    names: ["presence_state"],
    yes: ["presence", "motion", "stationary", "peaceful", "small_movement", "large_movement"],
    ...{ no: ["none"], classes: [] },
  },
  gas: { names: ["gas_sensor_state"], yes: ["alarm"], no: ["normal"], classes: ["gas"] },
  leak: {
    names: ["water_leakage_state"],
    ...{ yes: ["water_leakage_yes"], no: ["water_leakage_no"], classes: ["moisture"] },
  },
};

export function sensedWords(properties: ReadonlyMap<string, Property>): Derived[] {
  const classes = new Set([...properties.values()].map(({ attribute }) => attribute.class));
  return Object.entries(SAID).flatMap(([word, said]) => {
    if (properties.has(word) || said.classes.some((one) => classes.has(one))) return [];
    const own = said.names.flatMap((name) => properties.get(name) ?? []).find((one) => isSaid(one, said));
    return own ? [wordOf(own, word, said)] : [];
  });
}

function isSaid({ attribute: { type, options = [], readable, writable } }: Property, { yes, no }: Said): boolean {
  const values = options.map((one) => one.toLowerCase());
  const knows = (known: readonly string[]): boolean => values.some((one) => known.includes(one));
  return type === "string" && readable && !writable && knows(yes) && knows(no);
}

/** Null where it says neither: a lock whose door is `undefined`. */
function wordOf(own: Property, word: string, { yes, no }: Said): Derived {
  return {
    attribute: { name: word, type: "boolean", readable: true, writable: false, ...originOf(own, word, "") },
    read(values) {
      const value = values[own.property] as Json | undefined;
      if (value === undefined) return undefined;
      const said = String(value).toLowerCase();
      return yes.includes(said) ? true : no.includes(said) ? false : null;
    },
    write: () => ({}),
  };
}
