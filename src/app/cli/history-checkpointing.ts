// For `hub backup`: the last hour of history, which is in the journal of readings, goes into the archive's copy of the history.
import { Database } from "bun:sqlite";
import type { CheckpointHistory } from "../../copies/backup/archive/archive.ts";
import { createExclude, type HistorySection } from "../../house/history/config.ts";
import { checkpointSamplesIntoCopy } from "../../house/history/replay.ts";
import { type Device, isMinor } from "../../house/state/device.ts";
import { createDeviceStore } from "../../house/state/device-store.ts";
import { HubError } from "../../kit/schema/errors.ts";
import type { Home } from "../../server/home/paths.ts";
import { loadConfigOf } from "./prepare.ts";

export function historyCheckpointing(home: Home): CheckpointHistory {
  return function checkpointHistory({ state, history }, readings) {
    const config = configOf(home);
    // Without it, nobody knows what is not to be recorded.
    if (!config) return "the last hour of history: hub.toml cannot be read; mend it, or back up over the API";
    if (!config.enabled) return undefined;
    const devices = devicesIn(state);
    const isListed = createExclude(config, (id, attribute) => isMinor(devices.get(id), attribute));
    const isHidden = (id: string): boolean => devices.get(id)?.recorded === false;
    checkpointSamplesIntoCopy(history, readings, (id, attribute) => isHidden(id) || isListed(id, attribute));
    return undefined;
  };
}

function configOf(home: Home): HistorySection | undefined {
  try {
    return loadConfigOf(home).config.history;
  } catch (error) {
    if (error instanceof HubError) return undefined;
    throw error;
  }
}

function devicesIn(stateDb: string): ReadonlyMap<string, Device> {
  using db = new Database(stateDb, { readonly: true });
  const store = createDeviceStore({ durable: db, relaxed: db, faults: { list: () => [], unreadable() {} } });
  return new Map(store.load().map((device) => [device.id, device]));
}
