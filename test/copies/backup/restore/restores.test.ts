// An archive that is uploaded slowly, stalls, or is cut short.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { placesIn } from "../../../../src/copies/backup/places.ts";
import { createRestores, type Restores } from "../../../../src/copies/backup/restore/restores.ts";
import { backupWorker } from "../../../../src/copies/backup/worker-task.ts";
import { silentLog } from "../../../../src/kit/lifecycle/log.ts";
import type { Home } from "../../../../src/server/home/paths.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../../support/temporary-folder.ts";
import { createVirtualClock, type VirtualClock } from "../../../support/virtual-clock.ts";
import { until } from "../../../support/wait.ts";
import { archiveOf, furnishHome, isFree, NOW, schemas } from "../archive/archive-place.ts";

const MINUTE_MS = 60_000;
/** Bytes: less than any archive has. */
const SOME_BYTES = 1000;

let folder: TemporaryFolder;
let home: Home;
let clock: VirtualClock;
let restores: Restores;
let zip: Uint8Array;

beforeEach(async () => {
  folder = createTemporaryFolder();
  home = furnishHome(folder.at("home"));
  clock = createVirtualClock(NOW);
  zip = readFileSync(await archiveOf(furnishHome(folder.at("other"), "new"), folder.at("good.zip")));
  restores = createRestores({
    home,
    schemas,
    clock,
    log: silentLog,
    worker: backupWorker(),
    passphrase: undefined,
    configProblems: () => [],
    requestRestart() {},
  });
});
afterEach(() => folder[Symbol.dispose]());

/** A client that sends pieces when the test says so. */
function client() {
  const sending = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array>>();
  const left = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({ start: sending.resolve, cancel: () => left.resolve() });
  return { body, sending: sending.promise, left: left.promise };
}

const receive = (body: ReadableStream<Uint8Array>, bytes?: number) =>
  restores.receive({ body, bytes, passphrase: undefined }).then(
    ({ counts }) => counts,
    ({ message }: Error) => message,
  );

/** So many bytes are on the disk, and the hub waits for more. */
async function arrived(bytes: number): Promise<void> {
  const upload = `${placesIn(home).restoreWork}/upload`;
  const size = () => statSync(upload, { throwIfNoEntry: false })?.size;
  await until("it arrived", () => size() === bytes && clock.pending().includes("upload-stalled"), { everyMs: 1 });
}

function nothingLeft(): void {
  expect(existsSync(placesIn(home).restoreWork)).toBe(false);
  expect(isFree(home)).toBe(true);
  expect(clock.pending()).toEqual([]);
}

test("a client that sends something every nine minutes is waited for", async () => {
  const { body, sending } = client();
  const received = receive(body, zip.length);
  const sender = await sending;
  for (let at = 0; at < zip.length; at += SOME_BYTES) {
    sender.enqueue(zip.slice(at, at + SOME_BYTES));
    await arrived(Math.min(zip.length, at + SOME_BYTES));
    await clock.advance(9 * MINUTE_MS);
  }
  sender.close();
  expect(await received).toMatchObject({ devices: 1, rules: 2 });
  expect(isFree(home)).toBe(false);
  expect(clock.pending()).toEqual([]);
});

test("an upload that stalls for ten minutes is cancelled, and the lock is free", async () => {
  const { body, sending, left } = client();
  const received = receive(body);
  (await sending).enqueue(zip.slice(0, SOME_BYTES));
  await arrived(SOME_BYTES);
  await clock.advance(10 * MINUTE_MS - 1);
  expect(isFree(home)).toBe(false);
  await clock.advance(1);
  expect(await received).toContain("did not arrive completely: nothing came for ten minutes");
  await left;
  nothingLeft();
});

test("an inspected archive is verified to its end, and then nothing of it is left", async () => {
  const found = await restores.inspect({ body: new Blob([zip]).stream(), bytes: zip.length, passphrase: undefined });
  expect(found.counts).toMatchObject({ devices: 1, rules: 2 });
  expect(found.manifest?.hub_version).toBe("0.0.0-test");
  nothingLeft();
  const damaged = zip.slice();
  damaged[Math.floor(zip.length / 2)] = ~(damaged[Math.floor(zip.length / 2)] ?? 0);
  const refused = restores.inspect({ body: new Blob([damaged]).stream(), bytes: zip.length, passphrase: undefined });
  expect(await refused.then(String, ({ code }: { code: string }) => code)).toBe("invalid");
  nothingLeft();
});

test("an upload that ends too early, or breaks off", async () => {
  const early = client();
  const received = receive(early.body, zip.length);
  (await early.sending).enqueue(zip.slice(0, SOME_BYTES));
  (await early.sending).close();
  expect(await received).toContain(`did not arrive completely: ${SOME_BYTES} of ${zip.length} bytes`);
  nothingLeft();
  const broken = client();
  const second = receive(broken.body);
  (await broken.sending).enqueue(zip.slice(0, SOME_BYTES));
  (await broken.sending).error(new Error("the line is dead"));
  expect(await second).toContain("did not arrive completely: the line is dead");
  nothingLeft();
});
