// Lamps and covers of several in one device: each on a topic that ends in its name (`…/l1`, named "L1"), while the whole device may
// report them with that name behind each key (`state_l1`), as zigbee2mqtt does.
import { isObject, type Json } from "../../../../../kit/schema/json.ts";
import type { Message } from "../../../described.ts";
import type { Options, Reading } from "../entity.ts";

export interface Keys {
  /** `_l1`, or nothing for what is no part. */
  suffix: string;
  /** Of a key of the part's own JSON object. */
  readings(key: string): Reading[];
}

export function keysOf(options: Options): Keys {
  const topic = options.topic("state_topic");
  const [, whole, part] = /^(.+)\/(\w+)$/.exec(topic ?? "") ?? [];
  const isPart =
    part !== undefined && options.topic("command_topic")?.startsWith(`${topic}/`) === true && isNamed(options, part);
  const suffix = isPart ? `_${part}` : "";
  return {
    suffix,
    readings(key) {
      if (topic === undefined) return [];
      const own = keyOf(topic, key);
      return isPart && whole !== undefined ? [own, keyOf(whole, key + suffix)] : [own];
    },
  };
}

function isNamed({ config: { name } }: Options, part: string): boolean {
  return typeof name === "string" && name.toLowerCase().replaceAll(" ", "_") === part.toLowerCase();
}

function keyOf(topic: string, key: string): Reading {
  return {
    topic,
    path: [key],
    read: ({ json }: Message) => (isObject(json) && Object.hasOwn(json, key) ? (json[key] as Json) : undefined),
  };
}
