// Commands from the page: shown at once, taken back where the device does not follow.

import { batch, type Signal, signal } from "@preact/signals";
import type { Device } from "../../model/device/device.ts";
import type { Attributes } from "../../model/device/json.ts";
import { ApiError, patch } from "../hub/api.ts";
import { type Devices, devices } from "./devices.ts";

const FOLLOW_MS = 8000;

interface Late {
  id: string;
  device: Signal<Device> | undefined;
  wanted: Attributes;
  reason: ApiError;
}

export function createCommands(devices: Devices["devices"]) {
  /** Device id → what was commanded and is not reported yet. */
  const pending = signal<ReadonlyMap<string, Attributes>>(new Map());
  /** Device id → why the last command was not carried out. */
  const refused = signal<ReadonlyMap<string, ApiError>>(new Map());

  /** Of somebody else who signs in. */
  function forgetCommands(): void {
    batch(() => {
      pending.value = new Map();
      refused.value = new Map();
    });
  }

  async function command(id: string, wanted: Attributes): Promise<void> {
    batch(() => {
      pending.value = new Map([...pending.value, [id, { ...pending.value.get(id), ...wanted }]]);
      refused.value = without(refused.value, id);
    });
    // The event may be here before the answer.
    const device = devices.peek().get(id);
    const before = device?.peek().attributes ?? {};
    try {
      await patch(`/devices/${encodeURIComponent(id)}/state`, wanted);
      await followed(device, wanted, before);
    } catch (error) {
      const reason = error instanceof ApiError ? error : new ApiError(0, {});
      refused.value = new Map([...refused.value, [id, reason]]);
      forgiveLate({ id, device, wanted, reason });
    } finally {
      settle(id, wanted);
    }
  }

  /** A device that was only slow: nothing is said against it any more. */
  function forgiveLate({ id, device, wanted, reason }: Late): void {
    const stop = device?.subscribe(({ attributes }) => {
      const isStill = refused.peek().get(id) === reason;
      if (isStill && !Object.entries(wanted).every(([name, value]) => attributes[name] === value)) return;
      if (isStill) refused.value = without(refused.peek(), id);
      queueMicrotask(() => stop?.());
    });
  }

  function settle(id: string, wanted: Attributes): void {
    const rest = Object.entries(pending.value.get(id) ?? {}).filter(([name, value]) => wanted[name] !== value);
    pending.value =
      rest.length === 0 ? without(pending.value, id) : new Map([...pending.value, [id, Object.fromEntries(rest)]]);
  }

  return { pending, refused, forgetCommands, command };
}

export const { pending, refused, forgetCommands, command } = createCommands(devices);

/** Resolves when the device reports what was wanted; rejects where it does not follow in time. */
function followed(device: Signal<Device> | undefined, wanted: Attributes, before: Attributes): Promise<void> {
  if (!device) return Promise.resolve();
  const names = Object.keys(wanted).filter((name) => Object.hasOwn(device.peek().attributes, name));
  if (names.length === 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const stop = device.subscribe(({ attributes }) => {
      const hasFollowed = names.every((name) => attributes[name] === wanted[name] || attributes[name] !== before[name]);
      if (hasFollowed) end(resolve);
    });
    const timer = setTimeout(() => end(() => reject(new ApiError(0, { code: "no_answer" }))), FOLLOW_MS);
    // The subscription calls at once: `stop` is not known then.
    function end(how: () => void): void {
      clearTimeout(timer);
      queueMicrotask(() => stop());
      how();
    }
  });
}

function without<T>(map: ReadonlyMap<string, T>, id: string): ReadonlyMap<string, T> {
  return map.has(id) ? new Map([...map].filter(([one]) => one !== id)) : map;
}

/** What the page shows: what is, with what was just asked for. */
export function shown(id: string, attributes: Attributes): Attributes {
  const wanted = pending.value.get(id);
  return wanted ? { ...attributes, ...wanted } : attributes;
}
