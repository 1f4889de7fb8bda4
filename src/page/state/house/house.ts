// What the house is like now: read once, kept by events.
import { batch, computed, type Signal, signal } from "@preact/signals";
import { load, save } from "../../browser/storage.ts";
import type { Device } from "../../model/device/device.ts";
import type { Attributes } from "../../model/device/json.ts";
import { ask, get } from "../hub/api.ts";
import type { HubEvent } from "../hub/live.ts";
import { session } from "../hub/session.ts";

/** By id; each has a signal of its own, so that one change draws one tile. */
export const devices = signal<ReadonlyMap<string, Signal<Device>>>(new Map());
/** False until the house was read from the hub; what is shown before is of the last visit. */
export const isRead = signal(false);

/** Writing all of a large house takes a moment: else it is done when the page is left. */
const SAVE_MS = 60_000;
/** Grows when a device comes or goes, or is no longer the same thing at the same place. Values leave it alone. */
export const shape = signal(0);

export const deviceList = computed(() => [...devices.value.values()].map((one) => one.value));

/** Paints what was seen last, until the hub has answered. */
export function paintLast(): void {
  setDevices(load<Device[]>("house") ?? []);
}

let unsaved = false;

/** From now on what is shown is kept for the next visit. Call it once. */
export function keepHouse(): void {
  setInterval(keep, SAVE_MS);
  addEventListener("pagehide", keep);
  document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && keep());
}

function keep(): void {
  if (!unsaved || !session.peek()) return;
  unsaved = false;
  save("house", deviceList.peek());
}

/** What is shown stays. */
export function forgetKept(): void {
  save("house", undefined);
}

export function forgetHouse(): void {
  batch(() => {
    setDevices([]);
    isRead.value = false;
  });
  unsaved = false;
}

export async function readHouse(): Promise<void> {
  const all: Device[] = [];
  // About 8 MiB each: one page in any ordinary house.
  for (let page = await readPage(""); ; page = await readPage(page.next)) {
    all.push(...page.devices);
    if (page.next === "") break;
  }
  batch(() => {
    setDevices(all);
    isRead.value = true;
  });
  unsaved = true;
}

/** `next`: where the next page begins, empty on the last. */
async function readPage(after: string): Promise<{ devices: Device[]; next: string }> {
  const answer = await ask("GET", `/devices${after === "" ? "" : `?after=${encodeURIComponent(after)}`}`);
  const next = /[?&]after=([^&>]+)/.exec(answer.headers.get("link") ?? "")?.[1] ?? "";
  return { devices: (await answer.json()) as Device[], next: decodeURIComponent(next) };
}

function setDevices(list: readonly Device[]): void {
  shape.value++;
  const known = devices.peek();
  devices.value = new Map(
    list.map((device) => {
      const own = known.get(device.id) ?? signal(device);
      own.value = device;
      return [device.id, own];
    }),
  );
}

function change(id: string, how: (device: Device) => Partial<Device>): boolean {
  const own = devices.peek().get(id);
  if (!own) return false;
  const before = own.peek();
  own.value = { ...before, ...how(before) };
  if (isOther(before, own.peek())) shape.value++;
  unsaved = true;
  return true;
}

function isOther(before: Device, now: Device): boolean {
  if (before.name !== now.name || before.area !== now.area) return true;
  if (before.attributes === now.attributes) return false;
  const names = Object.keys(now.attributes);
  return (
    names.length !== Object.keys(before.attributes).length ||
    names.some((name) => !Object.hasOwn(before.attributes, name))
  );
}

/** Keeps the devices by events. A device that is not known yet is read. */
export function takeEvent(event: HubEvent): void {
  const { device_id: id, timestamp } = event;
  if (id === undefined) return;
  switch (event.type) {
    case "device_state_changed": {
      const changed = event.changed as string[];
      const known = change(id, ({ last_changed }) => ({
        attributes: event.current as Attributes,
        last_seen: timestamp,
        last_changed: { ...last_changed, ...Object.fromEntries(changed.map((name) => [name, timestamp])) },
      }));
      if (!known) void readDevice(id);
      return;
    }
    case "device_availability_changed":
      if (!change(id, () => ({ available: event.available === true }))) void readDevice(id);
      return;
    case "device_name_changed":
    case "device_attribute_renamed":
      void readDevice(id);
  }
}

export async function readDevice(id: string): Promise<void> {
  try {
    putDevice(await get<Device>(`/devices/${encodeURIComponent(id)}`));
  } catch {
    // It was removed meanwhile.
    dropDevice(id);
  }
}

export function putDevice(device: Device): void {
  const own = devices.peek().get(device.id);
  if (own) own.value = device;
  else devices.value = new Map([...devices.peek(), [device.id, signal(device)]]);
  shape.value++;
  unsaved = true;
}

export function dropDevice(id: string): void {
  if (!devices.peek().has(id)) return;
  devices.value = new Map([...devices.peek()].filter(([one]) => one !== id));
  shape.value++;
  unsaved = true;
}

// The names of devices, for sentences.
/** Peeks: a sentence does not change when a device reports something. */
export function nameOfDevice(id: string): string | undefined {
  return devices.value.get(id)?.peek().name;
}
