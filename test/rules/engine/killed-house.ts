// A process with the real engine and actions that is killed again and again: see killed.test.ts. `begin` fires every rule once.
// It writes what the rules do into a file, and says when all that waits is on disk, and when nothing runs any more. With
// `journal` runs are noted there, as in a hub, and checkpointed into their rows all the time; with `rows` there is none.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { openReadings } from "../../../src/app/hub/open-readings.ts";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import type { Json, JsonObject } from "../../../src/kit/schema/json.ts";
import { systemClock } from "../../../src/kit/time/clock.ts";
import { createZone } from "../../../src/kit/time/zone.ts";
import { actions } from "../../../src/rules/actions/index.ts";
import { conditions } from "../../../src/rules/conditions/index.ts";
import { Engine } from "../../../src/rules/engine/engine.ts";
import type { RuleDevice, RuleHost } from "../../../src/rules/model/host.ts";
import { createRuleExpressions } from "../../../src/rules/read/expressions.ts";
import { readRule } from "../../../src/rules/read/rule.ts";
import { triggers } from "../../../src/rules/triggers/index.ts";
import { readJournalTail } from "../../../src/server/db/readings.ts";
import { openStateDb } from "../../../src/server/db/state-db.ts";
import { createEventFeed } from "../../../src/server/events/feed.ts";
import { randomOf } from "../../support/campaign.ts";
import { until } from "../../support/wait.ts";
import { RULES, TIMES } from "./killed-rules.ts";

const [folder = "", how, keptIn] = process.argv.slice(2);
const CHECKPOINT_WITHIN_MS = 40;
const clock = systemClock;
const stateDb = join(folder, "state.redb");
const db = openStateDb(stateDb, clock.now);
db.own.run("CREATE TABLE IF NOT EXISTS said (message TEXT NOT NULL)");
const waiting = new Set<() => void>();
const budget = {
  allows: () => true,
  enlist(flush: () => void) {
    waiting.add(flush);
    return { [Symbol.dispose]: () => void waiting.delete(flush) };
  },
};
const common = { clock, log: silentLog, budget };
const journal =
  keptIn === "journal" ? openReadings({ ...common, db, stateDb, flushSecs: 1 }, new AsyncDisposableStack()) : undefined;
const feed = createEventFeed({ clock, log: silentLog, buffer: 100, mark: { load: () => 0, save() {} } });
const did = (line: string): void => appendFileSync(join(folder, "done"), `${line}\n`);

const lamp: RuleDevice = {
  ...{ id: "lamp", name: "lamp", area: undefined, deviceType: undefined, tags: [], available: true },
  attributes: { brightness: 0, on: true },
  lastChanged: {},
};
const variables = new Map<string, Json>([["never", false]]);
const host: RuleHost = {
  device: (id) => ({ ...lamp, id }),
  devices: () => [lamp],
  random: () => 0.5,
  variable: (name) => variables.get(name),
  setVariable: (name, value) => did(`variable ${name} ${JSON.stringify(value)}`),
  mode: () => undefined,
  hasScene: () => false,
  hasArea: () => false,
  hasChannel: () => true,
  clearNotification: () => false,
  async command(id: string, command: JsonObject) {
    // A command takes its time, in which the house may be killed; so does a notification.
    await Bun.sleep(1);
    did(`command ${id} ${JSON.stringify(command)}`);
  },
  described: () => undefined,
  presentStates: (ids) => Object.fromEntries(ids.map((id) => [id, { on: true }])),
  activateScene: async () => {},
  async notify({ message }, _signal, record) {
    db.own
      .transaction(() => {
        db.own.run("INSERT INTO said (message) VALUES (?)", [message]);
        record?.();
      })
      .immediate();
    await Bun.sleep(2);
    return { notes: [] };
  },
  publish: async () => {},
  request: async () => ({ status: 200, body: "" }),
  ping: async () => ({ reachable: true }),
  emit: (event) => feed.emit(event),
  notifyPlugins() {},
  now: clock.now,
  calendars: undefined,
  zone: createZone("UTC"),
  sun: undefined,
};

feed.on("*", "test", ({ event }) => {
  if (event.type === "rule_run_ended") did(`${event.type} ${event.rule_id} ${event.reason}`);
  if (event.type === "action_failed") did(`${event.type} ${event.rule_id} ${event.action_type}`);
});
const expressions = createRuleExpressions();
const random = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes));
const engine = new Engine({
  ...{ ...common, feed, random, host, db, journal, evaluate: expressions.evaluate },
  vocabulary: { triggers, conditions, actions },
});
for (const written of RULES) {
  const { rule, problems } = readRule(written, expressions.check);
  if (!rule) throw new Error(JSON.stringify(problems));
  engine.put(rule);
}
engine.ready();
if (how === "begin") for (const { id } of RULES) for (let times = TIMES(id); times > 0; times--) void engine.run(id);
const checkpoints = randomOf("checkpoints");
function checkpointSoon(): void {
  setTimeout(() => {
    for (const flush of waiting) flush();
    checkpointSoon();
  }, checkpoints.below(CHECKPOINT_WITHIN_MS));
}
if (journal) checkpointSoon();
const rows = db.durable.query<{ id: string; rule_id: string }, []>("SELECT id, rule_id FROM rule_runs");
const written = new Map<string, Set<string>>(RULES.map(({ id }) => [id, new Set()]));
await until(
  "all that waits is on disk",
  () => {
    for (const { id, rule_id } of rows.all()) written.get(rule_id)?.add(id);
    for (const { run, rule = "" } of readJournalTail(stateDb, db.durable).segments.flatMap(({ runs }) => runs))
      written.get(rule)?.add(run);
    return how !== "begin" || RULES.every(({ id }) => (written.get(id)?.size ?? 0) >= TIMES(id));
  },
  { everyMs: 2 },
);
process.stdout.write("on disk\n");
const isQuiet = (): boolean => RULES.every(({ id }) => engine.runs(id).length === 0);
await until("nothing runs any more", isQuiet, { everyMs: 5 });
process.stdout.write("over\n");
process.exit();
