// What the house is like now: read once, kept by events.
import { batch, signal } from "@preact/signals";
import { load, save } from "../../browser/storage.ts";
import type { Device } from "../../model/device/device.ts";
import type { Attributes } from "../../model/device/json.ts";
import { ask, get } from "../hub/api.ts";
import type { HubEvent } from "../hub/live.ts";
import { session } from "../hub/session.ts";
import { changeDevice, type Devices, deviceList, dropDevice, putDevice, setDevices } from "./devices.ts";

/** Writing all of a large house takes a moment: else it is done when the page is left. */
const SAVE_MS = 60_000;

export function createHouse({ deviceList, setDevices }: Pick<Devices, "deviceList" | "setDevices">) {
  /** False until the house was read from the hub; what is shown before is of the last visit. */
  const isRead = signal(false);
  /** As the browser keeps it. */
  let kept = deviceList.peek();

  function keep(): void {
    const list = deviceList.peek();
    if (list === kept || !session.peek()) return;
    kept = list;
    save("house", list);
  }

  function show(list: readonly Device[], read: boolean): void {
    batch(() => {
      setDevices(list);
      isRead.value = read;
    });
  }

  return {
    isRead,
    /** Paints what was seen last, until the hub has answered. */
    paintLast(): void {
      show(load<Device[]>("house") ?? [], false);
      kept = deviceList.peek();
    },
    /** From now on what is shown is kept for the next visit. Call it once. */
    keepHouse(): void {
      setInterval(keep, SAVE_MS);
      addEventListener("pagehide", keep);
      document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && keep());
    },
    forgetHouse(): void {
      show([], false);
      kept = deviceList.peek();
    },
    async readHouse(): Promise<void> {
      const all: Device[] = [];
      // About 8 MiB each: one page in any ordinary house.
      for (let page = await readPage(""); ; page = await readPage(page.next)) {
        all.push(...page.devices);
        if (page.next === "") break;
      }
      show(all, true);
    },
  };
}

export const { isRead, paintLast, keepHouse, forgetHouse, readHouse } = createHouse({ deviceList, setDevices });

/** What is shown stays. */
export function forgetKept(): void {
  save("house", undefined);
}

/** `next`: where the next page begins, empty on the last. */
async function readPage(after: string): Promise<{ devices: Device[]; next: string }> {
  const answer = await ask("GET", `/devices${after === "" ? "" : `?after=${encodeURIComponent(after)}`}`);
  const next = /[?&]after=([^&>]+)/.exec(answer.headers.get("link") ?? "")?.[1] ?? "";
  return { devices: (await answer.json()) as Device[], next: decodeURIComponent(next) };
}

/** Keeps the devices by events. A device that is not known yet is read. */
export function takeEvent(event: HubEvent): void {
  const { device_id: id, timestamp } = event;
  if (id === undefined) return;
  switch (event.type) {
    case "device_state_changed": {
      const changed = event.changed as string[];
      const known = changeDevice(id, ({ last_changed }) => ({
        attributes: event.current as Attributes,
        last_seen: timestamp,
        last_changed: { ...last_changed, ...Object.fromEntries(changed.map((name) => [name, timestamp])) },
      }));
      if (!known) void readDevice(id);
      return;
    }
    case "device_availability_changed":
      if (!changeDevice(id, () => ({ available: event.available === true }))) void readDevice(id);
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
