// What an announcement says of its entities for people, rather than for reading and commanding them.
import type { Json, JsonObject } from "../../../../kit/schema/json.ts";
import type { Attribute } from "../../described.ts";

const MAX_PRECISION = 20;
const STATE_CLASSES: ReadonlySet<string> = new Set(["measurement", "measurement_angle", "total", "total_increasing"]);
const FORMATS: Readonly<Record<string, Attribute["format"]>> = { date: "date", timestamp: "date-time" };

/** Of an entity, of each of its attributes. */
export function metaOf(config: JsonObject): Partial<Attribute> {
  const { unit_of_measurement: unit, device_class: kind, entity_category: category, name, icon } = config;
  const { suggested_display_precision: precision, state_class: stateClass } = config;
  const format = typeof kind === "string" && Object.hasOwn(FORMATS, kind) ? FORMATS[kind] : undefined;
  return {
    ...(typeof unit === "string" && unit !== "" && { unit }),
    ...(typeof kind === "string" && { class: kind }),
    ...((category === "config" || category === "diagnostic") && { category }),
    ...(typeof name === "string" && name !== "" && { description: name }),
    ...(typeof icon === "string" && /^[\w-]+:[\w-]{1,100}$/.test(icon) && { icon }),
    ...(isPrecision(precision) && { precision }),
    ...(typeof stateClass === "string" && STATE_CLASSES.has(stateClass) && { stateClass }),
    ...(format !== undefined && { format }),
  };
}

const isPrecision = (value: Json | undefined): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MAX_PRECISION;
