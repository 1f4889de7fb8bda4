// All models from one source, some at a time: announced to both, four states, commands, taken back.
import type { MqttClient } from "mqtt";
import { until } from "../../support/wait.ts";
import { type House, startHouse } from "../corpus/house.ts";
import { batchesOf, type Model } from "../corpus/lines.ts";
import { compareCommands } from "./commands.ts";
import { type Difference, short } from "./differences.ts";
import { type Entity, entitiesOf, type HubDevice, keyOf, type Seen } from "./entities.ts";
import { type HomeAssistant, startHomeAssistant } from "./home-assistant.ts";
import { judgeAloneOn } from "./kinds/binary-sensor.ts";
import type { Finding } from "./kinds/finding.ts";
import { JUDGES } from "./kinds/index.ts";
import { judgeAlone, judgeShares } from "./kinds/sensor.ts";
import { openPage, Sentences } from "./sentences.ts";
import { partMessages, type State, statesOf } from "./states.ts";

export const SOURCES = ["exposes", "homeassistant"] as const;
export type Source = (typeof SOURCES)[number];

export interface Run {
  source: Source;
  python: string;
  binary: string;
  models: readonly Model[];
  withCommands: boolean;
  print: (line: string) => void;
}

export interface Result {
  source: Source;
  differences: Difference[];
  counts: {
    models: number;
    entities: number;
    states: number;
    commands: number;
    unreported: number;
    unavailable: number;
  };
}

export interface Both {
  house: House;
  ha: HomeAssistant;
  source: Source;
  /** Another client than the one that speaks for the devices, which receives what this one says. */
  marker: MqttClient;
  report(entity: Pick<Entity, "model" | "component" | "property" | "part">, finding: Finding): void;
  count(name: keyof Result["counts"], by?: number): void;
}

export async function compareSource({ source, python, binary, models, withCommands, print }: Run): Promise<Result> {
  const differences: Difference[] = [];
  const counts = { models: 0, entities: 0, states: 0, commands: 0, unreported: 0, unavailable: 0 };
  await using house = await startHouse(binary);
  await using ha = await startHomeAssistant(python, house);
  // What is said to nobody is never taken: without the hub this would wait for ever.
  const ended = house.hub.exited.then((code) =>
    Promise.reject(new Error(`the hub ended with ${code}:\n${lastLines(house.hub.output)}`)),
  );
  const both: Both = {
    ...{ house, ha, source, marker: await house.hub.mqtt() },
    report({ model, component, property, part }, { what, homeAssistant, hub }) {
      const entity = [component, property ?? part].filter((one) => one !== undefined).join(" ");
      differences.push({
        model: model.model,
        source,
        entity,
        what,
        homeAssistant: short(homeAssistant),
        hub: short(hub),
      });
    },
    count(name, by = 1) {
      counts[name] += by;
    },
  };
  const sentences = new Sentences(both, await openPage());
  const compareBatch = async (batch: readonly Model[]): Promise<void> => {
    const devices = await announce(both, batch);
    for (const index of [0, 1, 2, 3]) await sentences.add(await compareStates(both, devices, index));
    sentences.end();
    if (withCommands) await compareCommands(both, devices);
    await takeBack(both, batch);
  };
  for (const batch of batchesOf(models)) {
    await Promise.race([compareBatch(batch), ended]);
    counts.models += batch.length;
    if (counts.models % 200 < batch.length)
      print(`… ${source}: ${counts.models} of ${models.length}, ${differences.length} differences`);
  }
  ended.catch(() => {});
  return { source, differences, counts };
}

// Its source is one long line.
const lastLines = (output: string): string =>
  output
    .split("\n")
    .slice(-30)
    .map((line) => line.slice(0, 300))
    .join("\n");

export interface Announced {
  model: Model;
  id: string;
  entities: Entity[];
  states: State[];
}

async function announce(both: Both, batch: readonly Model[]): Promise<Announced[]> {
  const { house, ha, source } = both;
  const online = { state: "online" };
  if (source === "exposes") {
    await house.say("zigbee2mqtt/bridge/state", online, true);
    const described = batch.map(({ bridgeDevice }) => bridgeDevice);
    await house.say("zigbee2mqtt/bridge/devices", described, true);
  }
  for (const { topic, payload } of batch.flatMap(({ discovery }) => discovery)) {
    // Under its own name the hub takes what the bridge says itself.
    await house.say(topic, source === "exposes" ? payload : { ...payload, origin: { name: "Corpus" } }, true);
  }
  const ids = await idsOf(house, batch);
  await ha.settle();
  // Now, with all of them listening.
  await house.say("zigbee2mqtt/bridge/state", online, true);
  await ha.settle();
  return batch.flatMap((model) => {
    const id = ids.get(model);
    const entities = entitiesOf(model);
    both.count("entities", entities.length);
    if (id !== undefined) return [{ model, id, entities, states: statesOf(model) }];
    both.report(
      { model, component: "device", property: undefined, part: undefined },
      { what: "not there", homeAssistant: entities.length, hub: "no such device" },
    );
    return [];
  });
}

async function idsOf({ hub }: House, batch: readonly Model[]): Promise<Map<Model, string>> {
  const ids = new Map<Model, string>();
  const find = async (): Promise<boolean> => {
    const known = new Set((await hub.get<HubDevice[]>("/devices")).map(({ id }) => id));
    for (const model of batch) {
      const id = [model.ieee, `zigbee2mqtt_${model.ieee}`].find((one) => known.has(one));
      if (id !== undefined) ids.set(model, id);
    }
    return ids.size === batch.length;
  };
  await until("all devices of the batch are there", find, { everyMs: 100 }).catch(() => {});
  return ids;
}

async function takeBack({ house, ha, source }: Both, batch: readonly Model[]): Promise<void> {
  for (const { topic } of batch.flatMap(({ discovery }) => discovery)) await house.say(topic, "", true);
  if (source === "exposes") await house.say("zigbee2mqtt/bridge/devices", [], true);
  await ha.settle();
}

async function compareStates(both: Both, devices: readonly Announced[], index: number): Promise<Seen[]> {
  const { house, ha } = both;
  await Promise.all(
    devices.map(async ({ model, states }) => {
      const state = states[index] ?? {};
      await house.say(`zigbee2mqtt/${model.name}`, state);
      for (const { topic, payload } of partMessages(model, state)) await house.say(topic, payload);
    }),
  );
  await ha.settle();
  const said = await ha.dump();
  const known = new Map((await house.hub.get<HubDevice[]>("/devices")).map((one) => [one.id, one]));
  const seen: Seen[] = [];
  for (const { model, id, entities, states } of devices) {
    const hub = known.get(id);
    if (hub === undefined) continue;
    const all: Seen[] = entities.flatMap((entity) => {
      const says = said.get(keyOf(entity));
      if (says?.state === "unavailable") both.count("unavailable");
      return says ? [{ entity, says, hub, reported: states[index] ?? {} }] : [];
    });
    both.count("states", all.length);
    for (const each of all)
      for (const one of JUDGES[each.entity.component]?.(each) ?? []) both.report(each.entity, one);
    for (const one of [...judgeAlone(hub, all), ...judgeAloneOn(hub, all), ...judgeShares(hub)])
      both.report({ model, component: "device", property: undefined, part: undefined }, one);
    seen.push(...all);
  }
  return seen;
}
