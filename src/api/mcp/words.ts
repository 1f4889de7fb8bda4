// What devices say, in the words that all of them share: a door is `open`, whatever its own `contact` means.
import { describedAttributes } from "../../house/state/commands/command-check.ts";
import type { Device } from "../../house/state/device.ts";
import { UNDESCRIBED } from "../../house/state/words/senses.ts";
import { DEVICE_KINDS } from "../../house/state/words/vocabulary.ts";

/** So that nobody has to guess. */
export const UNITS = `\`open\`, \`motion\`, \`leak\`, \`smoke\` and the like are true while it is so. Units: ${unitsOfWords()}`;

function unitsOfWords(): string {
  const units = new Map(DEVICE_KINDS.flatMap(({ words }) => words.map(({ name, unit }) => [name, unit] as const)));
  return [...units].flatMap(([name, unit]) => (unit === undefined ? [] : [`${name} ${unit}`])).join(", ");
}

/** The device's own attributes that a word beside them says as well. */
export function saidOtherwise({ details, attributes }: Pick<Device, "details" | "attributes">): ReadonlySet<unknown> {
  const described = describedAttributes(details) ?? {};
  const said = new Set<unknown>(Object.values(described).flatMap(({ of, derived }) => (derived === true ? [of] : [])));
  for (const [name, { word }] of UNDESCRIBED)
    if (described[name] === undefined && Object.hasOwn(attributes, word)) said.add(name);
  return said;
}
