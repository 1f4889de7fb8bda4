// The compiled hub starts from a standby's copy as after a kill: devices, accounts, rules, runs that wait, timers, and the history with
// each sample once.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Copy, openCopy } from "../../src/copies/standby/copy/copy.ts";
import { silentLog } from "../../src/kit/lifecycle/log.ts";
import { journalIdOf } from "../../src/server/db/readings.ts";
import { type Home, homeAt } from "../../src/server/home/paths.ts";
import { type Answers, createAnswers, schemas } from "../copies/standby/copy/answers.ts";
import { createHubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { until } from "../support/wait.ts";

const README = readFileSync(join(import.meta.dir, "../../README.md"), "utf8");
const [, RULE = ""] = /^```ron\n(\(\n {4}id: "door-light".*?)^```$/ms.exec(README) ?? [];
const SAMPLES = 5600;

/** Answers from the files of a home whose hub works. */
function answersOf(home: Home, stack: DisposableStack): Answers {
  const connect = (path: string): Database => stack.adopt(new Database(path, { readwrite: true }), (db) => db.close());
  const [db, history] = [connect(home.stateDb), connect(home.historyDb)];
  for (const one of [db, history]) one.run("PRAGMA busy_timeout = 10000");
  const id = journalIdOf(db.query<{ application_id: number }, []>("PRAGMA application_id").get()?.application_id ?? 0);
  const files = () => {
    const paths = ["config", "rules", "plugins/virtual"].flatMap((folder) =>
      [...new Bun.Glob("**/*").scanSync({ cwd: join(home.root, folder) })].map((path) => `${folder}/${path}`),
    );
    return new Map(
      paths
        .filter((path) => !path.includes("/logs/"))
        .map((path) => {
          const file = join(home.root, path);
          return [path, { content: readFileSync(file), mode: statSync(file).mode & 0o777 }];
        }),
    );
  };
  return createAnswers({ home, db, history, id, files, maxFiles: 50 });
}

function sync(copy: Copy, source: Answers): void {
  for (let again = true; again; ) {
    const { more, asked } = copy.apply(source.answer(copy.have()));
    again = more || asked;
  }
  for (let more = true; more; ) more = copy.applyHistory(source.historyAnswer(copy.historyRequest(), 1000)).isMore;
}

const samplesOf = async (hub: HubProcess): Promise<number[]> =>
  (await hub.get<{ value: number }[]>("/devices/meter/history?attribute=n&limit=10000")).map(({ value }) => value);

test("the hub starts from the copy of one that was killed", async () => {
  await using place = createHubPlace({
    toml: '[[plugins]]\nid = "virtual"\nbinary = "plugins/virtual/bin/virtual.js"\nenabled = true\n',
  });
  place.put("rules/door-light.ron", RULE.replace("Delay(10)", "Delay(900)"));
  await using other = createHubPlace(null);
  const first = await place.start();
  const client = await first.mqtt();
  using stack = new DisposableStack();
  const home = homeAt(other.home);
  mkdirSync(home.data, { recursive: true });
  const source = answersOf(homeAt(place.home), stack);
  const copy = openCopy({ home, clock: createVirtualClock(), log: silentLog, schemas });
  const report = async (from: number, to: number): Promise<void> => {
    for (let n = from; n <= to; n++) {
      const message = JSON.stringify({ n });
      await client.publishAsync("hub/devices/meter/state", message, { qos: n % 100 === 0 || n === to ? 1 : 0 });
    }
  };
  await report(1, 400);
  sync(copy, source);
  // As many as are checkpointed at once, and some that stay in the journal.
  await report(401, SAMPLES - 1);
  const reportedAt = Date.now();
  await report(SAMPLES, SAMPLES);
  await until(
    "the door is there",
    async () => (await first.request("GET", "/devices/virtual_front_door")).status === 200,
  );
  await first.request("PATCH", "/devices/virtual_front_door/state", { body: { open: true } });
  const run = await until(
    "the rule waits",
    async () => (await first.get<{ id: string }[]>("/rules/door-light/runs"))[0],
  );
  const user = { username: "erika", password: "a long password of hers", role: "user" };
  expect((await first.request("POST", "/auth/users", { body: user })).status).toBe(201);
  await until("all is recorded", async () => (await samplesOf(first)).length === SAMPLES);
  const devices = (await first.get<{ id: string }[]>("/devices")).map(({ id }) => id).sort();
  const rules = (await first.get<{ id: string }[]>("/rules")).map(({ id }) => id).sort();
  await until("the copy has all of it", () => {
    sync(copy, source);
    return copy.status().historyThrough >= reportedAt;
  });
  first.kill("SIGKILL");
  await first.exited;
  expect(await copy.verify()).toBeUndefined();
  expect(copy.status()).toMatchObject({ isComplete: true, devices: devices.length, problem: undefined });
  copy.prepareStart();

  const token = await first.adminToken();
  const second = await other.start();
  const read = async <T>(path: string): Promise<T> => (await second.request("GET", path, { token })).json<T>();
  expect((await read<{ id: string }[]>("/devices")).map(({ id }) => id).sort()).toEqual(devices);
  expect((await read<{ id: string }[]>("/rules")).map(({ id }) => id).sort()).toEqual(rules);
  expect((await second.login(user.username, user.password)).status).toBe(200);
  expect(await read("/rules/door-light/runs")).toMatchObject([{ id: run.id }]);
  const samples = await read<{ value: number }[]>("/devices/meter/history?attribute=n&limit=10000");
  expect(samples.map(({ value }) => value)).toEqual(Array.from({ length: SAMPLES }, (_, index) => index + 1));
  expect(await read("/devices/meter")).toMatchObject({ attributes: { n: SAMPLES } });
  expect(second.output).not.toContain("cannot be read");
  expect(second.output).not.toContain("was replaced");
});
