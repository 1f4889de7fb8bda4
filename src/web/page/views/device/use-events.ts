// The latest events of a device, read again as it changes.
import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../../state/api.ts";
import type { Window } from "../../state/history.ts";
import type { Device } from "../../state/house.ts";
import { connection, type HubEvent } from "../../state/live.ts";

const MOST = 200;
const PAUSE_MS = 1500;

export interface DeviceEvents {
  events: readonly HubEvent[];
  problem: unknown;
}

/** Newest first. */
export function useEvents(device: Device): DeviceEvents {
  const [found, setFound] = useState<DeviceEvents>({ events: [], problem: undefined });
  const latest = useRef<{ id: string; seq: number }>(undefined);
  const isLive = connection.value.state === "live";

  // whatever changes of the device may be an event
  useEffect(() => {
    if (!isLive) return;
    let isGone = false;
    const anew = latest.current?.id !== device.id;
    const timer = setTimeout(read, anew ? 0 : PAUSE_MS);

    async function read(): Promise<void> {
      const query = new URLSearchParams({ device_id: device.id, limit: String(MOST) });
      if (!anew && latest.current) query.set("since", String(latest.current.seq));
      try {
        const events = (await get<HubEvent[]>(`/events?${query}`)).filter(({ type }) => type !== "stream_gap");
        if (isGone) return;
        const seq = events[0]?.seq ?? (anew ? 0 : (latest.current?.seq ?? 0));
        latest.current = { id: device.id, seq };
        setFound((before) => ({
          events: [...events, ...(anew ? [] : before.events)].slice(0, MOST),
          problem: undefined,
        }));
      } catch (problem) {
        if (!isGone) setFound((before) => ({ ...before, problem }));
      }
    }
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [device, isLive]);

  return found;
}

/** When it could not be reached, as far as the events tell: nothing is known of these times. */
export function outagesOf(device: Device, events: readonly HubEvent[]): Window[] {
  const outages: Window[] = [];
  let back = device.available ? undefined : Number.POSITIVE_INFINITY;
  for (const { type, timestamp, available } of events) {
    if (type !== "device_availability_changed") continue;
    const at = Date.parse(timestamp);
    if (available === true) back = at;
    else if (back !== undefined) {
      outages.push({ from: at, to: back });
      back = undefined;
    }
  }
  if (back === Number.POSITIVE_INFINITY) {
    const from = Date.parse(device.last_seen ?? "");
    if (!Number.isNaN(from)) outages.push({ from, to: back });
  }
  return outages;
}
