// [notify]. Its channels are checked one by one, so that a wrong one is disabled and nothing else is.
import { type Static, Type } from "@sinclair/typebox";
import { didYouMean } from "../../kit/schema/did-you-mean.ts";
import { isObject } from "../../kit/schema/json.ts";
import { checkValue, type Problem } from "../../kit/schema/schema.ts";
import type { ChannelDefinition } from "./channel.ts";
import { kinds } from "./channels/index.ts";
import type { Dialect } from "./markup/dialect.ts";

export const NotifySection = Type.Object(
  {
    channels: Type.Array(Type.Unknown(), { default: [], expected: "a list of tables" }),
    expire_hours: Type.Integer({
      default: 24,
      minimum: 1,
      maximum: 720,
      description: "For how long a message that does not get through is retried",
    }),
    max_waiting: Type.Integer({
      default: 10_000,
      minimum: 10,
      maximum: 1_000_000,
      description: "Messages that may wait, of all channels; beyond it, the oldest of the longest queue is given up",
    }),
    public_url: Type.Optional(
      Type.String({
        pattern: "^https?://[^/@?#\\s]+(/[^@?#\\s]*)?$",
        problem: "must be an address such as https://hub.example.org, without user, query or fragment",
        description:
          "The address at which phones reach the hub: messages that somebody has to confirm get a link to it. Without it they have none",
      }),
    ),
    max_waiting_mb: Type.Number({
      default: 16,
      minimum: 1,
      maximum: 4096,
      description: "The same limit for the space they take on disk",
    }),
    picture_hosts: Type.Array(
      Type.String({
        pattern: "^(\\[[0-9A-Fa-f:.]+\\]|[^\\s/@:?#\\[\\]]+)(:[0-9]{1,5})?$",
        problem: 'must be a host, or host and port, such as "localhost:5000"',
      }),
      {
        default: [],
        description: "Services of the hub's own machine that devices' addresses of pictures may lead to",
      },
    ),
  },
  { additionalProperties: false },
);
export type NotifySection = Static<typeof NotifySection>;

/** All names that a message can be sent to, disabled channels included. */
export function channelNames({ channels }: NotifySection): string[] {
  return [...RESERVED_CHANNELS, ...readChannels(channels).entries.map(({ name }) => name)];
}

/** The configuration of a channel of any kind. */
export type ChannelConfig = Static<(typeof kinds)[number]["schema"]>;

/** Names that exist without being configured. */
export const RESERVED_CHANNELS: readonly string[] = ["log", "all"];

const PEOPLE = /^(person|people):/;

/** An entry of the list; they keep its order. */
export type ChannelEntry =
  | { readonly name: string; readonly kind: string; readonly config: ChannelConfig }
  /** Disabled; `problem` says why. */
  | { readonly name: string; readonly kind: string; readonly problem: string };

export interface ReadChannels {
  entries: ChannelEntry[];
  problems: Problem[];
}

/** What channels must not get in the way of. */
export interface BesideChannels {
  /** The first levels of the hub's own MQTT topics; where it is absent, no topic is taken for one. */
  readonly mqttPrefix?: string | undefined;
}

/** Checks each entry on its own. A problem that is no warning disables its channel, and is marked as `confined`. */
export function readChannels(entries: readonly unknown[], beside: BesideChannels = {}): ReadChannels {
  const read = entries.map((_, index) => readEntry(entries, index, beside));
  return { entries: read.map(({ entry }) => entry), problems: read.flatMap(({ problems }) => problems) };
}

function readEntry(
  entries: readonly unknown[],
  index: number,
  beside: BesideChannels,
): { entry: ChannelEntry; problems: Problem[] } {
  const at = `notify.channels[${index}]`;
  const value = entries[index];
  const checked = checkEntry(value, at, beside);
  const found = [...nameProblems(entries, index, at), ...checked.problems];
  const problems = found.map((problem): Problem => (problem.warning ? problem : { ...problem, confined: true }));
  const wrong = problems.filter(({ confined }) => confined);
  const name = textAt(value, "name") ?? at;
  const kind = textAt(value, "type") ?? "unknown";
  if (checked.config !== undefined && wrong.length === 0) {
    return { entry: { name, kind, config: checked.config }, problems };
  }
  return {
    entry: { name, kind, problem: wrong.map(({ path, message }) => `${path}: ${message}`).join("; ") },
    problems,
  };
}

function checkEntry(
  value: unknown,
  at: string,
  beside: BesideChannels,
): { config?: ChannelConfig; problems: Problem[] } {
  if (!isObject(value)) return { problems: [{ path: at, message: "must be a table of keys and values" }] };
  const definition = definitionOf(value.type);
  if (!definition) return { problems: [unknownType(value.type, `${at}.type`)] };
  const checked = checkValue(definition.schema, value, at);
  if (!checked.ok) return { problems: checked.problems };
  return { config: checked.value as ChannelConfig, problems: definition.problems(checked.value, at, beside) };
}

/** What the channels that work speak, by their names. */
export function dialectsOf({ channels }: Pick<NotifySection, "channels">): ReadonlyMap<string, Dialect> {
  const spoken = readChannels(channels).entries.flatMap((entry) => {
    const dialect = "config" in entry ? definitionOf(entry.kind)?.dialect?.(entry.config) : undefined;
    return dialect ? [[entry.name, dialect] as const] : [];
  });
  return new Map(spoken);
}

/** The definition whose `kind` this is. */
export function definitionOf(kind: unknown): ChannelDefinition | undefined {
  return (kinds as readonly unknown[] as readonly ChannelDefinition[]).find((definition) => definition.kind === kind);
}

function unknownType(type: unknown, path: string): Problem {
  const known = kinds.map(({ kind }) => kind);
  const choice = `must be one of ${kinds.map(({ kind, service }) => `"${kind}" (${service})`).join(", ")}`;
  if (type === undefined) return { path, message: `missing: ${choice}` };
  if (typeof type !== "string") return { path, message: choice };
  const meant = kinds.find(({ service }) => service.toLowerCase() === type.toLowerCase());
  return { path, message: choice + (meant ? ` – did you mean "${meant.kind}"?` : didYouMean(type, known)) };
}

function nameProblems(entries: readonly unknown[], index: number, at: string): Problem[] {
  const name = textAt(entries[index], "name");
  if (name === undefined) return [];
  const path = `${at}.name`;
  if (RESERVED_CHANNELS.includes(name)) {
    return [{ path, message: `"${name}" is always there and cannot be configured; choose another name` }];
  }
  if (PEOPLE.test(name)) {
    return [
      { path, message: `"${name}" would stand for people ([[people]]); choose a name without "person:" or "people:"` },
    ];
  }
  const first = entries.findIndex((other) => textAt(other, "name") === name);
  if (first === index) return [];
  return [{ path, message: `"${name}" is the name of notify.channels[${first}] too; names must differ` }];
}

function textAt(value: unknown, key: string): string | undefined {
  const text = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return typeof text === "string" && text !== "" ? text : undefined;
}
