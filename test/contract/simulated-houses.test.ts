// Whatever a rule is made of, a simulation of it touches the real house only to read it. Every trigger, condition, action and function
// of expressions there is runs in the house of a test and in that of a replay. What they have of the real one notes whatever else is
// asked of it. That the same actions in a real house use each of its effects shows that they would be noted.
import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { createSun } from "../../src/kit/time/sun.ts";
import { actions } from "../../src/rules/actions/index.ts";
import { conditions } from "../../src/rules/conditions/index.ts";
import { createEnvironment } from "../../src/rules/expression/environment.ts";
import { registerRuleFunctions } from "../../src/rules/expression/rule-functions.ts";
import type { Typed } from "../../src/rules/model/define.ts";
import type { Kind } from "../../src/rules/model/fields.ts";
import type { HouseEffects, HouseReads } from "../../src/rules/model/host.ts";
import { createRuleExpressions } from "../../src/rules/read/expressions.ts";
import { referencesOf } from "../../src/rules/read/references.ts";
import { createPastHouse } from "../../src/rules/replay/past-house.ts";
import { replayRule } from "../../src/rules/replay/replay.ts";
import { createSimulatedClock } from "../../src/rules/replay/simulated-clock.ts";
import { createSimulatedEngine } from "../../src/rules/replay/simulated-engine.ts";
import { createTestHouse } from "../../src/rules/replay/test-house.ts";
import { testRule } from "../../src/rules/replay/test-run.ts";
import { triggers } from "../../src/rules/triggers/index.ts";
import { catalog, type HubEvent } from "../../src/server/events/catalog.ts";
import { createHouse } from "../rules/support/host.ts";
import { allTypes, ruleOf, samplesOf, THINGS } from "./rule-samples.ts";

const READS = {
  ...{ device: true, devices: true, described: true, presentStates: true, variable: true, mode: true, hasScene: true },
  ...{ hasArea: true, hasChannel: true, now: true, random: true, zone: true, calendars: true, sun: true },
} satisfies Record<keyof HouseReads, true>;
const EFFECTS = {
  ...{ setVariable: true, command: true, activateScene: true, notify: true, clearNotification: true, publish: true },
  ...{ request: true, ping: true, emit: true, notifyPlugins: true },
} satisfies Record<keyof HouseEffects, true>;

const MOVE: Typed = { type: "set_device_state", device_id: "lamp", state: { on: true } };
const NOW = Date.parse("2026-01-15T12:00:00Z");
const HOUR_MS = 3_600_000;
const expressions = createRuleExpressions();
const common = {
  random: (bytes: number) => randomBytes(bytes),
  vocabulary: { triggers, conditions, actions },
  evaluate: expressions.evaluate,
  hasRule: (id: string) => THINGS.rule.includes(id),
};

/** The real house, which notes what is asked of it that is no reading. */
function watchedHouse() {
  const touched = new Set<string>();
  const house = createHouse({ sun: createSun({ latitude: 52.5, longitude: 13.4 }) });
  const found = { area: "hall", tags: ["downstairs"], deviceType: "light" };
  house.put("lamp", { ...found, attributes: { on: false, brightness: 10, temperature: 20 }, lastChanged: { on: NOW } });
  house.put("kettle", { deviceType: "timer", attributes: { state: "idle", duration_secs: 60 } });
  house.put("away", { deviceType: "mode", attributes: { on: false } });
  house.modes.set("away", false);
  house.variables.set("count", 1).set("step", 2);
  house.scenes.add("evening");
  const watched = new Proxy<typeof house>(house, {
    get(target, key) {
      if (!Object.hasOwn(READS, key)) touched.add(String(key));
      return Reflect.get(target, key);
    },
    set(_, key) {
      touched.add(`${String(key)} =`);
      return false;
    },
  });
  const standing = (): string => {
    const variables = [...house.variables];
    const modes = [...house.modes];
    return JSON.stringify({ devices: [...house.devices()], variables, modes, done: house.done });
  };
  return { watched, touched, standing, clock: house.clock };
}

const sampled = allTypes.map(({ kind, type }) => ({ kind, type, samples: samplesOf(kind, type) }));

/** With one sample of what it is about. */
function ruleAbout(kind: Kind, sample: Typed) {
  const asked = [{ type: "conditional", conditions: [sample], then_actions: [MOVE], else_actions: [MOVE] }];
  const daily: Typed = { type: "time_of_day", time: "11:30" };
  const rule = ruleOf({
    triggers: kind === "trigger" ? [sample, daily] : [daily],
    actions: kind === "action" ? [sample] : kind === "condition" ? asked : [MOVE],
  });
  if (!rule) throw new Error(`${kind} ${sample.type} makes no rule`);
  return { rule, references: referencesOf(rule).map(({ kind, name, path }) => ({ kind, name, path })) };
}

/** All events there are, one after the other: what waits receives them. */
const changes = catalog.map(({ type, example }, index) => ({
  afterSecs: index + 1,
  event: { ...example, type, device_id: "lamp" } as unknown as HubEvent,
}));

/** Reported once a minute, for half an hour around the trigger. */
const history = {
  async query({ deviceId, from, to }: { deviceId: string; from: number; to: number }) {
    const samples = Array.from({ length: 30 }, (_, minute) => NOW - HOUR_MS + minute * 60_000)
      .filter((at) => deviceId === "lamp" && at >= from && at < to)
      .map((at, index) => ({ timestamp: new Date(at).toISOString(), attribute: "on", value: index % 2 === 0 }));
    return { text: JSON.stringify(samples), next: undefined };
  },
};

describe.each(sampled)("$kind $type", ({ kind, samples }) => {
  test("leaves the real house alone in a test", async () => {
    const { watched, touched, standing, clock } = watchedHouse();
    const before = standing();
    for (const sample of samples) {
      const { trace } = await testRule({ ...ruleAbout(kind, sample), ...common, house: watched, clock }, { changes });
      expect({ sample, outcome: trace.outcome }).toEqual({ sample, outcome: "fired" });
      expect({ sample, touched: [...touched], standing: standing() }).toEqual({
        sample,
        touched: [],
        standing: before,
      });
    }
    expect(samples.length).toBeGreaterThan(0);
  });

  test("leaves it alone in a replay", async () => {
    const { watched, touched, standing, clock } = watchedHouse();
    const before = standing();
    for (const sample of samples) {
      const period = { from: NOW - HOUR_MS, to: NOW, history, withoutSecrets: false };
      const { firings } = await replayRule({ ...ruleAbout(kind, sample), ...common, house: watched, clock }, period);
      expect({ sample, fired: firings.length > 0 }).toEqual({ sample, fired: true });
      expect({ sample, touched: [...touched], standing: standing() }).toEqual({
        sample,
        touched: [],
        standing: before,
      });
    }
  });
});

/** A call of each function of expressions, with values of the types that it takes. */
function callsOfFunctions(): string[] {
  const nothing = (): never => {
    throw new Error("is not being evaluated");
  };
  const environment = createEnvironment(nothing);
  registerRuleFunctions(environment, nothing);
  const values: Readonly<Record<string, string>> = {
    ...{ string: "'lamp'", int: "1", double: "1.5", bool: "true", dyn: "1", list: "[1, 2]", map: "{'on': true}" },
    ...{ "google.protobuf.Timestamp": "now()", "google.protobuf.Duration": "duration('1s')", bytes: "b'x'" },
  };
  const functions = environment.getDefinitions().functions.filter(({ receiverType }) => !receiverType);
  return functions.map(({ name, params }) => `${name}(${params.map(({ type }) => values[type] ?? "1").join(", ")})`);
}

test("no function of expressions leads out of a simulated house", () => {
  const { watched, touched, standing } = watchedHouse();
  const before = standing();
  const clock = createSimulatedClock(NOW);
  const test = createTestHouse({ house: watched, clock, receive() {}, unknown() {} });
  const past = createPastHouse({ house: watched, deviceIds: new Set(["lamp"]), now: clock.now, unknown() {} });
  const calls = callsOfFunctions();
  expect(calls).toContain("device_state('lamp')");
  for (const call of calls) {
    for (const { host } of [test, past]) {
      try {
        expressions.evaluate(call, host, { trigger: {}, vars: {} });
      } catch {
        // A value of the right type need not be one that the function takes.
      }
    }
    expect({ call, touched: [...touched], standing: standing() }).toEqual({ call, touched: [], standing: before });
  }
});

test("in the real house the same actions would use each of its effects", async () => {
  const { watched, touched } = watchedHouse();
  for (const sample of sampled.filter(({ kind }) => kind === "action").flatMap(({ samples }) => samples)) {
    const { rule } = ruleAbout("action", sample);
    const clock = createSimulatedClock(NOW);
    const engine = createSimulatedEngine({ ...common, rule, host: watched, clock, listens: false });
    engine.consider({ type: "manual_trigger", label: "by hand", context: {}, chain: [] });
    await engine.settle(({ counts }) => (counts.steps > 100 ? "enough" : undefined));
    for (const run of engine.running) engine.end(run, "it waits");
  }
  const unused = Object.keys(EFFECTS).filter((effect) => !touched.has(effect));
  expect(unused).toEqual([]);
});
