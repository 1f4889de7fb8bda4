// Commands from the page: shown at once, taken back where the device does not follow.

import { batch, signal } from "@preact/signals";
import type { Attributes } from "../../model/device/json.ts";
import { ApiError, patch } from "../hub/api.ts";
import { devices } from "./house.ts";

/** Device id → what was commanded and is not reported yet. */
export const pending = signal<ReadonlyMap<string, Attributes>>(new Map());
/** Device id → why the last command was not carried out. */
export const refused = signal<ReadonlyMap<string, ApiError>>(new Map());

/** Of somebody else who signs in. */
export function forgetCommands(): void {
  batch(() => {
    pending.value = new Map();
    refused.value = new Map();
  });
}

const FOLLOW_MS = 8000;

export async function command(id: string, wanted: Attributes): Promise<void> {
  batch(() => {
    pending.value = new Map([...pending.value, [id, { ...pending.value.get(id), ...wanted }]]);
    refused.value = without(refused.value, id);
  });
  // The event may be here before the answer.
  const before = devices.peek().get(id)?.peek().attributes ?? {};
  try {
    await patch(`/devices/${encodeURIComponent(id)}/state`, wanted);
    await followed(id, wanted, before);
  } catch (error) {
    const reason = error instanceof ApiError ? error : new ApiError(0, {});
    refused.value = new Map([...refused.value, [id, reason]]);
    forgiveLate(id, wanted, reason);
  } finally {
    settle(id, wanted);
  }
}

/** Resolves when the device reports what was wanted; rejects where it does not follow in time. */
function followed(id: string, wanted: Attributes, before: Attributes): Promise<void> {
  const device = devices.peek().get(id);
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

/** A device that was only slow: nothing is said against it any more. */
function forgiveLate(id: string, wanted: Attributes, reason: ApiError): void {
  const device = devices.peek().get(id);
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

function without<T>(map: ReadonlyMap<string, T>, id: string): ReadonlyMap<string, T> {
  return map.has(id) ? new Map([...map].filter(([one]) => one !== id)) : map;
}

/** What the page shows: what is, with what was just asked for. */
export function shown(id: string, attributes: Attributes): Attributes {
  const wanted = pending.value.get(id);
  return wanted ? { ...attributes, ...wanted } : attributes;
}
