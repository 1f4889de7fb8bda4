// A rule and a scene that were written for a virtual light do the same with a Zigbee one, unchanged.
import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { tunableLight } from "../../../plugins/virtual/devices/light.ts";
import { problemsOf } from "../../../plugins/virtual/simulated.ts";
import { startCommandWatch } from "../../../src/house/state/commands/command-watch.ts";
import { createCommands } from "../../../src/house/state/commands/commands.ts";
import { openScenes } from "../../../src/house/state/commands/scenes.ts";
import { openRegistry } from "../../../src/house/state/registry.ts";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import type { JsonObject } from "../../../src/kit/schema/json.ts";
import { actions } from "../../../src/rules/actions/index.ts";
import { conditions } from "../../../src/rules/conditions/index.ts";
import { createRuleExpressions } from "../../../src/rules/read/expressions.ts";
import { type Rule, readRule } from "../../../src/rules/read/rule.ts";
import { triggers } from "../../../src/rules/triggers/index.ts";
import type { HubEvent } from "../../../src/server/events/catalog.ts";
import { openRig as openRules } from "../../rules/engine/rig.ts";
import { openTestState } from "../../support/state-db.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { createRig } from "./rig.ts";
import { answer, LAMP, takeLamp } from "./zigbee-lamp.ts";

const { evaluate, check } = createRuleExpressions();
const ANN = { kind: "user", id: "u1", name: "ann" };

function read(value: JsonObject): Rule {
  const { rule, problems } = readRule(value, check);
  if (!rule) throw new Error(JSON.stringify(problems));
  return rule;
}

const motion = read({
  ...{ id: "motion", name: "Light on motion" },
  trigger: { type: "device_state_changed", device_id: "motion", attribute: "motion", to: true },
  conditions: [{ type: "device_state", device_id: "lamp", attribute: "on", op: "Eq", value: false }],
  actions: [
    { type: "set_device_state", device_id: "lamp", state: { on: true, brightness_pct: 40, color_temp_k: 2700 } },
  ],
});
const bright = read({
  ...{ id: "bright", name: "Red when it is bright" },
  trigger: { type: "numeric_threshold", device_id: "lamp", attribute: "brightness_pct", above: 70 },
  conditions: [{ type: "device_state", device_id: "lamp", attribute: "color_temp_k", op: "Gt", value: 3900 }],
  actions: [{ type: "set_device_state", device_id: "lamp", state: { color_rgb: "#ff0000" } }],
});
const EVENING = { lamp: { on: true, brightness_pct: 80, color_temp_k: 4000 } };

interface Light extends Disposable {
  readonly schema: JsonObject;
  attributes(): JsonObject;
  command(wanted: JsonObject): Promise<void>;
}

function virtualLight(): Light {
  const world = { seed: 1, batteryDrainPctPerDay: 0, randomEvents: false };
  let state = tunableLight.initial(0, world);
  const plain = <T>(value: T) => JSON.parse(JSON.stringify(value)) as JsonObject;
  return {
    schema: plain(tunableLight.capabilities),
    attributes: () => plain(tunableLight.attributes(state)),
    async command(wanted) {
      const problems = [...problemsOf(wanted, tunableLight), tunableLight.objection?.(wanted) ?? []].flat();
      if (problems.length > 0) throw new Error(problems.join("; "));
      state = tunableLight.apply(state, wanted, 0);
    },
    [Symbol.dispose]() {},
  };
}

async function zigbeeLight(): Promise<Light & { wire: JsonObject[] }> {
  const rig = createRig();
  await takeLamp(rig);
  const wire: JsonObject[] = [];
  return {
    wire,
    schema: rig.registry.get(LAMP).details.schema ?? {},
    attributes: () => rig.registry.get(LAMP).attributes,
    async command(wanted) {
      await rig.discovery.command(LAMP, wanted);
      wire.push(...answer(rig));
    },
    [Symbol.dispose]: () => rig[Symbol.dispose](),
  };
}

/** A house in which this light is `lamp`, with rules and scenes. */
function houseWith(light: Light) {
  const stack = new AsyncDisposableStack();
  const rules = stack.use(openRules({ vocabulary: { triggers, conditions, actions }, evaluate }));
  const { clock } = rules;
  const db = stack.use(openTestState(stack.use(createTemporaryFolder()).at("state.redb"), clock.now));
  const failures: HubEvent[] = [];
  function emit(event: HubEvent): void {
    if (event.type === "device_state_changed")
      rules.report(
        event.device_id,
        Object.fromEntries(event.changed.map((name) => [name, event.current[name]])) as never,
      );
    if (event.type === "device_command_failed") failures.push(event);
  }
  const registry = stack.use(openRegistry({ db, clock, log: silentLog, emit, flushSecs: 1 }));
  const report = () => registry.state("lamp", light.attributes(), { pluginId: "lights", partial: true });
  const commands = createCommands({
    ...{ registry, clock, random: randomBytes, emit, reaches: () => true, prepare: () => () => {} },
    async dispatch(_, { _hc, ...wanted }) {
      await light.command(wanted);
      report();
    },
    watch: stack.use(startCommandWatch({ registry, clock, log: silentLog, emit, timeoutSecs: 10 })),
  });
  registry.schema("lamp", light.schema, "lights");
  report();
  rules.report("motion", { motion: false });
  rules.onCommand(async (id, command) => void (await commands.send(id, command, ANN)));
  rules.begin(motion, bright);
  const scenes = openScenes({ db, registry, commands, clock, random: randomBytes, log: silentLog, emit });
  scenes.create({ id: "evening", name: "Evening", states: EVENING });
  return { rules, registry, scenes, failures, clock, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

test.each([
  ["virtual", virtualLight],
  ["Zigbee", zigbeeLight],
] as const)("the rules and the scene with a %s light", async (_, make) => {
  using light = await make();
  await using house = houseWith(light);
  const { rules, scenes, registry, clock } = house;
  const lamp = () => {
    const { on, brightness_pct, color_temp_k, color_rgb } = registry.get("lamp").attributes;
    return { on, brightness_pct, color_temp_k, color_rgb };
  };
  rules.report("motion", { motion: true });
  await clock.advance(0);
  expect(rules.last("motion")).toStartWith("fired");
  // The light itself counts in mireds: 2700 K are 370 of them, and those are 2703 K.
  expect(lamp()).toMatchObject({ on: true, brightness_pct: 40, color_temp_k: 2703 });
  expect(rules.last("bright")).not.toStartWith("fired");

  expect(await scenes.activate("evening", ANN)).toMatchObject({ sent: [{ device_id: "lamp" }], failed: [] });
  await clock.advance(0);
  expect(lamp()).toMatchObject({ on: true, brightness_pct: 80, color_temp_k: 4000, color_rgb: "#ff0000" });
  expect(rules.last("bright")).toStartWith("fired");
  await clock.advance(60_000);
  expect(house.failures).toEqual([]);
});

test("what the Zigbee lamp was sent is what its bridge expects", async () => {
  using light = await zigbeeLight();
  await using house = houseWith(light);
  house.rules.report("motion", { motion: true });
  await house.clock.advance(0);
  await house.scenes.activate("evening", ANN);
  await house.clock.advance(0);
  expect(light.wire).toEqual([
    { state: "ON", brightness: 102, color_temp: 370 },
    { state: "ON", brightness: 203, color_temp: 250 },
    { color: { r: 255, g: 0, b: 0 } },
  ]);
});

test("a scene that is captured from either brings it back, with each thing said once", async () => {
  for (const make of [virtualLight, zigbeeLight]) {
    using light = await make();
    await using house = houseWith(light);
    const { scenes, registry } = house;
    await scenes.activate("evening", ANN);
    const states = scenes.presentStates(["lamp"]);
    expect(states.lamp).toMatchObject({ on: true, brightness: 203, color_temp: 250 });
    expect(Object.keys(states.lamp ?? {})).not.toContain("brightness_pct");
    const before = registry.get("lamp").attributes;
    scenes.create({ id: "now", name: "Now", states });
    await light.command({ on: false });
    expect(await scenes.activate("now", ANN)).toMatchObject({ failed: [] });
    expect(registry.get("lamp").attributes).toMatchObject({ on: true, brightness_pct: before.brightness_pct ?? 0 });
  }
});
