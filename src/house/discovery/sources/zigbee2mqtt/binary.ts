// Which of the two values of a property is `true`: the one that its name says, whatever the device calls on.
import type { Json } from "../../../../kit/schema/json.ts";
import type { Expose } from "./expose.ts";

interface Named {
  /** The names it goes by; undefined for any. */
  name?: RegExp;
  /** In small letters. */
  yes: readonly string[];
  no: readonly string[];
}

// The first that knows both words decides. Whatever is locked is so, also where it is called `state` or `reverse`.
const NAMED: readonly Named[] = [
  { yes: ["lock", "locked", "lock1"], no: ["unlock", "unlocked"] },
  { name: /contact/, yes: ["close", "closed"], no: ["open", "opened"] },
  { yes: ["open", "opened"], no: ["close", "closed", "not_opened"] },
  { yes: ["on", "true", "yes", "enable", "enabled"], no: ["off", "false", "no", "disable", "disabled"] },
  { yes: ["show"], no: ["hide"] },
  { yes: ["connected", "online"], no: ["not connected", "disconnected", "offline"] },
  { yes: ["leak", "detected"], no: ["dry", "normal", "clear", "not_detected"] },
];

/** What is reported and sent for true and for false. */
export function wordsOf(
  { name, property, value_on: on = true, value_off: off = false }: Expose,
  kind: string | undefined,
): { yes: Json; no: Json } {
  if (typeof on === "boolean" && typeof off === "boolean") return { yes: true, no: false };
  const [first, second] = [on, off].map((one) => String(one).toLowerCase());
  const called = kind === "lock" ? "lock" : (name ?? property ?? "").toLowerCase();
  for (const { name: named, yes, no } of NAMED) {
    if (named?.test(called) === false || first === undefined || second === undefined) continue;
    if (yes.includes(first) && no.includes(second)) break;
    if (no.includes(first) && yes.includes(second)) return { yes: off, no: on };
  }
  return { yes: on, no: off };
}

/** Whether its two words are of a lock. */
export function isOfLock({ value_on: on, value_off: off }: Expose): boolean {
  const [first, second] = [on, off].map((one) => String(one).toLowerCase()).sort();
  return first === "lock" && second === "unlock";
}
