// Which shared words a zigbee2mqtt device gets beside its own: `brightness_pct` for a light's brightness, `mode` of a climate, …
import type { Expose } from "../expose.ts";
import type { Property } from "../exposes.ts";
import { climateWords } from "./climate.ts";
import { coverWords } from "./cover.ts";
import type { Derived } from "./derived.ts";
import { fanWords } from "./fan.ts";
import { lightWords } from "./light.ts";
import { lockWords } from "./lock.ts";
import { sensedWords } from "./sensed.ts";
import { sirenWords } from "./siren.ts";
import { valveWords } from "./valve.ts";

/** The first of a name counts. */
export function derivedOf(exposes: readonly Expose[], properties: ReadonlyMap<string, Property>): Derived[] {
  const isOnTaken = [...properties.values()].some(({ attribute }) => attribute.name === "on");
  const fans = fanWords(properties, { isOnTaken });
  const words = [
    ...lightWords(properties),
    ...climateWords(properties),
    ...coverWords(properties),
    ...lockWords(properties),
    ...sensedWords(properties),
    ...fans,
    ...valveWords(properties, { isOnTaken }),
    ...sirenWords(exposes, properties, {
      isOnTaken: isOnTaken || fans.some(({ attribute }) => attribute.name === "on"),
    }),
  ];
  return [...new Map(words.toReversed().map((one) => [one.attribute.name, one])).values()].toReversed();
}

// Attributes of climates and covers that other things call the same, and that mean something else there.
const CLAIMED: Readonly<Record<string, readonly string[]>> = {
  climate: ["mode", "current_temperature", "target_temperature"],
};

/** A shared word means the same everywhere: what a device calls so and means otherwise is `mode_own`. */
export function named(properties: ReadonlyMap<string, Property>, derived: readonly Derived[]): Map<string, Property> {
  const kinds = new Set([...properties.values()].map(({ of }) => of));
  const words = new Set([
    ...derived.filter(({ corrects }) => !corrects).map(({ attribute }) => attribute.name),
    ...Object.keys(CLAIMED).flatMap((kind) => (kinds.has(kind) ? (CLAIMED[kind] ?? []) : [])),
  ]);
  const taken = new Set([...properties.values()].map(({ attribute }) => attribute.name));
  return new Map(
    [...properties].map(([key, one]) => {
      const { name } = one.attribute;
      if (!words.has(name) || one.attribute.word !== undefined) return [key, one];
      const own = [`${name}_own`, `own_${name}`].find((free) => !taken.has(free)) ?? name;
      return [key, { ...one, attribute: { ...one.attribute, name: own } }];
    }),
  );
}
