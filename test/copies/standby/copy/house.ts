// A house to copy: real databases, a real journal and real files, without a hub.
import type { Database } from "bun:sqlite";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { rowsOf } from "../../../../src/house/history/replay.ts";
import { append } from "../../../../src/house/history/store/append.ts";
import { openHistoryFile } from "../../../../src/house/history/store/history-file.ts";
import { SampleBuffer } from "../../../../src/house/history/store/sample-buffer.ts";
import { storeLimits } from "../../../../src/house/history/store/store-limits.ts";
import { type Journal, openJournal } from "../../../../src/kit/files/journal.ts";
import { silentLog } from "../../../../src/kit/lifecycle/log.ts";
import { checkpointOf } from "../../../../src/server/db/checkpoint-mark.ts";
import { stateMigrations } from "../../../../src/server/db/migrations/index.ts";
import { closeDatabase, openDatabase } from "../../../../src/server/db/open.ts";
import {
  checkpointReadings,
  journalIdOf,
  type Reading,
  readingsFolder,
  readJournalTail,
} from "../../../../src/server/db/readings.ts";
import { type Home, homeAt } from "../../../../src/server/home/paths.ts";
import { type Answers, createAnswers } from "./answers.ts";

export interface House extends Answers, Disposable {
  readonly home: Home;
  readonly db: Database;
  readonly history: Database;
  /** A device that readings may be of. */
  addDevice(id: string): void;
  note(key: string, value: string): void;
  read(readings: readonly Reading[]): void;
  /** Puts what is in the journal into both databases. */
  checkpoint(): void;
  /** Into the state alone: the history's worker is late. */
  checkpointState(): void;
  putFile(path: string, content: string, mode?: number): void;
  removeFile(path: string): void;
  /** Removes samples before that. */
  cut(before: number): void;
}

export function createHouse(root: string, mark = 0x1234): House {
  const home = homeAt(root);
  mkdirSync(home.data, { recursive: true });
  const now = (): number => 1_700_000_000_000;
  const { db } = openDatabase({ path: home.stateDb, migrations: stateMigrations, now });
  db.run(`PRAGMA application_id = ${mark}`);
  const history = openHistoryFile(home.historyDb, now()).db;
  const id = journalIdOf(mark);
  const journal: Journal = openJournal({
    ...{ folder: readingsFolder(home.stateDb), id, first: 1 },
    onFault: (error) => {
      throw error;
    },
  });
  const files = new Map<string, { content: Buffer; mode: number }>();
  let cutAt = 0;
  const answers = createAnswers({ home, db, history, id, files: () => files, cut: () => cutAt });

  function finish(): void {
    if (journal.bytes > 0) journal.finish();
  }

  function release(): void {
    journal.release(Math.min(checkpointOf(db, id), checkpointOf(history, id)));
  }

  function checkpointState(): void {
    finish();
    checkpointReadings(db, readJournalTail(home.stateDb, db));
    release();
  }

  function checkpointHistory(): void {
    finish();
    const buffer = new SampleBuffer(storeLimits, silentLog);
    buffer.reload(history);
    for (const { number, readings } of readJournalTail(home.stateDb, db).segments) {
      if (number <= checkpointOf(history, id)) continue;
      buffer.record(rowsOf(readings, () => false));
      append(history, buffer.waiting, { id, segment: number });
      buffer.markWritten();
    }
    release();
  }

  return {
    ...answers,
    ...{ home, db, history, checkpointState },
    addDevice(device) {
      db.query("INSERT OR IGNORE INTO devices (id, plugin_id, name, created_at) VALUES (?1, 'test', ?1, 0)").run(
        device,
      );
    },
    note(key, value) {
      db.query("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)").run(key, value);
    },
    read(readings) {
      journal.append(JSON.stringify(readings));
    },
    checkpoint() {
      checkpointState();
      checkpointHistory();
    },
    putFile(path, content, mode = 0o644) {
      files.set(path, { content: Buffer.from(content), mode });
      const file = join(root, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      chmodSync(file, mode);
    },
    removeFile(path) {
      files.delete(path);
      rmSync(join(root, path), { force: true });
    },
    cut(before) {
      cutAt = before;
      history.run("INSERT OR REPLACE INTO samples SELECT * FROM recent; DELETE FROM recent");
      history
        .query(
          `DELETE FROM samples WHERE at < ?1 AND (at, n) < (SELECT at, n FROM samples last
         WHERE last.series_id = samples.series_id AND at < ?1 ORDER BY at DESC, n DESC LIMIT 1)`,
        )
        .run(before);
    },
    [Symbol.dispose]() {
      journal[Symbol.dispose]();
      closeDatabase(db);
      closeDatabase(history);
    },
  };
}
