// Messages of real models against the compiled hub: bun test/interop/corpus.ts CORPUS.jsonl.xz [both|exposes|homeassistant] [HUB].
// What each device reports must be there under the right name, with the right value and JSON type, and what it can be commanded must reach
// it as it expects; announced in both ways, each value must have the same name from both.
// bun test/interop/corpus.ts CASES.jsonl.xz templates [HUB] evaluates templates, also through the hub. A first line `FAIL` and exit
// code 1 where too little is right. The models come in another order each time, with PROPERTY_SEED in that one. Needs xz.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isTimeUp, randomOf } from "../support/campaign.ts";
import { shuffled } from "../support/random.ts";
import { until } from "../support/wait.ts";
import { Counts } from "./corpus/counts.ts";
import { firstMessage, type House, inParallel, startHouse } from "./corpus/house.ts";
import { batchesOf, linesOf, type Model, modelsOf } from "./corpus/lines.ts";
import { appearancesOf, isRecord, setIn, settableThere } from "./corpus/referee.ts";
import { checkTemplates } from "./corpus/templates.ts";
import { checkAnnounced } from "./corpus/templates-announced.ts";

const RIGHT_VALUES = 0.995;
const RIGHT_COMMANDS = 0.99;
const SAME_NAMES = 0.999;
const AT_ONCE = 8;
/** What an account says may wait for its turn to be read. */
const READ_MS = 3000;
/** For all commands of one model: one that does not answer may not hold up the others. */
const MODEL_MS = 60_000;

const SOURCES = ["exposes", "homeassistant"] as const;
type Source = (typeof SOURCES)[number];
type Device = { id: string; attributes: Record<string, unknown> };

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const short = (value: unknown): string => String(JSON.stringify(value)).slice(0, 120);

async function main(): Promise<number> {
  const [path, mode = "both", binary = join(import.meta.dir, "..", "..", "bin", "hub")] = process.argv.slice(2);
  const sources = SOURCES.filter((one) => mode === "both" || mode === one);
  if (path === undefined || (sources.length === 0 && mode !== "templates")) {
    print("Usage: bun test/interop/corpus.ts FILE.jsonl.xz [both|exposes|homeassistant|templates] [HUB]");
    return 2;
  }
  if (!existsSync(path)) {
    print(`NOT RUN, NOTHING OF IT IS CHECKED: test/interop/corpus.ts ${mode}: ${path} is not there`);
    return 0;
  }
  if (mode === "templates") {
    const lines = await linesOf(path);
    const announced = await checkAnnounced(lines, resolve(binary));
    return report([checkTemplates(lines).result(1), announced.result(1)]);
  }
  const models = shuffled(await modelsOf(path), randomOf("order of models"));
  return checkModels(models, sources, resolve(binary));
}

/** From each source in a house of its own; from both, each value must have the same name. */
async function checkModels(models: readonly Model[], sources: readonly Source[], binary: string): Promise<number> {
  await using stack = new AsyncDisposableStack();
  const parts: Part[] = [];
  for (const source of sources)
    parts.push({
      ...{ source, house: stack.use(await startHouse(binary)) },
      ...{ values: new Counts(`values from ${source}`), commands: new Counts(`commands from ${source}`) },
    });
  const same = new Counts("values with the same name from both announcements");
  for (const batch of batchesOf(models)) {
    if (isTimeUp()) break;
    const [first, second] = await Promise.all(parts.map((part) => checkBatch(part, batch)));
    if (first && second) compareNames(first, second, same);
  }
  return report([
    ...parts.flatMap(({ values, commands }) => [values.result(RIGHT_VALUES), commands.result(RIGHT_COMMANDS)]),
    ...(parts.length > 1 ? [same.result(SAME_NAMES)] : []),
  ]);
}

interface Part {
  source: Source;
  house: House;
  values: Counts;
  commands: Counts;
}

/** By model, message and property: under which names the hub has the value. */
type Names = Map<string, string[]>;

async function checkBatch({ source, house, values, commands }: Part, batch: readonly Model[]): Promise<Names> {
  const names: Names = new Map();
  const ids = await publishStates(house, { batch, source }, async (one) => {
    for (const { property, value, places } of await placesOf(house, one)) {
      const right = places.filter(({ isRight }) => isRight).map(({ name }) => name);
      names.set(`${one.model.model} ${one.index} ${property}`, right);
      values.add(
        right.length > 0,
        () => `${one.model.model} ${property}=${short(value)}: ${short(places.map(({ name, got }) => [name, got]))}`,
      );
    }
  });
  await inParallel(batch, AT_ONCE, (model) => checkCommands(house, { model, source, id: ids.get(model) }, commands));
  await takeBack(house, batch, source);
  return names;
}

function compareNames(exposed: Names, announced: Names, same: Counts): void {
  for (const [value, names] of exposed) {
    const others = announced.get(value) ?? [];
    same.add(
      names.some((name) => others.includes(name)),
      () => `${value}: ${names} and ${others}`,
    );
  }
}

function report(results: readonly { lines: string[]; ok: boolean }[]): number {
  for (const { lines } of results) for (const line of lines) print(line);
  return results.every(({ ok }) => ok) ? 0 : 1;
}

/** Announces them, and looks at each after each of its messages. The hub's ids. */
async function publishStates(
  house: House,
  { batch, source }: { batch: readonly Model[]; source: Source },
  look: (one: Reported) => Promise<void>,
): Promise<Map<Model, string>> {
  const ids = await announce(house, batch, source);
  for (const index of [0, 1]) {
    for (const { states } of batch) {
      const state = states[index];
      if (state) await house.say(state.topic, state.payload);
    }
    await inParallel(batch, AT_ONCE, (model) => look({ model, index, id: ids.get(model) }));
  }
  return ids;
}

/** The hub's ids, once all are there that the hub takes in. */
async function announce(house: House, batch: readonly Model[], source: Source): Promise<Map<Model, string>> {
  if (source === "exposes") {
    await house.say(
      "zigbee2mqtt/bridge/devices",
      batch.map(({ bridgeDevice }) => bridgeDevice),
      true,
    );
  } else {
    for (const { topic, payload } of batch.flatMap(({ discovery }) => discovery))
      await house.say(topic, { ...payload, origin: { name: "Corpus" } }, true);
  }
  const ids = new Map<Model, string>();
  const find = async (): Promise<boolean> => {
    await inParallel(
      batch.filter((model) => !ids.has(model)),
      AT_ONCE,
      async (model) => {
        for (const id of [model.ieee, `zigbee2mqtt_${model.ieee}`])
          if (await house.hub.get(`/devices/${id}`).catch(() => undefined)) ids.set(model, id);
      },
    );
    return ids.size === batch.length;
  };
  await until("all devices of the batch are there", find, { timeoutMs: 5000, everyMs: 100 }).catch(() => {});
  return ids;
}

async function takeBack(house: House, batch: readonly Model[], source: Source): Promise<void> {
  if (source === "exposes") return;
  for (const { topic } of batch.flatMap(({ discovery }) => discovery)) await house.say(topic, "", true);
}

interface Reported {
  model: Model;
  index: number;
  id: string | undefined;
}

/** Of each property of a message that is exposed: where it may be, and whether it is there. Waits a while for what is not. */
async function placesOf(house: House, { model, index, id }: Reported) {
  const appearances = appearancesOf(model);
  const state = model.states[index]?.payload ?? {};
  const look = (device: Device | undefined) =>
    Object.entries(state).flatMap(([property, value]) => {
      const places = appearances.get(property)?.map(({ attribute: name, of }) => {
        // An attribute that is null is none.
        const got = device ? (device.attributes[name] ?? null) : undefined;
        return { name, got, isRight: isDeepStrictEqual(got, of(value, state)) };
      });
      return places ? [{ property, value, places }] : [];
    });
  let found = look(undefined);
  if (id === undefined) return found;
  const isThere = async (): Promise<boolean> => {
    found = look(await house.hub.get<Device>(`/devices/${id}`).catch(() => undefined));
    return found.every(({ places }) => places.some(({ isRight }) => isRight));
  };
  await until("all is there", isThere, { timeoutMs: READ_MS, everyMs: 100 }).catch(() => {});
  return found;
}

interface Commanded {
  model: Model;
  source: Source;
  id: string | undefined;
}

async function checkCommands(house: House, { model, source, id }: Commanded, counts: Counts): Promise<void> {
  const appearances = appearancesOf(model);
  const begun = performance.now();
  for (const { property, values } of model.commands) {
    if (performance.now() - begun > MODEL_MS)
      return counts.add(false, () => `${model.model}: its commands take more than ${MODEL_MS} ms, up to ${property}`);
    if (source === "homeassistant" && !settableThere(model, property)) continue;
    for (const value of values) {
      const tried = (appearances.get(property) ?? []).map((one) => ({ [one.attribute]: one.of(value) }));
      let refused = "";
      let set: Record<string, unknown> | undefined;
      for (const wanted of tried) {
        const during = async (): Promise<boolean> => {
          const answer = await house.hub.request("PATCH", `/devices/${id}/state?force=true&wait=false`, {
            body: wanted,
          });
          if (answer.status !== 202) refused = answer.text;
          return answer.status === 202;
        };
        set = await firstMessage(house, (topic, payload) => setIn(model.name, topic, payload), { during });
        if (isRight(set, property, value)) break;
      }
      counts.add(
        isRight(set, property, value),
        () =>
          `${model.model} ${property}=${short(value)}: ${set ? short(set) : refused.slice(0, 300) || "nothing came"}`,
      );
    }
  }
}

function isRight(set: Record<string, unknown> | undefined, property: string, value: unknown): boolean {
  if (!isRecord(set) || !(property in set)) return false;
  const got = set[property];
  // A part of what is set may come beside what was wanted: a colour's other spelling.
  return (
    isDeepStrictEqual(got, value) || (isRecord(got) && isRecord(value) && isDeepStrictEqual({ ...got, ...value }, got))
  );
}

process.exit(await main());
