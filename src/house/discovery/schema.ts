// A described device's attributes as JSON Schema: what pages, assistants and scenes go by.
import type { JsonObject } from "../../kit/schema/json.ts";
import type { Attribute, DescribedDevice } from "./described.ts";

export function schemaOf({ attributes }: DescribedDevice): JsonObject {
  return {
    type: "object",
    properties: Object.fromEntries(attributes.map((one) => [one.name, propertyOf(one)])),
    // A device may report more than it announced.
    additionalProperties: { readOnly: true },
  };
}

function propertyOf(attribute: Attribute): JsonObject {
  const { type, unit, min, max, step, options, description, category, readable, writable, derived, hidden } = attribute;
  const { inverted, part, of, word, reported, format, minLength, maxLength, pattern, precision, icon, title, accepts } =
    attribute;
  return {
    type,
    ...(options && { enum: [...options] }),
    ...(reported && reported.length > 0 && { reported: [...reported] }),
    ...(accepts && accepts.length > 0 && { accepts: [...accepts] }),
    ...(format !== undefined && { format }),
    ...(minLength !== undefined && { minLength }),
    ...(maxLength !== undefined && { maxLength }),
    ...(pattern !== undefined && { pattern }),
    ...(min !== undefined && { minimum: min }),
    ...(max !== undefined && { maximum: max }),
    ...(step !== undefined && { multipleOf: step }),
    ...(description !== undefined && { description }),
    ...(!writable && { readOnly: true }),
    ...(!readable && { writeOnly: true }),
    ...(unit !== undefined && { unit }),
    ...(precision !== undefined && { precision }),
    ...(attribute.stateClass !== undefined && { state_class: attribute.stateClass }),
    ...(icon !== undefined && { icon }),
    ...(title !== undefined && { title }),
    ...(category !== undefined && { category }),
    ...(attribute.class !== undefined && { class: attribute.class }),
    ...(inverted && { inverted: true }),
    ...(part !== undefined && { part }),
    ...(derived && { derived: true }),
    ...(of !== undefined && { of }),
    ...(word !== undefined && { word }),
    ...(hidden && { hidden: true }),
  };
}
