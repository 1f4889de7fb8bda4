// Lights: brightness in percent, the colour of the white in kelvin, colours as #rrggbb.
import { kelvinOf, RGB } from "../../../words.ts";
import type { Property } from "../exposes.ts";
import { type Derived, derive, partsOf, shareOf } from "./derived.ts";

// Of a light that names no range; of some that name one no lamp has.
const COOLEST_MIRED = 150;
const WARMEST_MIRED = 500;

export function lightWords(properties: ReadonlyMap<string, Property>): Derived[] {
  return partsOf(properties, "light").flatMap(({ features, beside }) => {
    // A few say how bright they are beside the light that they are.
    const alone = features.has("brightness") ? undefined : beside("brightness");
    return [...features.values(), ...(alone ? [alone] : [])].flatMap((one) => wordOf(one) ?? []);
  });
}

function wordOf(property: Property): Derived | undefined {
  const { feature, attribute, suffix } = property;
  const { min, max, type } = attribute;
  if (feature === "brightness") {
    const conversion = shareOf({ min: min ?? 0, max: max ?? 254 });
    return derive(property, { word: "brightness_pct", suffix, conversion });
  }
  if (feature === "color_temp") {
    const coolest = min !== undefined && min > 0 ? min : COOLEST_MIRED;
    const warmest = max !== undefined && max >= coolest ? max : Math.max(WARMEST_MIRED, coolest);
    return derive(property, { word: "color_temp_k", suffix, conversion: kelvinOf(coolest, warmest) });
  }
  if (!feature.startsWith("color_") || type !== "object") return undefined;
  return derive(property, { word: "color_rgb", suffix, conversion: RGB });
}
