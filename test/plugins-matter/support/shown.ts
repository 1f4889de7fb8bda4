// A device of the hub, and what is shown of it in Matter.
import type { HubDevice } from "../../../plugins/matter/hub.ts";
import { partsOf } from "../../../plugins/matter/parts/index.ts";
import type { JsonObject } from "../../../plugins/sdk/index.ts";

export function device(edited: Partial<HubDevice>): HubDevice {
  const none = { area: null, device_type: null, manufacturer: null, model: null, sw_version: null };
  return {
    id: "d",
    name: "Device",
    ...none,
    tags: [],
    available: true,
    attributes: {},
    capabilities: null,
    schema: null,
    ...edited,
  };
}

/** The id of each part, and its clusters. */
export const shown = (edited: Partial<HubDevice>) =>
  partsOf(device(edited)).map((part) => [part.id, part.values(edited.attributes ?? {})]);

export const measured = (unit: string, word?: string) => ({
  ...{ type: "number", readOnly: true, unit },
  ...(word !== undefined && { word }),
});

/** A device with these attributes, which it describes. */
export const described = (device_type: string, properties: JsonObject, attributes: JsonObject = {}) =>
  device({ device_type, schema: { properties }, attributes });
