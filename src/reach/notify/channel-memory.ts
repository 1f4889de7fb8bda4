// What was last learned of each channel, kept over restarts.
import { type DiskBudget, startWriteBehind } from "../../kit/files/write-behind.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { numberIn, readEach, textIn } from "../../server/db/rows.ts";
import type { StateDb } from "../../server/db/state-db.ts";

/** Times are epoch ms. */
export interface LastResults {
  lastSuccess?: number;
  lastError?: { at: number; message: string };
}

export interface ChannelMemory extends Disposable {
  get(name: string): LastResults | undefined;
  /** `news`: it works again, or fails otherwise than before, which is written at once. */
  set(name: string, lastResults: LastResults, news: boolean): void;
}

export interface ChannelMemoryOptions {
  db: Pick<StateDb, "own" | "faults" | "trouble">;
  clock: Clock;
  log: Log;
  budget?: DiskBudget;
}

interface Row {
  name: string;
  last_success: number | null;
  last_error_at: number | null;
  last_error: string | null;
}

const PERIOD_MS = 60_000;
/** Of an answer of a server. */
const MAX_ERROR = 2000;

export function openChannelMemory({ db, clock, log, budget }: ChannelMemoryOptions): ChannelMemory {
  const rows = db.own.query<Row, []>("SELECT * FROM notify_channels");
  const reading = { faults: db.faults, table: "notify_channels", keyOf: ({ name }: Row) => name };
  const lastResults = new Map(
    readEach(rows.iterate(), (row): [string, LastResults] => [row.name, lastResultsIn(row)], reading),
  );
  const insert = db.own.query("INSERT OR REPLACE INTO notify_channels VALUES (?, ?, ?, ?)");
  const write = db.own.transaction((names: Iterable<string>) => {
    for (const name of names) {
      const { lastSuccess = null, lastError } = lastResults.get(name) ?? {};
      insert.run(name, lastSuccess, lastError?.at ?? null, lastError?.message.slice(0, MAX_ERROR) ?? null);
    }
  }).immediate;
  const writeBehind = startWriteBehind<string>({
    ...{ clock, log, periodMs: PERIOD_MS, write, what: "the state of the notification channels" },
    ...(budget && { budget }),
    trouble: db.trouble,
  });
  return {
    get: (name) => lastResults.get(name),
    set(name, last, news) {
      lastResults.set(name, last);
      writeBehind.mark(name);
      if (news) writeBehind.flush();
    },
    [Symbol.dispose]: () => writeBehind[Symbol.dispose](),
  };
}

function lastResultsIn({ last_success, last_error_at, last_error }: Row): LastResults {
  return {
    ...(last_success !== null && { lastSuccess: numberIn(last_success, 0) }),
    ...(last_error !== null && {
      lastError: { at: numberIn(last_error_at, 0), message: textIn(last_error, "last_error") },
    }),
  };
}
