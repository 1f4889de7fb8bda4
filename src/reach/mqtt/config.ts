// [mqtt]: where the broker listens, who besides the supervised plugins may connect, and what clients may use.

import { type Static, Type } from "@sinclair/typebox";
import ipaddr from "ipaddr.js";
import { HUB_PLUGIN_ID } from "../../kit/schema/ids.ts";
import type { Problem } from "../../kit/schema/schema.ts";
import { isTopicFilter } from "../../kit/text/topic-filter.ts";
import { externalKeys, externalProblems } from "./external/config.ts";

const ANONYMOUS = "anonymous";

const closed = { additionalProperties: false } as const;
const patterns = Type.Optional(Type.Array(Type.String(), { expected: "a list of topic patterns" }));

const MqttUser = Type.Object(
  {
    username: Type.String({
      pattern: "^[^$/+#\\u0000-\\u001f\\u007f-\\u009f][^/+#\\u0000-\\u001f\\u007f-\\u009f]{0,254}$",
      problem: "must be 1 to 255 characters without / + # or control characters, and not start with $",
    }),
    password: Type.String({ minLength: 1, secret: true }),
    /** Topic patterns. With neither list the account has the rights of the plugin with its name. */
    publish: patterns,
    subscribe: patterns,
  },
  closed,
);
export type MqttUser = Static<typeof MqttUser>;

/** The first levels of topics, without wildcards. */
export const TOPIC_LEVELS = {
  pattern: "^[^$/+#\\s\\u0000-\\u001f\\u007f-\\u009f]+(/[^/+#\\s\\u0000-\\u001f\\u007f-\\u009f]+)*$",
  maxLength: 128,
};

const megabytes = (fallback: number) => Type.Number({ minimum: 1, maximum: 4096, default: fallback });

/** Memory that clients may make the broker use. */
const memoryKeys = {
  /** Retained messages, each with its topic and 800 bytes of overhead. */
  max_retained_mb: megabytes(24),
  /** Of the account that published them. */
  max_retained_mb_per_account: megabytes(12),
  /** Messages for kept sessions whose clients are away, or do not acknowledge. */
  max_queued_mb: megabytes(24),
  /** Of the account with these sessions. */
  max_queued_mb_per_account: megabytes(12),
  /** One of the largest messages fits. */
  max_queued_mb_per_session: megabytes(10),
  max_queued_messages_per_session: Type.Integer({ minimum: 1, maximum: 100_000, default: 1000 }),
  /** Buffers: incomplete packets, and bytes that slow readers have not read. */
  max_buffered_mb: megabytes(32),
  max_buffered_mb_per_account: megabytes(16),
  /** Filters of subscriptions, with the search trees that hold them. */
  max_filters_mb: megabytes(16),
  max_filters_mb_per_account: megabytes(8),
};

export const MemoryKeys = Type.Object(memoryKeys);
export type MemoryKeys = Static<typeof MemoryKeys>;

export const MqttSection = Type.Object(
  {
    ...externalKeys,
    host: Type.String({ default: "127.0.0.1", minLength: 1, expected: "an address of this machine to listen on" }),
    port: Type.Integer({ default: 1883, minimum: 0, maximum: 65_535, description: "0 takes any free port." }),
    prefix: Type.String({
      default: "hub",
      ...TOPIC_LEVELS,
      problem: "must be topic levels such as hub or house/hub: no slash at either end, no + # $ and no spaces",
    }),
    anonymous: Type.Boolean({
      default: false,
      description: "Allows clients without an account, from this machine only.",
    }),
    users: Type.Array(MqttUser, { default: [] }),
    max_packet_kib: Type.Integer({
      default: 8192,
      minimum: 64,
      maximum: 65_536,
      description: "Of a client with a name, as a whole.",
    }),
    max_payload_bytes: Type.Optional(
      Type.Integer({
        minimum: 1024,
        maximum: 67_108_864,
        description:
          "Of one message. Left out: 1 MiB for clients without a name, and what fits into a packet for the others.",
      }),
    ),
    ...memoryKeys,
    max_connections: Type.Integer({
      default: 500,
      minimum: 1,
      maximum: 10_000,
      description:
        "Of all accounts except supervised plugins, which are never refused. The same number limits kept sessions.",
    }),
    max_connections_per_account: Type.Integer({ default: 250, minimum: 1, maximum: 10_000 }),
    max_pending_connections: Type.Integer({
      default: 500,
      minimum: 1,
      maximum: 10_000,
      description:
        "Connections that have not logged in, beside this machine's. Above this the oldest of the address that has most is closed.",
    }),
    max_pending_connections_per_address: Type.Integer({ default: 250, minimum: 1, maximum: 10_000 }),
    max_messages_per_second: Type.Integer({
      default: 2000,
      minimum: 1,
      maximum: 1_000_000,
      description: "Of one account, averaged over ten seconds. A faster client is read more slowly.",
    }),
    max_deliveries_per_second: Type.Integer({
      default: 10_000,
      minimum: 1,
      maximum: 10_000_000,
      description:
        "Deliveries of one account's messages, one for each matching subscription, averaged over two seconds.",
    }),
    max_mb_per_second: Type.Number({
      default: 8,
      minimum: 0.01,
      maximum: 4096,
      description:
        "Bytes received from one account, averaged over four seconds; from all together the same, beyond a quarter of it for each. A faster client is read more slowly.",
    }),
    max_new_devices_per_minute: Type.Integer({
      default: 2000,
      minimum: 1,
      maximum: 1_000_000,
      description: "Of one account. Further ones are refused.",
    }),
  },
  { ...closed, default: {} },
);
export type MqttSection = Static<typeof MqttSection>;

export function mqttProblems(config: MqttSection): Problem[] {
  const problems: Problem[] = externalProblems(config);
  if (config.mode === "embedded" && !isLoopbackHost(config.host) && config.users.length === 0) {
    const other = config.anonymous ? " (anonymous = true allows this machine only)" : "";
    problems.push({
      path: "mqtt.host",
      message: `"${config.host}" is reached from other machines, but no account could log in from there${other}: add a [[mqtt.users]] entry with username and password, make an account with \`hub device-account\`, or set host = "127.0.0.1"`,
    });
  }
  const first = new Map<string, number>();
  config.users.forEach((user, index) => {
    const path = `mqtt.users[${index}]`;
    const known = first.get(user.username);
    if (known !== undefined)
      problems.push({ path: `${path}.username`, message: `mqtt.users[${known}] has this username already` });
    else first.set(user.username, index);
    if (user.username === HUB_PLUGIN_ID)
      problems.push({ path: `${path}.username`, message: `"${HUB_PLUGIN_ID}" is the hub itself: take another name` });
    if (user.username === ANONYMOUS)
      problems.push({
        path: `${path}.username`,
        message: `"${ANONYMOUS}" owns what clients without a password bring: take another name`,
      });
    problems.push(...patternProblems(user, path));
  });
  return problems;
}

function patternProblems(user: MqttUser, path: string): Problem[] {
  return (["publish", "subscribe"] as const).flatMap((list) =>
    (user[list] ?? []).flatMap((pattern, index) =>
      isTopicFilter(pattern)
        ? []
        : [
            {
              path: `${path}.${list}[${index}]`,
              message: "is not a topic pattern: + matches one whole level, and # may only be the last level",
            },
          ],
    ),
  );
}

/** Whether an address or host name is this machine's loopback. */
export function isLoopbackHost(host: string): boolean {
  if (host === "localhost") return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === "loopback";
}
