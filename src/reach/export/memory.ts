// Where each export stands, in the state database: it survives restarts.

import { isObject, parseJson } from "../../kit/schema/json.ts";
import type { StateDb } from "../../server/db/state-db.ts";
import type { SavedProgress, Stretch } from "./progress.ts";

export interface Counts {
  /** Samples that the service has taken, over restarts. */
  sent: number;
  /** Samples that it refused for good. */
  dropped: number;
  /** Samples that the history removed before they could be sent. */
  lost: number;
}

export interface Remembered extends SavedProgress {
  counts: Counts;
}

export interface ExportMemory {
  load(name: string): Remembered | undefined;
  /** Throws where it cannot be written. */
  save(name: string, remembered: Remembered): void;
}

interface ExportRow {
  saved_at: number;
  head: number;
  stretches: string;
  sent: number;
  dropped: number;
  lost: number;
}

export function openExportMemory({ own, trouble }: Pick<StateDb, "own" | "trouble">): ExportMemory {
  const read = own.query<ExportRow, [string]>("SELECT * FROM history_exports WHERE name = ?");
  const write = own.query(
    `INSERT INTO history_exports (name, saved_at, head, stretches, sent, dropped, lost) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET saved_at = excluded.saved_at, head = excluded.head, stretches = excluded.stretches,
       sent = excluded.sent, dropped = excluded.dropped, lost = excluded.lost`,
  );
  return {
    load(name) {
      const row = read.get(name);
      if (!row) return undefined;
      const { saved_at: at, head, stretches, sent, dropped, lost } = row;
      return { at, head, stretches: stretchesIn(stretches), counts: { sent, dropped, lost } };
    },
    save(name, { at, head, stretches, counts: { sent, dropped, lost } }) {
      try {
        write.run(name, at, head, JSON.stringify(stretches), sent, dropped, lost);
      } catch (error) {
        trouble.note(error);
        throw error;
      }
    },
  };
}

function stretchesIn(text: string): Stretch[] {
  const parsed = parseJson(text);
  return parsed.ok && Array.isArray(parsed.value) ? (parsed.value as unknown as Stretch[]).filter(isStretch) : [];
}

function isStretch(value: unknown): boolean {
  return isObject(value) && typeof value.from === "number" && typeof value.to === "number";
}
