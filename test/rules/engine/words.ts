// A few triggers, conditions and actions, so that the tests of the engine do not depend on the real ones.
import { type TProperties, Type } from "@sinclair/typebox";
import { HubError } from "../../../src/kit/schema/errors.ts";
import { type Json, type JsonObject, jsonEqual } from "../../../src/kit/schema/json.ts";
import {
  type ActionDefinition,
  type ActionScope,
  type ConditionDefinition,
  type ConditionScope,
  defineAction,
  defineCondition,
  defineTrigger,
  type TriggerDefinition,
  type Typed,
} from "../../../src/rules/model/define.ts";
import type { HouseReads } from "../../../src/rules/model/host.ts";

const doc = "for tests";
const Any = Type.Unsafe<Json>(Type.Unknown());
const Actions = Type.Unsafe<Typed[]>(Type.Unknown());

/** `trigger.value`, `vars.n < 3`, `state.door.open`, and plain JSON: enough of a language for tests. */
export function evaluate(text: string, host: HouseReads, names: { trigger: JsonObject; vars: JsonObject }): Json {
  const [left = "", op, right = ""] = text.split(" ");
  if (op === "<") return Number(operand(left, host, names)) < Number(operand(right, host, names));
  if (op === "==") return jsonEqual(operand(left, host, names), operand(right, host, names));
  return operand(left, host, names);
}

function operand(text: string, host: HouseReads, names: { trigger: JsonObject; vars: JsonObject }): Json {
  const [root = "", first = "", second = ""] = text.split(".");
  if (root === "trigger" || root === "vars") return names[root][first] ?? null;
  if (root === "hub") return host.variable(first) ?? null;
  if (root !== "state") return JSON.parse(text) as Json;
  const device = host.device(first);
  if (!device) throw new HubError("invalid", `${text}: there is no device "${first}"`);
  return device.attributes[second] ?? null;
}

const changes = defineTrigger({
  type: "changes",
  doc,
  fields: {
    device: Type.String(),
    attribute: Type.String(),
    to: Type.Optional(Any),
    for_secs: Type.Optional(Type.Number()),
  },
  label: ({ device, attribute, to }) => `${device}.${attribute} ${to === undefined ? "changed" : `is ${to}`}`,
  interests: ({ device }) => [{ event: "device_state_changed", deviceId: device }],
  match({ device, attribute, to }, { event }) {
    if (event.type !== "device_state_changed") return undefined;
    const { changed, current } = event as unknown as { changed: string[]; current: JsonObject };
    const value = current[attribute] ?? null;
    if (!changed.includes(attribute) || (to !== undefined && !jsonEqual(to, value))) return undefined;
    return { device_id: device, attribute, value };
  },
  hold: {
    durationMs: ({ for_secs }) => (for_secs === undefined ? undefined : for_secs * 1000),
    stillMatches: ({ device, attribute }, { value }, host: Pick<HouseReads, "device">) =>
      jsonEqual(host.device(device)?.attributes[attribute], value),
  },
  example: {},
});

/** Custom events. */
const receives = defineTrigger({
  type: "hears",
  doc,
  fields: { event: Type.String() },
  label: ({ event }) => `${event} was heard`,
  interests: ({ event }) => [{ event: `custom_${event}` }],
  match: (_, { event }) => {
    const { type: _type, seq: _seq, timestamp: _timestamp, ...fields } = event as unknown as JsonObject;
    return fields;
  },
  example: {},
});

const variable = defineTrigger({
  type: "variable",
  doc,
  fields: { name: Type.String() },
  label: ({ name }) => `${name} was written`,
  interests: ({ name }) => [{ event: "hub_variable_changed", where: { field: "name", value: name } }],
  match: (_, { event }) => ({ value: (event as unknown as { value: Json }).value }),
  example: {},
});

const topic = defineTrigger({
  type: "topic",
  doc,
  fields: {},
  label: () => "anything on MQTT",
  interests: () => [{ event: "mqtt_message" }],
  match: (_, { event }) => ({ topic: (event as unknown as { topic: string }).topic }),
  example: {},
});

const trips = defineTrigger({
  type: "trips",
  doc,
  fields: {},
  label: () => "it trips",
  interests: () => [{ event: "custom_trip" }],
  match: () => {
    throw new Error("this trigger is broken");
  },
  example: {},
});

const ticks = defineTrigger({
  type: "ticks",
  doc,
  fields: { every_secs: Type.Number() },
  label: ({ every_secs }) => `every ${every_secs} s`,
  schedule: ({ every_secs }) => ({
    next: (after) => (Math.floor(after / (every_secs * 1000)) + 1) * every_secs * 1000,
  }),
  example: {},
});

const is = defineCondition({
  type: "is",
  doc,
  fields: () => ({ device: Type.String(), attribute: Type.String(), value: Any }),
  evaluate({ device, attribute, value }, { host }: ConditionScope<"device">) {
    const actual = host.device(device)?.attributes[attribute] ?? null;
    return { passed: jsonEqual(actual, value), expected: `${device}.${attribute} is ${JSON.stringify(value)}`, actual };
  },
  example: {},
});

const breaks = defineCondition({
  type: "breaks",
  doc,
  fields: () => ({}),
  evaluate: () => {
    throw new Error("this condition is broken");
  },
  example: {},
});

const set = defineAction({
  type: "set",
  doc,
  whenInterrupted: () => "repeat",
  fields: () => ({ device: Type.String(), state: Type.Unsafe<JsonObject>(Type.Unknown()) }),
  async run({ device, state }, { host, actor }: ActionScope<"command">) {
    await host.command(device, state, actor);
    return `${device} ${JSON.stringify(state)}`;
  },
  example: {},
});

/** Must not be done twice. */
const once = defineAction({
  type: "once",
  doc,
  whenInterrupted: () => "skip",
  fields: () => ({ device: Type.String() }),
  async run({ device }, { host, actor }: ActionScope<"command">) {
    await host.command(device, {}, actor);
    return undefined;
  },
  example: {},
});

const captures = defineAction({
  type: "captures",
  doc,
  whenInterrupted: () => "resume",
  fields: () => ({ key: Type.String() }),
  run({ key }, { captured }) {
    captured.set(key, { lamp: { on: true } });
    return undefined;
  },
  example: {},
});

const shows = defineAction({
  type: "shows",
  doc,
  whenInterrupted: () => "repeat",
  fields: () => ({ key: Type.String() }),
  async run({ key }, { host, actor, captured }: ActionScope<"command">) {
    await host.command("shown", { ...captured.get(key) }, actor);
    return undefined;
  },
  example: {},
});

const fires = defineAction({
  type: "fires",
  doc,
  whenInterrupted: () => "skip",
  fields: () => ({ event: Type.String(), fields: Type.Optional(Type.Unsafe<JsonObject>(Type.Unknown())) }),
  run({ event, fields }, { host }: ActionScope<"emit">) {
    host.emit({ type: `custom_${event}`, ...fields });
    return undefined;
  },
  example: {},
});

const writes = defineAction({
  type: "writes",
  doc,
  whenInterrupted: () => "repeat",
  fields: () => ({ name: Type.String(), value: Type.String() }),
  run({ name, value }, scope: ActionScope<"setVariable">) {
    scope.host.setVariable(name, scope.evaluate(value));
    return undefined;
  },
  example: {},
});

const counts = defineAction({
  type: "counts",
  doc,
  whenInterrupted: () => "repeat",
  fields: () => ({ name: Type.String() }),
  run({ name }, { vars }) {
    vars[name] = Number(vars[name] ?? 0) + 1;
    return `${name} = ${vars[name]}`;
  },
  example: {},
});

const fails = defineAction({
  type: "fails",
  doc,
  whenInterrupted: () => "repeat",
  fields: () => ({ late: Type.Optional(Type.Boolean()) }),
  run({ late }) {
    if (late) return Promise.reject(new Error("it failed late"));
    throw new Error("it failed");
  },
  example: {},
});

/** What it hands over does not get through, as is known when the command to "post" is answered. */
const sends = defineAction({
  type: "sends",
  doc,
  whenInterrupted: () => "repeat",
  fields: () => ({ waits: Type.Boolean() }),
  run({ waits }, scope: ActionScope<"command">) {
    const posted = scope.host.command("post", {}, scope.actor);
    void posted.then(() => scope.undelivered({ why: "no network", waits }));
    return "sent";
  },
  example: {},
});

const delay = defineAction({
  type: "delay",
  doc,
  whenInterrupted: () => "resume",
  fields: () => ({ secs: Type.Number(), key: Type.Optional(Type.String()) }),
  async run({ secs, key }, scope) {
    return (await scope.delay(secs * 1000, key)) ? `${secs} s` : "cancelled";
  },
  example: {},
});

const parallel = defineAction({
  type: "parallel",
  doc,
  whenInterrupted: () => "resume",
  fields: () => ({ actions: Actions }),
  async run({ actions }, scope) {
    await Promise.all(actions.map((action, slot) => scope.run([action], slot)));
    return undefined;
  },
  example: {},
});

const loops = defineAction({
  type: "loops",
  doc,
  whenInterrupted: () => "resume",
  fields: () => ({ while: Type.String(), actions: Actions }),
  async run(spec, scope) {
    const resumed = scope.resumed();
    for (let turn = Number(resumed ?? 0); turn === resumed || scope.isTrue(spec.while); turn++) {
      scope.progress(turn);
      scope.turn();
      await scope.run(spec.actions);
    }
    return undefined;
  },
  example: {},
});

const awaits = defineAction({
  type: "awaits",
  doc,
  whenInterrupted: () => "resume",
  fields: () => ({ event: Type.String(), secs: Type.Optional(Type.Number()) }),
  async run({ event, secs }, scope) {
    const found = await scope.waitForEvent({
      event: `custom_${event}`,
      timeoutMs: secs === undefined ? undefined : secs * 1000,
    });
    return found ? "it came" : "it did not come";
  },
  example: {},
});

const untils = defineAction({
  type: "untils",
  doc,
  whenInterrupted: () => "resume",
  fields: () => ({ expression: Type.String(), secs: Type.Optional(Type.Number()) }),
  run: async ({ expression, secs }, scope) =>
    (await scope.waitUntil(expression, secs === undefined ? undefined : secs * 1000))
      ? "it was true"
      : "it was never true",
  example: {},
});

/** Continues after its run is over. */
const stubborn = defineAction({
  type: "stubborn",
  doc,
  whenInterrupted: () => "resume",
  fields: () => ({ rule: Type.String(), actions: Actions }),
  async run({ rule, actions }, scope: ActionScope<"command">) {
    await scope.host.command("stubborn", {}, scope.actor);
    const wanted = [
      () => scope.delay(1000),
      () => scope.waitUntil("false", undefined),
      () => scope.run(actions),
      () => scope.rules.run(rule, { conditions: false, wait: false }),
    ];
    for (const want of wanted) await want().catch(() => {});
    return "had its way";
  },
  example: {},
});

const exits = defineAction({
  type: "exits",
  doc,
  whenInterrupted: () => "repeat",
  fields: () => ({ why: Type.String() }),
  run: ({ why }, scope) => scope.exit(why),
  example: {},
});

const runs = defineAction({
  type: "runs",
  doc,
  whenInterrupted: () => "resume",
  fields: () => ({
    rule: Type.String(),
    wait: Type.Optional(Type.Boolean()),
    conditions: Type.Optional(Type.Boolean()),
  }),
  async run({ rule, wait = false, conditions = false }, scope) {
    if (await scope.rules.awaitRun(rule)) return `ran ${rule}`;
    if (scope.resumed() !== undefined) return "it did not go on";
    await scope.rules.run(rule, { wait, conditions, onBegin: scope.progress });
    return `ran ${rule}`;
  },
  example: {},
});

const pauses = defineAction({
  type: "pauses",
  doc,
  whenInterrupted: () => "repeat",
  fields: () => ({ rule: Type.String(), secs: Type.Optional(Type.Number()) }),
  run({ rule, secs }, scope) {
    scope.rules.pause(rule, secs === undefined ? undefined : secs * 1000);
    return undefined;
  },
  example: {},
});

const cancels = defineAction({
  type: "cancels",
  doc,
  whenInterrupted: () => "repeat",
  fields: () => ({ rule: Type.String(), key: Type.Optional(Type.String()) }),
  run: ({ rule, key }, scope) => `${scope.rules.cancelDelays(rule, key)} cancelled`,
  example: {},
});

export const words: {
  triggers: TriggerDefinition<TProperties>[];
  conditions: ConditionDefinition<TProperties>[];
  actions: ActionDefinition<TProperties>[];
} = {
  triggers: [changes, receives, variable, topic, trips, ticks],
  conditions: [is, breaks],
  actions: [
    ...[set, fires, writes, counts, fails, sends, delay, parallel, loops],
    ...[awaits, untils, stubborn, exits, runs, pauses, cancels, once, captures, shows],
  ] as ActionDefinition<TProperties>[],
};
