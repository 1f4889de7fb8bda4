// What the house has besides devices.

import { computed } from "@preact/signals";
import type { Json } from "../../model/device/json.ts";
import { allows } from "../hub/session.ts";
import { hubList } from "./list.ts";

export interface Area {
  id: string;
  name: string;
}

export interface Scene {
  id: string;
  name: string;
}

export interface Variable {
  name: string;
  value: Json;
}

export interface GuestThings {
  devices: string[];
  scenes: string[];
}

export const areas = hubList<Area[]>("/areas", []);
export const scenes = hubList<Scene[]>("/scenes", []);
export const variables = hubList<Variable[]>("/variables", [], ({ type }) => type === "hub_variable_changed");
export const guests = hubList<GuestThings>("/ui/guests", { devices: [], scenes: [] });

const nameById = computed(() => new Map(areas.value.value.map(({ id, name }) => [id, name])));

/** A device's area may be any text that its plugin reports. */
export function areaName(id: string): string {
  return nameById.value.get(id) ?? id;
}

const forGuests = computed(() => ({
  device: new Set(guests.value.value.devices),
  scene: new Set(guests.value.value.scenes),
}));

/** Whether this person may use it: everybody but guests, and guests what was chosen for them. */
export function mayUse(kind: "device" | "scene", id: string): boolean {
  return allows("user") || forGuests.value[kind].has(id);
}
