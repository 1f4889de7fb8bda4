// What has two values: JSON `true` and `false` stay as they are reported; of two words, true is the one that its name says.
import type { Json } from "../../../../../kit/schema/json.ts";
import { fromJson, str } from "../../../templates/values.ts";
import type { Reading } from "../entity.ts";

export interface TwoWords {
  /** The payloads, as texts. */
  yes: string;
  no: string;
  /** True is what Home Assistant calls off. */
  isInverted: boolean;
}

interface Said {
  /** What is called so; undefined for anything. */
  name?: RegExp;
  /** In small letters. */
  yes: readonly string[];
  no: readonly string[];
  /** The class whose on is one of these words, whatever the announcement calls on, and whether that is the first kind. */
  on?: { classes: ReadonlySet<string>; isYes: boolean };
}

const OPENINGS: ReadonlySet<string> = new Set(["door", "garage_door", "opening", "window"]);
const LOCKS: ReadonlySet<string> = new Set(["lock"]);

// The first that knows both words decides.
const SAID: readonly Said[] = [
  { yes: ["lock", "locked"], no: ["unlock", "unlocked"], on: { classes: LOCKS, isYes: false } },
  { name: /contact/, yes: ["close", "closed"], no: ["open", "opened"], on: { classes: OPENINGS, isYes: false } },
  { yes: ["open", "opened"], no: ["close", "closed", "not_opened"], on: { classes: OPENINGS, isYes: true } },
  { yes: ["on", "yes", "enable", "enabled"], no: ["off", "no", "disable", "disabled"] },
  { yes: ["show"], no: ["hide"] },
  { yes: ["connected", "online"], no: ["not connected", "disconnected", "offline"] },
  { yes: ["leak", "detected"], no: ["dry", "normal", "clear", "not_detected"] },
];

interface Announced {
  on: string;
  off: string;
  name: string;
  kind: string | undefined;
}

/** `on`, `off`: the payloads that Home Assistant is notified of. */
export function twoWords({ on, off, name, kind = "" }: Announced): TwoWords {
  const [first, second] = [on.toLowerCase(), off.toLowerCase()];
  // Also where only one of them is said.
  if (first === "false" || second === "true") return { yes: off, no: on, isInverted: true };
  for (const said of SAID) {
    if (said.name?.test(name.toLowerCase()) === false) continue;
    const isSame = said.yes.includes(first) && said.no.includes(second);
    if (!isSame && !(said.no.includes(first) && said.yes.includes(second))) continue;
    const isOn = said.on?.classes.has(kind) ? said.on.isYes : isSame;
    return isSame ? { yes: on, no: off, isInverted: !isOn } : { yes: off, no: on, isInverted: !isOn };
  }
  return { yes: on, no: off, isInverted: false };
}

/** The two words of a lock, which is locked whatever it calls that. */
export function isOfLock({ on, off }: Pick<Announced, "on" | "off">): boolean {
  return (
    [on, off]
      .map((one) => one.toLowerCase())
      .sort()
      .join() === "lock,unlock"
  );
}

/** What is neither is no value, "None" that there is none. */
export function booleanIn(reading: Reading, { yes, no }: Pick<TwoWords, "yes" | "no">): Reading {
  const isTruth = yes.toLowerCase() === "true" && no.toLowerCase() === "false";
  return {
    ...reading,
    read(message) {
      const value: Json | undefined = reading.read(message);
      if (value === undefined || value === null || typeof value === "boolean") return value;
      const text = str(fromJson(value));
      if (text === yes || (isTruth && text.toLowerCase() === "true")) return true;
      if (text === no || (isTruth && text.toLowerCase() === "false")) return false;
      return text === "None" ? null : undefined;
    },
  };
}
