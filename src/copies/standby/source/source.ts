// Answers a standby from the files of a home alone, whether its hub runs or not: own connections to the databases, and nothing of
// what the hub has in memory. Everything is done at once, so it belongs into a thread of its own.
import { historyMigrations } from "../../../house/history/migrations/index.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import { stateMigrations } from "../../../server/db/migrations/index.ts";
import { readingsFolder } from "../../../server/db/readings.ts";
import type { Home } from "../../../server/home/paths.ts";
import { type AskHead, encodeRecord, type Head, type HistoryRequest, type SyncRequest } from "../protocol.ts";
import { openFileCopies } from "./files/file-copies.ts";
import { openHistoryPages } from "./files/history-pages.ts";
import { openSegments } from "./files/segments.ts";
import { openStatePages } from "./files/state-pages.ts";

export interface SourceOptions {
  home: Home;
  /** Of this hub. */
  version: string;
  clock: Clock;
  log: Pick<Log, "warn">;
}

/** Which answer this is: see `BeginHead`. */
export interface Turn {
  turn: number;
  epoch: number;
  /** See `BeginHead`. */
  holds?: boolean;
}

/** What is on the disk at this moment is to be in the answer, however much was read just before. */
export interface Urgency {
  isUrgent?: boolean;
}

export interface SyncAnswer {
  /** Compressed records: see protocol.ts. */
  bytes: Uint8Array<ArrayBuffer>;
  /** The standby has a whole copy once it has applied this. */
  isLast: boolean;
}

export interface Source extends Disposable {
  /** Throws HubError: `storage` where a file cannot be read, `too_large`. */
  sync(request: SyncRequest, turn: Turn, urgency?: Urgency): SyncAnswer;
  /** What an urgent answer has put off; to be called once it is given. Throws as `sync` does. */
  refresh(): void;
  /** Compressed JSON of a `HistoryAnswer`. Throws as `sync` does. */
  history(request: HistoryRequest): Uint8Array<ArrayBuffer>;
}

const LEVEL = 3;

export function openSource({ home, version, clock, log }: SourceOptions): Source {
  using opening = new DisposableStack();
  const state = opening.use(openStatePages(home.stateDb, clock));
  const samples = opening.use(openHistoryPages(home.historyDb, clock));
  const segments = openSegments(readingsFolder(home.stateDb), clock);
  const files = openFileCopies(home, { clock, log });
  const schemas = { state: stateMigrations.length, history: historyMigrations.length };
  const open = opening.move();

  return {
    sync({ have }, turn, { isUrgent = false } = {}) {
      // Before the database: what is checkpointed in between is in both, and the database's mark says so.
      const journals = segments.read(have.journals);
      const pages = state.read(have, journals.someGone || isUrgent);
      const copies = files.read(have, isUrgent);
      const ask = asked(pages.id, copies.id);
      const { id: stateId } = pages;
      const { id: filesId, more } = copies;
      const records: { head: Head; content?: Uint8Array }[] = [
        { head: { kind: "begin", ...turn, version, schemas } },
        ...journals.records,
        ...(pages.pages ? [pages.pages] : []),
        ...copies.records,
        ...(ask.length > 0 ? [{ head: { kind: "ask" as const, what: ask } }] : []),
        { head: { kind: "end", state: stateId, files: filesId, more } },
      ];
      const parts = records.flatMap(({ head, content }) => encodeRecord(head, content));
      return { bytes: compressed(Buffer.concat(parts)), isLast: ask.length === 0 && !more };
    },
    refresh: files.refresh,
    history: (request) => compressed(Buffer.from(samples.read(request, state.journalId()))),
    [Symbol.dispose]: () => open.dispose(),
  };
}

function asked(state: string | undefined, files: string | undefined): AskHead["what"] {
  return [...(state === undefined ? ["pages" as const] : []), ...(files === undefined ? ["list" as const] : [])];
}

/** In a buffer of its own, which can be handed to another thread. */
function compressed(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const packed = Bun.zstdCompressSync(bytes as Uint8Array<ArrayBuffer>, { level: LEVEL });
  const whole = packed.byteLength === packed.buffer.byteLength && packed.buffer instanceof ArrayBuffer;
  return whole ? (packed as Uint8Array<ArrayBuffer>) : new Uint8Array(packed);
}
