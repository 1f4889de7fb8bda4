// The kinds of MQTT accounts that are made at run time: what each may publish and subscribe to, and what people enter on the
// other side. A kind may publish its devices' command topics too: the hub writes there only where the account itself may.
import { type Static, Type } from "@sinclair/typebox";

export const AccountKindName = Type.Union(
  [
    Type.Literal("zigbee2mqtt"),
    Type.Literal("tasmota"),
    Type.Literal("shelly"),
    Type.Literal("esphome"),
    Type.Literal("plugin"),
    Type.Literal("custom"),
  ],
  { expected: "zigbee2mqtt, tasmota, shelly, esphome, plugin or custom" },
);
export type AccountKindName = Static<typeof AccountKindName>;

export interface Naming {
  name: string;
  /** The first levels of its topics; undefined for the kind's own. */
  base: string | undefined;
  /** The first levels of Home Assistant's discovery. */
  discovery: string;
}

export interface TopicLists {
  publish: readonly string[];
  subscribe: readonly string[];
}

/** What the other side needs to log in. */
export interface Connection extends Pick<Naming, "name" | "base"> {
  password: string;
  host: string;
  port: number;
  /** `[mqtt] prefix`. */
  prefix: string;
}

export interface AccountKind {
  /** Whether it may be a program on the hub's own machine; the others are devices with an address of their own. */
  isProgram: boolean;
  topics(naming: Naming): TopicLists;
  /** Where the lines go, for people. */
  where(connection: Connection): string;
  lines(connection: Connection): string[];
  /** What is wrong with the name or the base for this kind. */
  problem?(naming: Naming): string | undefined;
}

/** Text for YAML, whatever is in it. */
const quoted = (text: string): string => JSON.stringify(text);

const atPort = (host: string, port: number): string => `${host.includes(":") ? `[${host}]` : host}:${port}`;

const plainLines = ({ host, port, name, password }: Connection): string[] => [
  `host: ${host}`,
  `port: ${port}`,
  `username: ${name}`,
  `password: ${password}`,
];

const noBase = ({ base }: Naming): string | undefined =>
  base === undefined ? undefined : "base: is for the topics of devices; an account of this kind has none";

export const ACCOUNT_KINDS: Readonly<Record<AccountKindName, AccountKind>> = {
  zigbee2mqtt: {
    isProgram: true,
    topics: ({ base = "zigbee2mqtt", discovery }) => ({
      publish: [`${base}/#`, `${discovery}/#`],
      subscribe: [`${base}/#`, `${discovery}/status`],
    }),
    where: () => "In Zigbee2MQTT's configuration.yaml, replace the section `mqtt:` by these lines, then restart it.",
    lines: ({ name, password, host, port, base = "zigbee2mqtt" }) => [
      "mqtt:",
      `  base_topic: ${quoted(base)}`,
      `  server: ${quoted(`mqtt://${atPort(host, port)}`)}`,
      `  user: ${quoted(name)}`,
      `  password: ${quoted(password)}`,
    ],
  },
  tasmota: {
    isProgram: false,
    // Without a base, any number of devices, each with its own topic.
    topics({ base }) {
      const own = base === undefined ? "#" : `${base}/#`;
      return {
        publish: ["tasmota/discovery/#", `tele/${own}`, `stat/${own}`, `cmnd/${own}`],
        subscribe: [`cmnd/${own}`],
      };
    },
    where: ({ base }) =>
      `On the Tasmota's web page, open Tools → Console and enter this line; it restarts by itself. ${base === undefined ? "The same line fits any number of them: each has a topic of its own." : "It is for this one device."}`,
    lines: ({ name, password, host, port, base = "tasmota_%06X" }) => [
      `Backlog MqttHost ${host}; MqttPort ${port}; MqttUser ${name}; MqttPassword ${password}; Topic ${base}; FullTopic %prefix%/%topic%/; SetOption19 0`,
    ],
    problem: ({ name, base = "" }) =>
      /[;\s]/.test(name + base) ? "name and base: a Tasmota's console takes no blanks and no ; in them" : undefined,
  },
  shelly: {
    isProgram: false,
    // The first generation is below shellies/, the later ones below a prefix of their own.
    topics: ({ name, base }) => ({
      publish: [
        `${base ?? name}/#`,
        ...(base === undefined ? ["shellies/#"] : ["shellies/announce", `shellies/${base}/#`]),
      ],
      subscribe: [
        `${base ?? name}/#`,
        ...(base === undefined ? ["shellies/#"] : ["shellies/command", `shellies/${base}/#`]),
      ],
    }),
    where: ({ name, base = name }) =>
      `On the Shelly's web page, open Settings → MQTT (first generation: Internet & Security → Advanced), enter this, save, and restart it. A second Shelly with this account takes the prefix ${base}/ and a word.`,
    lines: ({ name, password, host, port, base = name }) => [
      "Enable MQTT: on",
      `Server: ${atPort(host, port)}`,
      `Username: ${name}`,
      `Password: ${password}`,
      `MQTT prefix: ${base}`,
      "Enable RPC status notifications: on",
    ],
  },
  esphome: {
    isProgram: false,
    topics: ({ name, base = name, discovery }) => ({
      publish: [`${base}/#`, `${discovery}/+/${base}/#`],
      subscribe: [`${base}/#`],
    }),
    where: ({ name, base = name }) =>
      `Add these lines to the ESPHome file whose \`esphome:\` section says \`name: ${base}\`, then install it on the device.`,
    lines: ({ name, password, host, port, base = name }) => [
      "mqtt:",
      `  broker: ${quoted(host)}`,
      `  port: ${port}`,
      `  username: ${quoted(name)}`,
      `  password: ${quoted(password)}`,
      `  topic_prefix: ${quoted(base)}`,
    ],
    problem: ({ name, base = name }) =>
      /^[a-z0-9_-]+$/.test(base)
        ? undefined
        : `base: must be the node's name in ESPHome, of a-z, 0-9, - and _; "${base}" is none`,
  },
  plugin: {
    isProgram: true,
    // It has the rights of the plugin with its name; see rights.ts.
    topics: () => ({ publish: [], subscribe: [] }),
    where: () => "Start the plugin with these environment variables.",
    lines: ({ name, password, host, port, prefix }) => [
      `HUB_PLUGIN_ID=${name}`,
      `HUB_MQTT_HOST=${host}`,
      `HUB_MQTT_PORT=${port}`,
      `HUB_MQTT_USERNAME=${name}`,
      `HUB_MQTT_PASSWORD=${password}`,
      `HUB_TOPIC_PREFIX=${prefix}`,
    ],
    problem: (naming) =>
      /^[\w.-]+$/.test(naming.name)
        ? noBase(naming)
        : "name: is the plugin's id, of letters, digits and . _ - for this kind",
  },
  custom: {
    isProgram: true,
    topics: () => ({ publish: [], subscribe: [] }),
    where: () => "Enter this on the other side.",
    lines: plainLines,
    problem: noBase,
  },
};
