// The thread that answers a standby: there when it is asked, gone when it is not, and what it does where a home is not as it should be.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, readdirSync, truncateSync, writeFileSync } from "node:fs";
import { createSourceClient, type SourceClient, sourceWorker } from "../../../../src/copies/standby/source/client.ts";
import { openStateDb } from "../../../../src/server/db/state-db.ts";
import { homeAt } from "../../../../src/server/home/paths.ts";
import { type AssembledCopy, assembleCopy, syncWhole } from "../../../support/assemble-copy.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../../support/temporary-folder.ts";
import { createVirtualClock, type VirtualClock } from "../../../support/virtual-clock.ts";
import { until } from "../../../support/wait.ts";

let folder: TemporaryFolder;
let clock: VirtualClock;
let client: SourceClient;
let copy: AssembledCopy;
let stateDb: string;
const TURN = { turn: 1, epoch: 0 };

beforeEach(() => {
  folder = createTemporaryFolder();
  clock = createVirtualClock();
  const home = homeAt(folder.at("home"));
  for (const path of [home.config, home.data]) mkdirSync(path, { recursive: true });
  writeFileSync(home.hubToml, "");
  stateDb = home.stateDb;
  openStateDb(stateDb, Date.now)[Symbol.dispose]();
  client = createSourceClient({ worker: sourceWorker(), home, version: "1", clock, log: { warn() {} } });
  copy = assembleCopy(folder.at("copy"));
});
afterEach(async () => {
  await client[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const sync = (): Promise<void> => syncWhole(copy, async (request) => (await client.sync(request, TURN)).bytes);
/** A connection to a database keeps a log beside it. */
const isOpen = (): boolean => readdirSync(folder.at("home", "data")).includes("state.redb-wal");

test("a minute after the last question it holds no file any more; the next one starts it again", async () => {
  await sync();
  await clock.advance(50_000);
  await sync();
  await clock.advance(50_000);
  expect(isOpen()).toBe(true);
  await clock.advance(10_000);
  await until("the database is closed", () => !isOpen());
  await sync();
  expect(copy.heads.map(({ kind }) => kind)).toEqual(["begin", "end"]);
});

test("what the home lacks is said, and the next question is answered", async () => {
  truncateSync(stateDb, 100);
  await expect(sync()).rejects.toThrow("state.redb");
  const history = await client.history({ from: 0, most: 10 }).catch((error: Error) => error.message);
  expect(history).toContain("state.redb");
});

test("a thread that cannot be started is an error each time, and nothing hangs", async () => {
  const options = { home: homeAt(folder.at("home")), version: "1", clock, log: { warn() {} } };
  await using broken = createSourceClient({ worker: folder.at("none.ts"), ...options });
  for (let count = 0; count < 2; count++)
    await expect(broken.sync(copy.request(), TURN)).rejects.toThrow("the thread for the standby");
});

test("closed while it answers: the question fails or is answered, and the files are free", async () => {
  const asked = client.sync(copy.request(), TURN).then(
    () => "answered",
    (error: Error) => error.message,
  );
  await client[Symbol.asyncDispose]();
  expect(["answered", "the hub is stopping"]).toContain(await asked);
  expect(isOpen()).toBe(false);
  await expect(client.sync(copy.request(), TURN)).rejects.toThrow("stopping");
  expect(clock.pending()).toEqual([]);
});
