// How the states of devices get to disk: what changed goes into the journal of readings, and the rows are written when its
// segments are checkpointed; where there is no journal, the rows are written every few seconds.
import { type DiskBudget, startWriteBehind } from "../../kit/files/write-behind.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import type { JsonObject } from "../../kit/schema/json.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { CheckpointMark } from "../../server/db/checkpoint-mark.ts";
import type { Reading } from "../../server/db/readings.ts";
import type { StateDb } from "../../server/db/state-db.ts";
import type { Device } from "./device.ts";
import type { DeviceStore } from "./device-store.ts";
import type { ReadingJournal } from "./reading-journal.ts";
import type { StateReport } from "./reports.ts";

export interface StateWriter extends Disposable {
  /** Written with the next batch; without a reading, when the journal is checkpointed. */
  changed(device: Device, reading?: Reading): void;
  /** Written before it returns; `next` is the device as it will be. Throws. */
  changing(device: Device, next: Device, change: { reading: Reading; durable: "written" | "synced" }): void;
  removed(device: Device): void;
  /** Since when states cannot be written, in epoch ms. */
  failingSince(): number | undefined;
}

export interface StateWriterOptions {
  db: Pick<StateDb, "trouble">;
  store: Pick<DeviceStore, "saveStates" | "checkpointStates" | "saveStateNow">;
  clock: Clock;
  log: Log;
  flushSecs: number;
  /** See kit/files/write-budget.ts. */
  budget?: DiskBudget;
  /** Where states are written first; without one, they are written to their rows every `flushSecs`. */
  journal?: ReadingJournal | undefined;
}

export function startStateWriter(options: StateWriterOptions): StateWriter {
  const { db, store, clock, log, flushSecs, budget, journal } = options;
  // The mark that belongs to the next write of rows.
  let mark: CheckpointMark | undefined;
  const unwritten = startWriteBehind<Device>({
    ...{ clock, log, trouble: db.trouble },
    ...(journal
      ? { write: (devices) => store.checkpointStates(devices, mark) }
      : { write: store.saveStates, periodMs: flushSecs * 1000 }),
    ...(budget && !journal && { budget }),
  });
  const checkpointing = journal?.enlist("device states", {
    through: journal.through,
    checkpoint(next) {
      mark = next;
      if (unwritten.flush()) checkpointing?.checkpointed(next.segment);
      else checkpointing?.again();
    },
  });

  return {
    changed(device, reading) {
      unwritten.mark(device);
      if (reading) journal?.note(reading);
    },
    changing(device, next, { reading, durable }) {
      if (!journal) return store.saveStateNow(next);
      journal.write(reading, { synced: durable === "synced" });
      unwritten.mark(device);
    },
    removed(device) {
      unwritten.forget(device);
      journal?.note({ device: device.id, at: clock.now(), removed: true });
    },
    failingSince: () => unwritten.failingSince() ?? journal?.failingSince(),
    [Symbol.dispose]() {
      checkpointing?.checkpointNow();
      if (unwritten.flush()) checkpointing?.[Symbol.dispose]();
      unwritten[Symbol.dispose]();
    },
  };
}

/** What a report says that is new. */
export function readingOf(
  { device, at, current, changed }: { device: Device; at: number; current: JsonObject; changed: readonly string[] },
  { retained }: Pick<StateReport, "retained">,
): Reading {
  const set: JsonObject = {};
  const gone: string[] = [];
  for (const name of changed) {
    if (Object.hasOwn(current, name)) set[name] = current[name] ?? null;
    else gone.push(name);
  }
  const reading: Reading = { device: device.id, at, set };
  if (gone.length > 0) reading.gone = gone;
  if (retained) reading.retained = retained;
  if (!device.recorded) reading.unrecorded = true;
  return reading;
}
