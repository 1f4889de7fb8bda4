// The devices of the house, as far as discovery needs them.
import type { JsonObject } from "../core/json.ts";

export interface HouseDevices {
  register(registration: JsonObject & { device_id: string }, owner: string): void;
  schema(id: string, schema: JsonObject, owner: string): void;
  state(id: string, attributes: JsonObject, from: { pluginId: string; partial: boolean; change?: JsonObject }): void;
  availability(id: string, available: boolean, owner: string): void;
  /** Another owner speaks for it from now on. */
  give(id: string, owner: string): void;
}
