// Scheduled backups: made on time, verified, limited in number, reported when they fail, and opened by Debian's `age`.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { Decrypter } from "age-encryption";
import { lockBackups } from "../../../src/copies/backup/backup-lock.ts";
import { type Backups, type BackupsOptions, startBackups } from "../../../src/copies/backup/backups.ts";
import { BackupSection, backupProblems } from "../../../src/copies/backup/config.ts";
import { readLastBackup } from "../../../src/copies/backup/last-backup.ts";
import { restoreHome } from "../../../src/copies/backup/restore/restore.ts";
import { backupWorker } from "../../../src/copies/backup/worker-task.ts";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import { checkValue } from "../../../src/kit/schema/schema.ts";
import { createZone } from "../../../src/kit/time/zone.ts";
import { parseCron } from "../../../src/rules/schedule/cron.ts";
import { startScheduler } from "../../../src/rules/schedule/scheduler.ts";
import type { HubEvent } from "../../../src/server/events/catalog.ts";
import type { Home } from "../../../src/server/home/paths.ts";
import { readZip } from "../../support/archives.ts";
import { sectionOf } from "../../support/section.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../support/temporary-folder.ts";
import { createVirtualClock, type VirtualClock } from "../../support/virtual-clock.ts";
import { until } from "../../support/wait.ts";
import { furnishHome, isFree, NOW, schemas } from "./archive/archive-place.ts";

const DAY_MS = 86_400_000;

let folder: TemporaryFolder;
let home: Home;
let clock: VirtualClock;
let stack: AsyncDisposableStack;
let events: HubEvent[];
let notified: string[];
let flushed: number;

beforeEach(() => {
  folder = createTemporaryFolder();
  home = furnishHome(folder.at("home"));
  clock = createVirtualClock(NOW - 5000);
  stack = new AsyncDisposableStack();
  events = [];
  notified = [];
  flushed = 0;
});
afterEach(async () => {
  await stack.disposeAsync();
  folder[Symbol.dispose]();
});

function start(section: Record<string, unknown>, more: Partial<BackupsOptions> = {}): Backups {
  const config = sectionOf(BackupSection, section);
  const parsed = parseCron(config.schedule ?? "0 0 3 * * *", createZone("UTC"));
  const scheduler = stack.use(startScheduler({ clock, log: silentLog, mark: { load: () => undefined, save() {} } }));
  return stack.use(
    startBackups({
      home,
      config,
      hubVersion: "0.0.0-test",
      schemas,
      clock,
      log: silentLog,
      worker: backupWorker(),
      flush: async () => void flushed++,
      emit: (event) => void events.push(event),
      notify: async (channel, message) => void notified.push(`${channel}: ${message}`),
      schedule: parsed.ok ? parsed.schedule : undefined,
      scheduler,
      ...more,
    }),
  );
}

const names = () => (existsSync(home.resolve("backups")) ? readdirSync(home.resolve("backups")).sort() : []);

test("made on time, read back, and listed", async () => {
  const backups = start({ schedule: "0 0 3 * * *" });
  expect(readLastBackup(home)).toBeNull();
  await clock.advance(6000);
  await until("it is there", () => readLastBackup(home));
  expect(names()).toEqual(["hub-backup-2026-11-21T03-00-00Z.zip"]);
  expect(statSync(home.resolve("backups/hub-backup-2026-11-21T03-00-00Z.zip")).mode & 0o777).toBe(0o600);
  expect(flushed).toBe(1);
  const [entry] = await backups.list();
  expect(entry).toMatchObject({
    at: "2026-11-21T03:00:00Z",
    encrypted: false,
    counts: { devices: 1, rules: 2, users: 0, plugins: 1 },
    hubVersion: "0.0.0-test",
    problem: null,
  });
  const files = readZip(home.resolve("backups/hub-backup-2026-11-21T03-00-00Z.zip"));
  expect(Object.keys(files)).toContain("rules/Küche.ron");
  expect(JSON.stringify(files)).not.toContain("of the plugin");
  expect(readdirSync(home.data).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  // Also after a restart.
  expect(readLastBackup(home)).toBe("2026-11-21T03:00:00Z");
});

test("the oldest are removed, and other files stay", async () => {
  mkdirSync(home.resolve("backups"));
  const old = [
    "hub-backup-2020-01-01T00-00-00Z.zip",
    "hub-backup-2021-01-01T00-00-00Z.zip.age",
    "hub-backup-2099-01-01T00-00-00Z.zip",
  ];
  for (const name of [...old, "mine.zip"]) writeFileSync(home.resolve(`backups/${name}`), "x");
  const backups = start({ schedule: "0 0 3 * * *", keep: 2 });
  await clock.advance(6000);
  await until("it is there", () => readLastBackup(home));
  // The one of a clock that was ahead is removed: otherwise it would stay for decades.
  expect(names()).toEqual([old[1] ?? "", "hub-backup-2026-11-21T03-00-00Z.zip", "mine.zip"]);
  await until("it is over", () => isFree(home));
  await clock.advance(DAY_MS);
  writeFileSync(home.resolve("backups/hub-backup-2026-11-21T04-00-00Z.zip"), "x");
  await until("the next is there", () => names().some((name) => name.includes("2026-11-22")));
  expect((await backups.list()).find(({ name }) => name.includes("T04-"))?.problem).toContain("not a zip");
});

test("a failed backup is reported, and the next one clears that", async () => {
  writeFileSync(home.resolve("backups"), "a file where the folder should be");
  const backups = start({ schedule: "0 0 3 * * *", notify_channel: "phone" });
  await clock.advance(6000);
  await until("it is reported", () => notified.length > 0);
  expect(events).toMatchObject([{ type: "backup_failed", severity: "warning", directory: home.resolve("backups") }]);
  expect(notified[0]).toMatch(/^phone: The scheduled backup failed: cannot write/);
  expect(backups.problem()).toContain("the last scheduled backup failed");
  expect(readLastBackup(home)).toBeNull();
  rmSync(home.resolve("backups"));
  await clock.advance(DAY_MS);
  await until("it is there, and the failure over", () => readLastBackup(home) && backups.problem() === undefined);
});

test("a damaged database makes the backup fail, with the reason", async () => {
  const bytes = readFileSync(home.historyDb);
  bytes.fill(0x55, 4096, bytes.length - 100);
  writeFileSync(home.historyDb, bytes);
  start({ schedule: "0 0 3 * * *" });
  await clock.advance(6000);
  await until("it is reported", () => events.length > 0);
  expect(events[0]).toMatchObject({ reason: expect.stringMatching(/history\.db/) });
  expect(names()).toEqual([]);
});

test("while another backup is under way, it fails instead of waiting", async () => {
  using _lock = lockBackups(home);
  start({ schedule: "0 0 3 * * *" });
  await clock.advance(6000);
  await until("it is reported", () => events.length > 0);
  expect(events[0]).toMatchObject({ reason: expect.stringContaining("under way") });
});

test("a failure to flush does not keep the rest from being saved", async () => {
  start({ schedule: "0 0 3 * * *" }, { flush: () => Promise.reject(new Error("no")) });
  await clock.advance(6000);
  await until("it is there", () => readLastBackup(home));
});

test("encrypted: opened by the age format's library and by a restore with the passphrase, and by nothing else", async () => {
  const passphrase = "a passphrase of some length";
  const backups = start({ schedule: "0 0 3 * * *", passphrase });
  await clock.advance(6000);
  await until("it is there", () => readLastBackup(home), { timeoutMs: 20_000 });
  const file = home.resolve("backups/hub-backup-2026-11-21T03-00-00Z.zip.age");
  expect(readFileSync(file).subarray(0, 21).toString()).toBe("age-encryption.org/v1");
  expect(await backups.list()).toMatchObject([{ encrypted: true, counts: null, problem: null }]);
  // The format's own library; test/interop/backup.sh has the program `age` open one.
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  const plain = folder.at("plain.zip");
  writeFileSync(plain, await decrypter.decrypt(readFileSync(file)));
  expect(Object.keys(readZip(plain))).toContain("manifest.json");

  const other = furnishHome(folder.at("other"), "other");
  const restore = (phrase: string | undefined) =>
    restoreHome({ home: other, file, passphrase: phrase, schemas, now: NOW }).catch((error: Error) => error.message);
  expect(await restore(undefined)).toContain("give its passphrase");
  expect(await restore("another passphrase")).toContain("passphrase is wrong");
  const cut = folder.at("cut.age");
  writeFileSync(cut, readFileSync(file).subarray(0, -30));
  expect(
    await restoreHome({ home: other, file: cut, passphrase, schemas, now: NOW }).catch((error: Error) => error.message),
  ).toContain("truncated");
  expect(existsSync(`${other.rules}/other.ron`)).toBe(true);
  expect(await restore(passphrase)).toMatchObject({ counts: { devices: 1 } });
  expect(existsSync(`${other.rules}/old.ron`)).toBe(true);
});

test("problems of the section", () => {
  const cronProblem = (text: string) => {
    const parsed = parseCron(text, createZone("UTC"));
    return parsed.ok ? undefined : parsed.problem;
  };
  const problems = backupProblems(sectionOf(BackupSection, { schedule: "0 3 * * *", notify_channel: "fone" }), {
    cronProblem,
    channels: ["phone", "log"],
  });
  expect(problems).toMatchObject([
    { path: "backup.schedule", message: expect.stringContaining("has five fields") },
    { path: "backup.notify_channel", message: expect.stringContaining("phone, log") },
  ]);
  expect(checkValue(BackupSection, { passphrase: "short" }).ok).toBe(false);
});
