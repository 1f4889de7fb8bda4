// The latest events of a device, read again as it changes.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Device } from "../../../model/device/device.ts";
import type { Window } from "../../../model/plot/track.ts";
import { get } from "../../../state/hub/api.ts";
import { connection, type HubEvent } from "../../../state/hub/live.ts";

const MOST = 200;
const PAUSE_MS = 1500;

export interface DeviceEvents {
  events: readonly HubEvent[];
  problem: unknown;
}

/** Newest first. */
export function useEvents(device: Device): DeviceEvents {
  const [found, setFound] = useState<DeviceEvents>({ events: [], problem: undefined });
  const [reads, setReads] = useState(0);
  const state = useRef({ since: 0, isStale: false });
  const isLive = connection.value.state === "live";

  // However often the device changes, it is read at most so often.
  useEffect(() => {
    if (!isLive) return;
    let isGone = false;
    const query = new URLSearchParams({
      device_id: device.id,
      limit: String(MOST),
      since: String(state.current.since),
    });
    state.current.isStale = false;
    get<HubEvent[]>(`/events?${query}`).then(
      (read) => {
        if (isGone) return;
        const events = read.filter(({ type }) => type !== "stream_gap");
        state.current.since = events[0]?.seq ?? state.current.since;
        setFound((before) => ({ events: [...events, ...before.events].slice(0, MOST), problem: undefined }));
      },
      (problem: unknown) => {
        if (!isGone) setFound((before) => ({ ...before, problem }));
      },
    );
    const timer = setInterval(() => {
      if (state.current.isStale) setReads((count) => count + 1);
    }, PAUSE_MS);
    return () => {
      isGone = true;
      clearInterval(timer);
    };
  }, [device.id, isLive, reads]);

  useEffect(() => {
    state.current.isStale = true;
  }, [device]);

  return found;
}

/** When it could not be reached, as far as the events show: nothing is known of these times. */
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
