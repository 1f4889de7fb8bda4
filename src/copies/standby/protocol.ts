// What a standby asks of the hub that it copies, and what that hub answers: one POST for all that changed, and pages of the history.
// An answer is a sequence of records, compressed as a whole: the length of a JSON head (32 bits, little endian), the head, and
// `bytes` bytes of content.
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { HubError } from "../../kit/schema/errors.ts";
import { isObject, parseJson } from "../../kit/schema/json.ts";

/** The standby, as it says; `address`: where the hub reaches it. */
export const StandbyMachine = Type.Object({
  id: Type.String({ minLength: 8, maxLength: 100 }),
  name: Type.String({ minLength: 1, maxLength: 255 }),
  address: Type.String({ maxLength: 500, description: "http://HOST:PORT, where this hub reaches it; may be empty" }),
  manual: Type.Optional(Type.Boolean({ description: "Only a person makes it the hub" })),
});
export type StandbyMachine = Static<typeof StandbyMachine>;

/** Characters of `SyncRequest.problem`. */
export const MAX_PROBLEM = 500;

const Hash = Type.String({ maxLength: 64 });

/**
 * The body of `POST /standby/sync`; the answer is compressed with zstd. What the standby asks while it follows is open: it is upgraded
 * first, and may say more than this version knows.
 */
export const SyncRequest = Type.Object({
  machine: StandbyMachine,
  version: Type.String({ maxLength: 100 }),
  /** The turn of the last answer that it got; for its promise. */
  turn: Type.Optional(Type.Integer()),
  /** From when it got that answer, it does not take over for so long; 0: it promises nothing. */
  promiseMs: Type.Number({ minimum: 0 }),
  /** The hub's databases are of a layout that it cannot open, so what it has stays what it was. */
  tooOld: Type.Optional(Type.Boolean()),
  /** What keeps its copy from being made, for people. */
  problem: Type.Optional(Type.String({ maxLength: MAX_PROBLEM })),
  /** The last turn with whose answer everything of the hub was on its disk, as a hub would start from it. */
  confirms: Type.Optional(Type.Integer()),
  /** The hub may keep it waiting for so long, where there is nothing new. */
  holdMs: Type.Optional(Type.Number({ minimum: 0 })),
  /** What it has. Identifiers are those of the answers. */
  have: Type.Object({
    /** Of the state database: see `state` in `EndHead`. */
    state: Type.Optional(Hash),
    /** Of each page, where it was asked for: `pageHashes` (hashes.ts), base64. */
    pages: Type.Optional(Type.String()),
    /** Of all files. */
    files: Type.Optional(Hash),
    /** Of each file, where it was asked for: its path, and its `fileHash`. */
    list: Type.Optional(Type.Record(Type.String(), Hash)),
    /** Of each segment of a journal: its path, and how many bytes of it are there, with their `contentHash`. */
    journals: Type.Record(Type.String(), Type.Object({ bytes: Type.Integer({ minimum: 0 }), hash: Hash })),
  }),
});
export type SyncRequest = Static<typeof SyncRequest>;

/** Comes first. */
export interface BeginHead {
  kind: "begin";
  /** Of this answer: grows, and none is like that of another process. */
  turn: number;
  /** Of the lease, or of the last time that a person promoted a standby. */
  epoch: number;
  version: string;
  /** The layouts of its databases. */
  schemas: { state: number; history: number };
  /**
   * People wait until the standby says what it `confirms`: it puts all of the answer onto its disk, and asks again at once, as the
   * hub keeps a request waiting while there is nothing new.
   */
  holds?: boolean;
}

/** A file that is new or has changed, whole. */
export interface FileHead {
  kind: "file";
  /** Below the home, with slashes: `config/hub.toml`. */
  path: string;
  /** Permission bits. */
  mode: number;
  bytes: number;
}

export interface GoneHead {
  kind: "gone";
  path: string;
}

/** A part of a segment (what was there from `from` on is replaced): the file is then `from + bytes` long. A segment of the standby that no record or `keep` names is removed. */
export interface JournalHead {
  kind: "journal";
  path: string;
  from: number;
  bytes: number;
}

export interface KeepHead {
  kind: "keep";
  paths: string[];
}

/** Pages of the state database. All of one snapshot are in one answer. */
export interface PagesHead {
  kind: "pages";
  pageSize: number;
  /** Of the whole file. */
  count: number;
  /** Which of them follow, from 0. */
  numbers: number[];
  bytes: number;
  /** `contentHash` of them, in a redo file. */
  hash?: string;
}

/** The hub no longer knows what the standby said it has: ask again with `pages`, or `list`. */
export interface AskHead {
  kind: "ask";
  what: ("pages" | "list")[];
}

/** Comes last; an answer without it is cut. */
export interface EndHead {
  kind: "end";
  /** `stateId` of the snapshot that the standby has now; the standby counts it as well. Undefined where its pages are asked for. */
  state: string | undefined;
  /** `filesId` of what it has now; undefined where its files are asked for. */
  files: string | undefined;
  /** More is there already: ask again at once. */
  more: boolean;
}

export type Head = BeginHead | FileHead | GoneHead | JournalHead | KeepHead | PagesHead | AskHead | EndHead;

export interface SyncRecord {
  head: Head;
  content: Uint8Array;
}

/** The body of `POST /standby/history`: what was recorded, in order of time. */
export const HistoryRequest = Type.Object({
  /** Epoch ms; 0 for all. */
  from: Type.Number(),
  /** About so many samples. */
  most: Type.Integer({ minimum: 1 }),
});
export type HistoryRequest = Static<typeof HistoryRequest>;

/** The answer, as JSON, compressed. */
export const HistoryAnswer = Type.Object({
  /**
   * For each series `[device, attribute, at, n, value, type, at, n, …]`, oldest first; for types see house/history/sample.ts. The samples
   * themselves are not looked at.
   */
  series: Type.Unsafe<(string | number | null)[][]>(Type.Array(Type.Unknown())),
  /** Everything before is in this page, or was in one before: the next `from`. */
  through: Type.Number(),
  /** The segment of the journal up to which everything is in the pages so far; only with the last page. */
  mark: Type.Optional(Type.Object({ id: Type.String(), segment: Type.Integer() })),
  /** Everything before was removed. */
  cut: Type.Number(),
});
export type HistoryAnswer = Static<typeof HistoryAnswer>;

/** The value, where it is what a standby and its hub say to each other. Throws HubError `invalid`, which begins with `otherwise`. */
export function checked<S extends TSchema>(schema: S, value: unknown, otherwise: string): Static<S> {
  if (Value.Check(schema, value)) return value;
  const { path = "", message = "it is none" } = Value.Errors(schema, value).First() ?? {};
  throw new HubError("invalid", `${otherwise}: ${path || "the body"}: ${message}`);
}

/** For `checked`, of requests. */
export const NOT_ASKED = "this is not what a standby of this version asks";

const NOTHING = new Uint8Array(0);
const MAX_HEAD = 64 * 1_048_576;

export function encodeRecord(head: Head, content: Uint8Array = NOTHING): Uint8Array[] {
  const text = new TextEncoder().encode(JSON.stringify(head));
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, text.length, true);
  return [length, text, content];
}

/** Throws HubError `invalid` where the answer is cut or is none. */
export function* decodeRecords(answer: Uint8Array): Generator<SyncRecord> {
  const view = new DataView(answer.buffer, answer.byteOffset, answer.byteLength);
  for (let at = 0; at < answer.length; ) {
    const length = at + 4 <= answer.length ? view.getUint32(at, true) : MAX_HEAD;
    const start = at + 4 + length;
    if (length >= MAX_HEAD || start > answer.length) throw cut();
    const parsed = parseJson(new TextDecoder().decode(answer.subarray(at + 4, start)));
    if (!parsed.ok || !isObject(parsed.value) || typeof parsed.value.kind !== "string") throw cut();
    const head = parsed.value as unknown as Head;
    const bytes = "bytes" in head ? head.bytes : 0;
    if (!Number.isInteger(bytes) || bytes < 0 || start + bytes > answer.length) throw cut();
    yield { head, content: answer.subarray(start, start + bytes) };
    at = start + bytes;
  }
}

function cut(): HubError {
  return new HubError("invalid", "the answer of the other hub is cut, or not one of a hub");
}
