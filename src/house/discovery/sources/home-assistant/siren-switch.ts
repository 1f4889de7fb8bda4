// Sirens that are announced as switches: what has a sound beside its alarm is one, and `on` sounds it.
import { SAME } from "../../words.ts";
import type { FoundAttribute } from "./shared-names.ts";

const SWITCHES = ["alarm", "siren_on"];
/** What only has a siren beside its switch: how loud it is, and what it plays. */
const SOUNDS: ReadonlySet<string> = new Set(["volume", "melody", "ringtone", "alarm_volume", "alarm_volume_level"]);

export function withSiren(found: readonly FoundAttribute[]): FoundAttribute[] {
  const named = (name: string): FoundAttribute | undefined =>
    found.find(({ component, attribute }) => component === "switch" && attribute.name === name);
  const siren = SWITCHES.map(named).find((one) => one !== undefined);
  const isSiren = found.some(({ component }) => component === "siren");
  if (!siren || isSiren || !found.some(({ attribute }) => SOUNDS.has(attribute.name))) return [...found];
  // `on` is what turns the device itself on, of which the siren is a part.
  const isTaken = found.some(
    ({ attribute, also = [] }) => attribute.word === "on" || also.some(({ word }) => word === "on"),
  );
  const word = { word: "on", conversion: SAME, ...(isTaken && { part: "siren" }) };
  return found.map((one) => (one === siren ? { ...one, also: [...(one.also ?? []), word] } : one));
}
