// Keys of [mqtt] for a broker of others: where it is, how to log in there, and which topics the hub listens to.
import { Type } from "@sinclair/typebox";
import type { Problem } from "../../../kit/schema/schema.ts";
import { isTopicFilter } from "../../../kit/text/topic-filter.ts";

const path = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));

export const externalKeys = {
  mode: Type.Union([Type.Literal("embedded"), Type.Literal("external")], {
    default: "embedded",
    expected: "embedded or external",
    description: "`external`: the hub is a client of the broker at `url`, and listens nowhere itself.",
  }),
  url: Type.Optional(
    Type.String({
      maxLength: 1000,
      description:
        "Of the external broker: `mqtt://`, `mqtts://`, `ws://` or `wss://`, without user name and password.",
    }),
  ),
  more_urls: Type.Array(Type.String({ maxLength: 1000 }), {
    default: [],
    expected: "a list of addresses",
    maxItems: 20,
    description: "Further nodes of the same cluster, tried in turn while the others are gone.",
  }),
  username: Type.Optional(Type.String({ minLength: 1, description: "The hub's own account at the external broker." })),
  password: Type.Optional(Type.String({ minLength: 1, secret: true })),
  ca: path("Certificates (PEM) that the external broker's is checked with; those of the system when absent."),
  cert: path("The hub's own certificate (PEM), for an external broker that asks for one."),
  key: path("The private key (PEM) of `cert`."),
  client_id: Type.Optional(
    Type.String({
      pattern: "^[A-Za-z0-9_.-]{1,64}$",
      problem: "must be 1 to 64 letters, digits, dots, dashes or underscores",
      description: "At the external broker; one that the hub makes up and keeps when absent.",
    }),
  ),
  topics: Type.Array(Type.String(), {
    default: ["#"],
    expected: "a list of topic patterns",
    description: "What the hub listens to at the external broker, besides its own topics.",
  }),
  session_secs: Type.Integer({
    default: 300,
    minimum: 0,
    maximum: 86_400,
    description: "How long the external broker keeps messages (QoS 1) for the hub while that is away.",
  }),
};

/** The keys that have no meaning for the embedded broker. */
const ONLY_EXTERNAL = ["url", "username", "password", "ca", "cert", "key", "client_id"] as const;

/** The part of [mqtt] that is checked here. */
interface ExternalSection extends Partial<Record<(typeof ONLY_EXTERNAL)[number], string>> {
  mode: "embedded" | "external";
  topics: readonly string[];
  more_urls: readonly string[];
}

const SCHEMES = ["mqtt:", "mqtts:", "ws:", "wss:"];

export function externalProblems(config: ExternalSection): Problem[] {
  if (config.mode === "embedded") {
    const found = ONLY_EXTERNAL.find((key) => config[key] !== undefined);
    if (found === undefined) return [];
    return [{ path: `mqtt.${found}`, message: 'is for mode = "external" only: set that, or remove this key' }];
  }
  const { url, more_urls, ...rest } = config;
  return [
    ...(url === undefined ? [missingUrl] : urlProblems("mqtt.url", url, rest)),
    ...more_urls.flatMap((one, index) => urlProblems(`mqtt.more_urls[${index}]`, one, rest)),
    ...loginProblems(config),
    ...topicProblems(config),
  ];
}

const FORM = "such as mqtt://192.168.1.5:1883 or mqtts://broker.example:8883";
const missingUrl: Problem = {
  path: "mqtt.url",
  message: `is missing: with mode = "external" it says where the broker is, ${FORM}`,
};

function urlProblems(path: string, url: string, { ca, cert }: Pick<ExternalSection, "ca" | "cert">): Problem[] {
  const problem = (message: string): Problem[] => [{ path, message }];
  const parsed = URL.parse(url);
  if (!parsed || !SCHEMES.includes(parsed.protocol) || parsed.hostname === "")
    return problem(`must be the address of an MQTT broker, ${FORM}`);
  if (parsed.username || parsed.password)
    return problem("must not contain user name and password: they have keys of their own, username and password");
  if ((ca !== undefined || cert !== undefined) && !isSecure(parsed))
    return problem("ca and cert are for mqtts:// and wss://: this address is not encrypted");
  return [];
}

export function isSecure({ protocol }: Pick<URL, "protocol">): boolean {
  return protocol === "mqtts:" || protocol === "wss:";
}

function loginProblems({ username, password, cert, key }: ExternalSection): Problem[] {
  return [
    ...(password !== undefined && username === undefined
      ? [{ path: "mqtt.username", message: "is missing: the password belongs to a user name" }]
      : []),
    ...((cert === undefined) !== (key === undefined)
      ? [{ path: `mqtt.${cert === undefined ? "cert" : "key"}`, message: "is missing: cert and key go together" }]
      : []),
  ];
}

function topicProblems({ topics }: ExternalSection): Problem[] {
  return topics.flatMap((filter, index) =>
    isTopicFilter(filter) && !filter.startsWith("$")
      ? []
      : [
          {
            path: `mqtt.topics[${index}]`,
            message:
              "is not a topic pattern: + matches one whole level, # may only be the last level, $ may not begin it",
          },
        ],
  );
}

/** What to do about a plugin without an account at an external broker. */
export function missingPassword(id: string): string {
  return `the plugin "${id}" needs an account of its own at the external MQTT broker: make one named "${id}" there, and write its password as password = "…" into its [[plugins]] entry`;
}
