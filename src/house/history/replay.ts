// Samples from the journal of readings: what a hub or a worker that died had not written to the history's file.
import type { Reading } from "../../server/db/readings.ts";
import { MAX_NAME } from "./recorder.ts";
import type { NameAt } from "./rename.ts";
import { storedOf } from "./sample.ts";
import type { SampleRows } from "./worker-protocol.ts";

/** What is recorded of these readings. */
export function rowsOf(
  readings: readonly Reading[],
  isExcluded: (deviceId: string, attribute: string) => boolean,
  nameAt: NameAt = (_, attribute) => attribute,
): SampleRows {
  const rows: SampleRows = [];
  for (const { device, at, set = {}, gone = [], unrecorded } of readings) {
    if (unrecorded) continue;
    const changes = [...Object.entries(set), ...gone.map((name) => [name, undefined] as const)];
    for (const [name, value] of changes) {
      const stored = name.length > MAX_NAME || isExcluded(device, name) ? "too_long" : storedOf(value);
      if (typeof stored !== "string") rows.push(device, nameAt(device, name, at), at, stored.value, stored.type);
    }
  }
  return rows;
}
