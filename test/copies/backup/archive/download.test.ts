// A download whose reader is slow, stalls, or leaves: after a time limit, nothing of it is left.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { type Download, openDownload } from "../../../../src/copies/backup/archive/download.ts";
import { lockBackups } from "../../../../src/copies/backup/backup-lock.ts";
import { readLastBackup } from "../../../../src/copies/backup/last-backup.ts";
import { placesIn } from "../../../../src/copies/backup/places.ts";
import { backupWorker } from "../../../../src/copies/backup/worker-task.ts";
import { openLog } from "../../../../src/kit/lifecycle/log.ts";
import type { Home } from "../../../../src/server/home/paths.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../../support/temporary-folder.ts";
import { createVirtualClock, type VirtualClock } from "../../../support/virtual-clock.ts";
import { until } from "../../../support/wait.ts";
import { furnishHome, isFree, NOW } from "./archive-place.ts";

const MINUTE_MS = 60_000;

let folder: TemporaryFolder;
let home: Home;
let clock: VirtualClock;
let said: string;
let over: boolean;

beforeEach(() => {
  folder = createTemporaryFolder();
  home = furnishHome(folder.at("home"));
  // Of many chunks, however well it is packed.
  writeFileSync(`${home.config}/noise.bin`, randomBytes(4_000_000));
  clock = createVirtualClock(NOW);
  said = "";
  over = false;
});
afterEach(() => folder[Symbol.dispose]());

function open(): Promise<Download> {
  const output = {
    isTerminal: false,
    isJournal: false,
    write(text: string) {
      said += text;
    },
  };
  return openDownload({
    home,
    hubVersion: "0.0.0-test",
    clock,
    log: openLog({ clock, output, level: "info" }).log,
    worker: backupWorker(),
    lock: lockBackups(home),
    onEnd: () => (over = true),
  });
}

async function nothingLeft(): Promise<void> {
  await until("it is over", () => over && isFree(home));
  expect(existsSync(placesIn(home).backupWork)).toBe(false);
  expect(clock.pending()).toEqual([]);
  expect(readLastBackup(home)).toBeNull();
}

test("a reader that takes a chunk every nine minutes gets all of it", async () => {
  const { stream } = await open();
  let chunks = 0;
  for await (const _chunk of stream as ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>) {
    chunks++;
    await clock.advance(9 * MINUTE_MS);
  }
  expect(chunks).toBeGreaterThan(10);
  expect(readLastBackup(home)).toBe("2026-11-21T03:00:00Z");
  await until("it is over", () => over && isFree(home));
  expect(existsSync(placesIn(home).backupWork)).toBe(false);
  expect(clock.pending()).toEqual([]);
});

test("a reader that takes nothing for ten minutes is cut off, and the next backup may begin", async () => {
  const { stream } = await open();
  const reader = stream.getReader();
  expect((await reader.read()).value?.length).toBeGreaterThan(0);
  await clock.advance(10 * MINUTE_MS - 1);
  expect(existsSync(placesIn(home).backupWork)).toBe(true);
  expect(isFree(home)).toBe(false);
  await clock.advance(1);
  await nothingLeft();
  expect(said).toContain("read nothing for a long time");
  // Cut short and not ended: nobody takes it for whole.
  await expect(reader.read()).rejects.toThrow("for too long");
});

test("a reader that never takes anything", async () => {
  const { stream } = await open();
  await clock.advance(10 * MINUTE_MS);
  await nothingLeft();
  await expect(stream.getReader().read()).rejects.toThrow("for too long");
});

test("a reader that leaves", async () => {
  const { stream } = await open();
  const reader = stream.getReader();
  await reader.read();
  await reader.cancel();
  await nothingLeft();
  expect(said).toContain("cancelled by its client");
});

test("a reader that leaves while it waits for a chunk: logged once, and not as a failure", async () => {
  const { stream } = await open();
  const reader = stream.getReader();
  await reader.read();
  const asked = reader.read();
  await reader.cancel();
  expect((await asked).done).toBe(true);
  await nothingLeft();
  expect(said).toContain("cancelled by its client");
  expect(said).not.toContain("failed");
});
