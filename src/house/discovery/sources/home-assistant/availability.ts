// Whether a device is there, from one topic or several, as Home Assistant puts them together.
import { isObject, type JsonObject } from "../../../../kit/schema/json.ts";
import type { Message } from "../../described.ts";
import type { Engine } from "../../templates/template.ts";
import { fromJson, str } from "../../templates/values.ts";
import { quietly } from "./entity.ts";

export interface Availability {
  readonly topics: readonly string[];
  /** Undefined where the message says nothing, or where others still have to. */
  read(topic: string, message: Message): boolean | undefined;
  /** What was read last. */
  last(): boolean | undefined;
}

/** Of a device whose entities say different things of it: it is there while any of them is. Those that say nothing do not count. */
export function availabilityOfAll(all: readonly Availability[]): Availability | undefined {
  const [only, ...others] = all;
  if (!only || others.length === 0) return only;
  return {
    topics: [...new Set(all.flatMap(({ topics }) => topics))],
    last,
    read(topic, message) {
      const said = all.filter((one) => one.topics.includes(topic) && one.read(topic, message) !== undefined);
      return said.length === 0 ? undefined : last();
    },
  };

  function last(): boolean | undefined {
    const known = all.map((one) => one.last());
    return known.includes(true) ? true : known.includes(undefined) ? undefined : false;
  }
}

/** The options that say it, as text; undefined where none does. */
export function availabilityText(config: JsonObject): string | undefined {
  const { availability, availability_topic, availability_template, availability_mode } = config;
  if (availability === undefined && availability_topic === undefined) return undefined;
  const { payload_available, payload_not_available } = config;
  return JSON.stringify([
    ...[availability, availability_topic, availability_template, availability_mode],
    ...[payload_available, payload_not_available],
  ]);
}

interface Source {
  topic: string;
  online: string;
  offline: string;
  text(message: Message): string;
}

/** Throws Error for what cannot be. */
export function availabilityOf(config: JsonObject, engine: Engine): Availability {
  const sources = sourcesOf(config).map((one) => sourceOf(one, engine));
  const mode = config.availability_mode ?? "latest";
  const states = new Map<Source, boolean>();
  let last: boolean | undefined;

  function stateOf(latest: boolean): boolean | undefined {
    const all = sources.map((one) => states.get(one));
    if (mode === "all") return all.includes(false) ? false : all.includes(undefined) ? undefined : true;
    if (mode === "any") return all.includes(true) ? true : all.includes(undefined) ? undefined : false;
    return latest;
  }

  return {
    topics: sources.map(({ topic }) => topic),
    last: () => last,
    read(topic, message) {
      let latest: boolean | undefined;
      for (const source of sources) {
        if (source.topic !== topic) continue;
        const text = quietly(() => source.text(message));
        const state = text === source.online ? true : text === source.offline ? false : undefined;
        if (state === undefined) continue;
        states.set(source, state);
        latest = state;
      }
      if (latest === undefined) return undefined;
      last = stateOf(latest);
      return last;
    },
  };
}

function sourcesOf(config: JsonObject): JsonObject[] {
  const { availability: list, availability_topic: topic } = config;
  if (list !== undefined && topic !== undefined)
    throw new Error("availability and availability_topic exclude each other");
  if (topic !== undefined) {
    const { availability_template: template, payload_available: on, payload_not_available: off } = config;
    return [
      { topic, value_template: template ?? null, payload_available: on ?? null, payload_not_available: off ?? null },
    ];
  }
  if (list === undefined) return [];
  const all = Array.isArray(list) ? list : [list];
  return all.map((one) => {
    if (!isObject(one)) throw new Error("availability: must be a list of objects");
    return one;
  });
}

function sourceOf(
  { topic, value_template, payload_available, payload_not_available }: JsonObject,
  engine: Engine,
): Source {
  if (typeof topic !== "string" || topic === "" || /[+#\0]/.test(topic))
    throw new Error("availability: needs a topic without wildcards");
  const template = typeof value_template === "string" ? engine.compile(value_template) : undefined;
  const payload = (given: unknown, otherwise: string) =>
    given === undefined || given === null ? otherwise : str(fromJson(given as never));
  return {
    topic,
    online: payload(payload_available, "online"),
    offline: payload(payload_not_available, "offline"),
    text: (message) => (template ? str(fromJson(template.read(message) ?? null)) : message.text),
  };
}
