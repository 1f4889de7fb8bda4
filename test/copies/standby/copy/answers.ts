// The answers that a hub would give to its standby, from the files of a home: small, so that a copy takes several.
import type { Database } from "bun:sqlite";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import {
  contentHash,
  fileHash,
  filesId,
  PAGE_HASH_BYTES,
  pageHashes,
  pageSizeOf,
  stateId,
} from "../../../../src/copies/standby/hashes.ts";
import {
  type EndHead,
  encodeRecord,
  type Head,
  type HistoryAnswer,
  type HistoryRequest,
  type SyncRequest,
} from "../../../../src/copies/standby/protocol.ts";
import { historyMigrations } from "../../../../src/house/history/migrations/index.ts";
import { listSegments, readJournal } from "../../../../src/kit/files/journal-reader.ts";
import { checkpointOf } from "../../../../src/server/db/checkpoint-mark.ts";
import { stateMigrations } from "../../../../src/server/db/migrations/index.ts";
import { readingsFolder } from "../../../../src/server/db/readings.ts";
import type { Home } from "../../../../src/server/home/paths.ts";

type Have = SyncRequest["have"];

export interface Answers {
  answer(have: Have, change?: (heads: Head[]) => void): Uint8Array;
  historyAnswer(request: HistoryRequest, most?: number): Uint8Array;
}

export interface AnswersOptions {
  home: Home;
  db: Database;
  history: Database;
  /** The journal's. */
  id: string;
  files: () => ReadonlyMap<string, { content: Buffer; mode: number }>;
  cut?: () => number;
  maxFiles?: number;
}

export const schemas = { state: stateMigrations.length, history: historyMigrations.length };

export function createAnswers({ home, db, history, id, files, cut = () => 0, maxFiles = 3 }: AnswersOptions): Answers {
  let turn = 0;
  let known: { id: string; hashes: Uint8Array } | undefined;
  let knownFiles: { id: string; list: Map<string, string> } | undefined;

  function segmentRecords(have: Have["journals"]): Uint8Array[] {
    const keep: string[] = [];
    const records = listSegments(readingsFolder(home.stateDb), id).flatMap(({ number, path }) => {
      const bytes = wholeBytes(id, number, home);
      if (bytes <= 8) return [];
      const content = Buffer.concat([readFileSync(path).subarray(0, bytes - 8), Buffer.alloc(8)]);
      const name = `data/readings/${id}.${number}.journal`;
      const had = have[name];
      const end = had ? had.bytes - 8 : 0;
      const isPart =
        had !== undefined &&
        had.bytes <= content.length &&
        contentHash(Buffer.concat([content.subarray(0, end), Buffer.alloc(8)])) === had.hash;
      if (isPart && had.bytes === content.length) {
        keep.push(name);
        return [];
      }
      const from = isPart ? end : 0;
      const part = content.subarray(from);
      return encodeRecord({ kind: "journal", path: name, from, bytes: part.length }, part);
    });
    return [...records, ...(keep.length > 0 ? encodeRecord({ kind: "keep", paths: keep }) : [])];
  }

  function pageRecords(have: Have, ask: ("pages" | "list")[]): { records: Uint8Array[]; state: string | undefined } {
    const content = db.serialize();
    const pageSize = pageSizeOf(content);
    const hashes = pageHashes(content, pageSize);
    const base =
      have.pages !== undefined
        ? new Uint8Array(Buffer.from(have.pages, "base64"))
        : have.state === undefined
          ? new Uint8Array(0)
          : have.state === known?.id
            ? known.hashes
            : undefined;
    if (!base) {
      ask.push("pages");
      return { records: [], state: undefined };
    }
    const count = hashes.length / PAGE_HASH_BYTES;
    const hashAt = (all: Uint8Array, page: number): string =>
      Buffer.from(all.subarray(page * PAGE_HASH_BYTES, (page + 1) * PAGE_HASH_BYTES)).toString("hex");
    const numbers = Array.from({ length: count }, (_, page) => page).filter(
      (page) => hashAt(base, page) !== hashAt(hashes, page),
    );
    known = { id: stateId(hashes), hashes };
    if (numbers.length === 0 && base.length === hashes.length) return { records: [], state: known.id };
    const pages = Buffer.concat(numbers.map((page) => content.subarray(page * pageSize, (page + 1) * pageSize)));
    const head: Head = { kind: "pages", pageSize, count, numbers, bytes: pages.length };
    return { records: encodeRecord(head, pages), state: known.id };
  }

  function fileRecords(have: Have, ask: ("pages" | "list")[]) {
    const present = files();
    const list = have.list
      ? new Map(Object.entries(have.list))
      : have.files === undefined
        ? new Map<string, string>()
        : have.files === knownFiles?.id
          ? new Map(knownFiles.list)
          : undefined;
    if (!list) {
      ask.push("list");
      return { records: [], files: undefined, more: false };
    }
    const records: Uint8Array[] = [];
    for (const path of [...list.keys()]) {
      if (present.has(path)) continue;
      list.delete(path);
      records.push(...encodeRecord({ kind: "gone", path }));
    }
    let sent = 0;
    let more = false;
    for (const [path, { content, mode }] of present) {
      const hash = fileHash(content, mode);
      if (list.get(path) === hash) continue;
      if (sent === maxFiles) {
        more = true;
        break;
      }
      sent++;
      list.set(path, hash);
      records.push(...encodeRecord({ kind: "file", path, mode, bytes: content.length }, content));
    }
    knownFiles = { id: filesId(list), list };
    return { records, files: knownFiles.id, more };
  }

  return {
    answer(have, change) {
      const ask: ("pages" | "list")[] = [];
      const journals = segmentRecords(have.journals);
      const pages = pageRecords(have, ask);
      const listed = fileRecords(have, ask);
      const begin: Head = { kind: "begin", turn: ++turn, epoch: 1, version: "1.0.0", schemas };
      const end: EndHead = { kind: "end", state: pages.state, files: listed.files, more: listed.more };
      change?.([begin, end]);
      const asks = ask.length > 0 ? encodeRecord({ kind: "ask", what: ask }) : [];
      return gzipSync(
        Buffer.concat([
          ...encodeRecord(begin),
          ...journals,
          ...pages.records,
          ...listed.records,
          ...asks,
          ...encodeRecord(end),
        ]),
      );
    },
    historyAnswer({ from, most }, mostHere = most) {
      const rows = history
        .query<
          {
            device_id: string;
            attribute: string;
            at: number;
            n: number;
            value: string | number | null;
            type: number | null;
          },
          [number]
        >(
          `SELECT device_id, attribute, at, n, value, type FROM
             (SELECT * FROM samples UNION SELECT * FROM recent) JOIN series ON series.id = series_id
           WHERE at >= ? ORDER BY at, n`,
        )
        .all(from);
      const last = rows[mostHere - 1];
      const page = last ? rows.filter(({ at }) => at <= last.at) : rows;
      const series = new Map<string, HistoryAnswer["series"][number]>();
      for (const { device_id, attribute, at, n, value, type } of page) {
        const row = series.get(`${device_id} ${attribute}`) ?? [device_id, attribute];
        row.push(at, n, value, type);
        series.set(`${device_id} ${attribute}`, row);
      }
      const isWhole = page.length === rows.length;
      const answer: HistoryAnswer = {
        series: [...series.values()],
        through: Math.max(from, (page.at(-1)?.at ?? -1) + 1),
        mark: isWhole ? { id, segment: checkpointOf(history, id) } : undefined,
        cut: cut(),
      };
      return gzipSync(JSON.stringify(answer));
    },
  };
}

function wholeBytes(id: string, number: number, home: Home): number {
  const texts = readJournal(readingsFolder(home.stateDb), id).find((segment) => segment.number === number)?.texts ?? [];
  return texts.reduce((sum, text) => sum + 8 + Buffer.byteLength(text), 8);
}
