// The entities of real models, distinguished by nothing but their topics: bun test/interop/names.ts CORPUS.jsonl.xz. However they are
// announced, taken back and announced again, also over restarts, no attribute ever reads or commands another entity than its first.
// A first line `FAIL` and exit code 1 where one does. In a campaign until its time is up. Needs xz.
import { existsSync } from "node:fs";
import { isTimeUp, randomOf, tried } from "../support/campaign.ts";
import { EntitiesHouse, type TestEntity } from "../support/entities-house.ts";
import { shuffled } from "../support/random.ts";
import { type Model, modelsOf } from "./corpus/lines.ts";

const MODELS = 20;
const ROUNDS = 200;
const PICKS = ["{{ value_json.value }}", "{{ value_json.output }}"];
const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** Those of one value. */
function entitiesOf({ discovery }: Model): TestEntity[] {
  return discovery.flatMap(({ topic, payload }, at): TestEntity[] => {
    const component = topic.split("/")[1] ?? "";
    const says = saidBy(component, payload);
    const id = `${topic.split("/").at(-2)}_${at}`;
    return says ? [{ component, id, config: payload, says }] : [];
  });
}

function saidBy(component: string, config: Record<string, unknown>): TestEntity["says"] | undefined {
  const { payload_on: on = "ON", payload_off: off = "OFF", min = 1, options } = config;
  switch (component) {
    case "binary_sensor":
    case "switch":
      return [off, on];
    case "number":
      return [Number(min), Number(min) + 1];
    case "sensor":
    case "select":
      return Array.isArray(options) && options.length > 1 ? [options[0], options[1]] : [20, 21];
    default:
      return undefined;
  }
}

async function main(): Promise<number> {
  const [path = ""] = process.argv.slice(2);
  if (!existsSync(path)) {
    print(`NOT RUN, NOTHING OF IT IS CHECKED: test/interop/names.ts: ${path} is not there`);
    return 0;
  }
  const random = randomOf("names for ever");
  const models = shuffled(await modelsOf(path), random).filter((model) => entitiesOf(model).length > 5);
  let count = 0;
  for (const model of models.slice(0, MODELS)) {
    if (isTimeUp()) break;
    const pick = random.pick(PICKS);
    using house = new EntitiesHouse(entitiesOf(model), pick);
    try {
      await house.live(ROUNDS, random);
    } catch (error) {
      print(`FAIL ${model.model}, ${pick}: ${error instanceof Error ? error.message : error}`);
      return 1;
    }
    count++;
  }
  tried(`${count} models, ${ROUNDS} announcements, removals and restarts each`);
  print(`ok   ${count} models: no name moved`);
  return 0;
}

process.exit(await main());
