// What a standby copies of a hub that runs, is killed or is stopped; with a small standby of the tests' own.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, rmSync } from "node:fs";
import type { HistoryAnswer, SyncRequest } from "../../src/copies/standby/protocol.ts";
import { createSourceClient, sourceWorker } from "../../src/copies/standby/source/client.ts";
import { readJournal } from "../../src/kit/files/journal-reader.ts";
import { silentLog } from "../../src/kit/lifecycle/log.ts";
import { systemClock } from "../../src/kit/time/clock.ts";
import { journalIdOf, readingsIn } from "../../src/server/db/readings.ts";
import { homeAt } from "../../src/server/home/paths.ts";
import { downloadBackup } from "../support/archives.ts";
import { type AssembledCopy, assembleCopy, syncWhole } from "../support/assemble-copy.ts";
import { createHubPlace, type HubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { story } from "../support/story.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/wait.ts";

const MACHINE = { id: "0123456789abcdef", name: "attic", address: "http://127.0.0.1:9" };

async function pair(hub: HubProcess, machine = MACHINE, replace = false): Promise<string> {
  const starts = (): number => hub.output.split("the hub is up ms=").length;
  const before = starts();
  const answer = await hub.request("POST", "/standby/pair", { body: { machine, ...(replace && { replace }) } });
  if (answer.status !== 200) throw new Error(`pairing answers ${answer.status}: ${answer.text}`);
  const { key, restarts } = answer.json<{ key: string; restarts: boolean }>();
  // It did not know of a second machine.
  if (restarts) await until("it is up again", () => starts() > before);
  return key;
}

async function post(hub: HubProcess, path: string, key: string, body: unknown): Promise<Uint8Array> {
  const response = await fetch(hub.api + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(25_000),
  });
  if (!response.ok) throw new Error(`${path} answers ${response.status}: ${await response.text()}`);
  return response.bytes();
}

const asking =
  (hub: HubProcess, key: string) =>
  (request: SyncRequest): Promise<Uint8Array> =>
    post(hub, "/standby/sync", key, request);

async function historyOf(hub: HubProcess, key: string, from = 0): Promise<HistoryAnswer> {
  const bytes = await post(hub, "/standby/history", key, { from, most: 10_000 });
  return JSON.parse(Buffer.from(Bun.zstdDecompressSync(bytes as Uint8Array<ArrayBuffer>)).toString());
}

/** All rows of all tables. */
function contentOf(path: string): Record<string, unknown[]> {
  using db = new Database(path, { readwrite: true, create: false });
  expect(db.query("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
  const tables = db.query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name");
  return Object.fromEntries(tables.all().map(({ name }) => [name, db.query(`SELECT * FROM "${name}"`).all()]));
}

/** What the copy's journal holds of a device, oldest first. */
function readingsInCopy(copy: AssembledCopy, device: string) {
  using db = new Database(copy.stateDb, { readwrite: true });
  const mark = db.query<{ application_id: number }, []>("PRAGMA application_id").get()?.application_id ?? 0;
  const segments = readJournal(`${copy.root}/data/readings`, journalIdOf(mark));
  expect(segments.map(({ cutAt }) => cutAt).filter((at) => at !== undefined)).toEqual([]);
  return segments
    .flatMap(({ texts }) => texts.flatMap(readingsIn))
    .filter((reading) => reading.device === device)
    .map(({ set }) => set?.n);
}

const kindsOf = (copy: AssembledCopy): string[] => copy.heads.map((head) => head.kind);

/** Asks until the copy of the database equals the hub's. */
async function untilEqual(copy: AssembledCopy, sync: () => Promise<void>, stateDb: string): Promise<void> {
  const isEqual = async (): Promise<boolean> => {
    await sync();
    return Bun.deepEquals(contentOf(copy.stateDb), contentOf(stateDb));
  };
  await until("the copy equals the hub's database", isEqual, { timeoutMs: 15_000, everyMs: 200 });
}

describe("of a hub that runs", () => {
  let place: HubPlace;
  let hub: HubProcess;
  let key: string;
  let copy: AssembledCopy;
  const folder = createTemporaryFolder();
  const sync = (): Promise<void> => syncWhole(copy, asking(hub, key));
  const reported = (n: number): Promise<unknown> =>
    hub.mqtt().then((client) => client.publishAsync("hub/devices/lamp/state", JSON.stringify({ n }), { qos: 1 }));

  beforeAll(async () => {
    place = createHubPlace();
    place.put("rules/egg.toml", 'id = "egg"\nname = "Egg"\n');
    place.put("plugins/far/logs/far.log", "not in the copy");
    place.put("plugins/far/config/config.toml", "a = 1\n");
    place.put("certs/other.pem", "not named anywhere");
    hub = await place.start();
    key = await pair(hub);
    copy = assembleCopy(folder.at("copy"), MACHINE);
    await sync();
  });
  afterAll(async () => {
    await place[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  const step = story("a copy follows what a hub tells and changes, how it is killed, and how it stops");

  step("the first copy is whole: settings, rules, plugins, and the same database", async () => {
    for (const path of ["config/hub.toml", "rules/egg.toml", "plugins/far/config/config.toml", "data/assets.json"])
      expect(await Bun.file(`${copy.root}/${path}`).text()).toBe(place.read(path));
    for (const path of ["plugins/far/logs", "logs", "bin", "certs"])
      expect(existsSync(`${copy.root}/${path}`)).toBe(false);
    expect(readdirSync(`${copy.root}/data`).sort()).toEqual(["assets.json", "state.redb"]);
    await untilEqual(copy, sync, place.at("data", "state.redb"));
    copy.bytes = 0;
    await sync();
    expect(kindsOf(copy)).toEqual(["begin", "end"]);
    expect(copy.bytes).toBeLessThan(300);
  });

  step("what a person changes comes as a few pages", async () => {
    await hub.request("POST", "/areas", { body: { name: "Cellar" } });
    copy.bytes = 0;
    await untilEqual(copy, sync, place.at("data", "state.redb"));
    expect(copy.bytes).toBeLessThan(30_000);
    expect(JSON.stringify(contentOf(copy.stateDb).areas)).toContain("Cellar");
  });

  step("files that are new, changed and gone", async () => {
    place.put("rules/egg.toml", 'id = "egg"\nname = "Boiled egg"\n');
    place.put("rules/tea.toml", 'id = "tea"\nname = "Tea"\n');
    rmSync(place.at("plugins", "far", "config", "config.toml"));
    const isThere = async (): Promise<boolean> => {
      await sync();
      return existsSync(`${copy.root}/rules/tea.toml`);
    };
    await until("the new file is there", isThere, { everyMs: 200 });
    expect(await Bun.file(`${copy.root}/rules/egg.toml`).text()).toContain("Boiled egg");
    expect(existsSync(`${copy.root}/plugins/far/config/config.toml`)).toBe(false);
    expect(copy.heads.filter(({ kind }) => kind === "file" || kind === "gone")).toHaveLength(3);
  });

  step("what devices report comes at once, as the end of the journal alone", async () => {
    await reported(1);
    await until("the first reading is there", async () => {
      await sync();
      return Bun.deepEquals(readingsInCopy(copy, "lamp"), [1]);
    });
    await reported(2);
    await until("the second as well", async () => {
      await sync();
      return Bun.deepEquals(readingsInCopy(copy, "lamp"), [1, 2]);
    });
    const grown = copy.heads.flatMap((head) => (head.kind === "journal" ? [head.from] : []));
    expect(grown).toHaveLength(1);
    expect(grown[0]).toBeGreaterThan(0);
  });

  step("once the journal is checkpointed, the database and the history have what was in it", async () => {
    await downloadBackup(hub, folder.at("house.zip"));
    await until("the row of the device is there", async () => {
      await sync();
      const rows = JSON.stringify(contentOf(copy.stateDb).device_state);
      return rows.includes("lamp") && rows.includes(String.raw`\"n\":2`);
    });
    const { lamp, mark } = await until("the history has both", async () => {
      const { series, mark } = await historyOf(hub, key);
      const lamp = series.find(([device, attribute]) => device === "lamp" && attribute === "n") ?? [];
      return Bun.deepEquals([lamp[4], lamp[8]], [1, 2]) ? { lamp, mark } : undefined;
    });
    expect(mark).toEqual({ id: expect.stringMatching(/^[0-9a-f]{8}$/), segment: expect.any(Number) });
    expect(await historyOf(hub, key, Number(lamp[6]))).toMatchObject({ series: [["lamp", "n", lamp[6], 0, 2, null]] });
  });

  step("a standby that is not known by what it says it has says it page by page, and gets nothing twice", async () => {
    await untilEqual(copy, sync, place.at("data", "state.redb"));
    copy.forget();
    copy.bytes = 0;
    await sync();
    expect(kindsOf(copy)).toContain("ask");
    expect(copy.heads.filter(({ kind }) => kind === "file")).toEqual([]);
    expect(copy.bytes).toBeLessThan(30_000);
  });

  step("a killed hub answers nothing; started again, it goes on with the same copy", async () => {
    await reported(3);
    await sync();
    const asked = asking(hub, key)(copy.request());
    hub.kill("SIGKILL");
    await asked.catch(() => {});
    await hub.exited;
    await expect(asking(hub, key)(copy.request())).rejects.toThrow();
    rmSync(place.at("data", "starts.json"), { force: true });
    hub = await place.start();
    await untilEqual(copy, sync, place.at("data", "state.redb"));
  });

  step("of its stopped files, with nothing left beside them", async () => {
    await hub.end();
    const before = readdirSync(place.at("data")).sort();
    const options = { worker: sourceWorker(), home: homeAt(place.home), version: "1", clock: systemClock };
    await using client = createSourceClient({ ...options, log: silentLog });
    let turn = 0;
    await syncWhole(copy, async (request) => (await client.sync(request, { turn: ++turn, epoch: 0 })).bytes);
    expect(contentOf(copy.stateDb)).toEqual(contentOf(place.at("data", "state.redb")));
    await client[Symbol.asyncDispose]();
    expect(readdirSync(place.at("data")).sort()).toEqual(before);
  });
});

describe("pairing", () => {
  let place: HubPlace;
  let hub: HubProcess;
  const folder = createTemporaryFolder();

  beforeAll(async () => {
    place = createHubPlace();
    hub = await place.start();
  });
  afterAll(async () => {
    await place[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  test("opens the copy, and nothing else; a second standby waits, or replaces the first", async () => {
    const request = assembleCopy(folder.at("one"), MACHINE).request();
    await expect(asking(hub, "hcs_wrong")(request)).rejects.toThrow("401");
    const key = await pair(hub);
    expect((await hub.request("GET", "/areas", { token: key })).status).toBe(401);
    await expect(asking(hub, await hub.adminToken())(request)).rejects.toThrow("401");
    await asking(hub, key)(request);
    expect(await hub.get<object>("/standby")).toMatchObject({
      role: "hub",
      standby: { name: "attic", heard_secs_ago: expect.any(Number), whole: false },
    });
    const other = { ...MACHINE, id: "fedcba9876543210", name: "cellar" };
    const refused = await hub.request("POST", "/standby/pair", { body: { machine: other } });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining("--replace")]);
    const newKey = await pair(hub, other, true);
    await expect(asking(hub, key)(request)).rejects.toThrow("hub standby --of URL");
    await asking(hub, newKey)(assembleCopy(folder.at("two"), other).request());
    await expect(asking(hub, newKey)(request)).rejects.toThrow("409");
  });

  test("a standby whose copy is whole is said to have it, also after it asked for the last time", async () => {
    const key = await pair(hub, MACHINE, true);
    const copy = assembleCopy(folder.at("whole"), MACHINE);
    await syncWhole(copy, asking(hub, key));
    await asking(hub, key)(copy.request());
    const { standby } = await hub.get<{ standby: object }>("/standby");
    expect(standby).toMatchObject({ whole: true, behind_secs: expect.any(Number), version: "1" });
    expect(JSON.stringify(await hub.get("/standby"))).not.toContain("hcs_");
  });

  test("a hand-over is refused with what to do, and forgetting ends the key", async () => {
    const key = await pair(hub, MACHINE, true);
    const handOver = (token: string) => hub.request("POST", "/standby/hand-over", { token });
    expect((await handOver(key)).status).toBe(409);
    expect((await handOver(await hub.adminToken())).status).toBe(409);
    expect((await handOver("hcs_wrong")).status).toBe(401);
    expect((await hub.request("DELETE", "/standby")).status).toBe(204);
    expect((await handOver(key)).status).toBe(401);
    expect(await hub.get<object>("/standby")).toMatchObject({ standby: null });
    const audit = await hub.get<{ action: string }[]>("/system/audit?limit=20");
    expect(JSON.stringify(audit)).toContain("standby.pair");
    expect(JSON.stringify(audit)).toContain("standby.forget");
  });

  test("a standby that was upgraded first may say more than this version knows", async () => {
    const key = await pair(hub, MACHINE, true);
    const request = assembleCopy(folder.at("newer"), MACHINE).request();
    const newer = { ...request, machine: { ...MACHINE, rack: 2 }, have: { ...request.have, maps: "x" }, mood: "well" };
    expect((await asking(hub, key)(newer)).length).toBeGreaterThan(0);
    expect((await post(hub, "/standby/history", key, { from: 0, most: 10, kinds: [] })).length).toBeGreaterThan(0);
  });

  test("requests that are none are refused", async () => {
    const key = await pair(hub, MACHINE, true);
    for (const body of [{}, { machine: MACHINE, version: "1", promiseMs: 0, have: { journals: { a: 1 } } }, []])
      await expect(post(hub, "/standby/sync", key, body)).rejects.toThrow("400");
    await expect(post(hub, "/standby/history", key, { from: 0, most: 0 })).rejects.toThrow("400");
    const journals = { "../../etc/passwd": { bytes: 9, hash: "0" } };
    const request = {
      ...assembleCopy(folder.at("odd"), MACHINE).request(),
      have: { journals, files: "x", state: "y" },
    };
    const answer = await asking(hub, key)(request);
    expect(Buffer.from(Bun.zstdDecompressSync(answer as Uint8Array<ArrayBuffer>)).toString()).not.toContain("root:");
  });
});
