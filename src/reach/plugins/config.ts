// `[[plugins]]`: which plugins the hub runs, and the checks of their entries.
import { isAbsolute, normalize } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { didYouMean } from "../../kit/schema/did-you-mean.ts";
import { HUB_PLUGIN_ID } from "../../kit/schema/ids.ts";
import type { Problem } from "../../kit/schema/schema.ts";
import { isTopicFilter } from "../../kit/text/topic-filter.ts";
import { EXPANDABLE, referencesIn } from "./environment.ts";

export const PluginEntry = Type.Object(
  {
    id: Type.String({
      // It becomes a folder name, an MQTT username and a level of topics.
      pattern: "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$",
      problem: "must be 1 to 64 letters, digits, dots, dashes or underscores, and not start with a dot",
      description: "Plugin identifier; also its MQTT username and the name of its folder",
    }),
    binary: Type.String({
      minLength: 1,
      description: "Path of the plugin executable, relative to HUB_HOME; `.js` and `.ts` run on the hub's own Bun",
    }),
    config: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          "Path of the plugin configuration file, relative to HUB_HOME; plugins/<id>/config/config.toml when absent",
      }),
    ),
    enabled: Type.Boolean({ default: true, description: "Whether the plugin is started" }),
    args: Type.Array(Type.String(), { default: [], description: "Arguments after the path of its configuration" }),
    env: Type.Record(Type.String(), Type.String(), {
      default: {},
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the notation of the configuration.
      description: "Further environment variables; values may refer to the hub's, as in ${HUB_MQTT_PASSWORD}",
    }),
    heartbeat_timeout_secs: Type.Integer({
      minimum: 5,
      maximum: 86_400,
      default: 90,
      description: "Silence after which one that sends heartbeats is offline; after twice that it is restarted",
    }),
    confine: Type.Union([Type.Literal("auto"), Type.Literal("strict"), Type.Literal("off")], {
      default: "auto",
      description:
        "Whether the kernel confines it to its own folder: auto if it can, strict or it is not started, off never",
    }),
    read: Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      description: "Further files and folders it may read and execute, relative to HUB_HOME",
    }),
    write: Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      description: "Further files and folders it may read, execute and change, relative to HUB_HOME",
    }),
    unix_sockets: Type.Boolean({
      default: false,
      description: "Whether it may connect to UNIX sockets while it is confined: D-Bus (Bluetooth), a database, docker",
    }),
    max_memory_mb: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1_048_576,
        description: "With more memory it is restarted; half of the machine's memory when absent, 0 for no limit",
      }),
    ),
    max_processes: Type.Integer({
      minimum: 0,
      maximum: 100_000,
      default: 1000,
      description: "With more processes and threads it is restarted; 0 for no limit",
    }),
    password: Type.Optional(
      Type.String({
        minLength: 8,
        secret: true,
        description: "A fixed MQTT password, for a plugin with several processes; a new one for each start when absent",
      }),
    ),
    api: Type.Optional(
      Type.Union([Type.Literal("viewer"), Type.Literal("user")], {
        description: "It may use the API with this role, by a key of its own for each start; not at all when absent",
      }),
    ),
    publish: Type.Array(Type.String(), {
      default: [],
      description: "Topic patterns it may publish to besides those of every plugin",
    }),
    subscribe: Type.Array(Type.String(), {
      default: [],
      description: "Topic patterns it may subscribe to besides those of every plugin",
    }),
  },
  { additionalProperties: false },
);
export type PluginEntry = Static<typeof PluginEntry>;

export const PluginsSection = Type.Array(PluginEntry, { default: [] });
export type PluginsSection = Static<typeof PluginsSection>;

/** Problems that the schema cannot express. */
export function pluginProblems(entries: readonly PluginEntry[], at = "plugins"): Problem[] {
  return entries.flatMap((entry, index) => [
    ...idProblems(entries, index).map((message) => ({ path: `${at}[${index}].id`, message })),
    ...([entry.binary, entry.config ?? "", ...entry.args, ...entry.read, ...entry.write].some((text) =>
      text.includes("\0"),
    )
      ? [{ path: `${at}[${index}]`, message: "a path or argument must not contain a NUL character" }]
      : []),
    ...Object.entries(entry.env).flatMap(([name, value]) =>
      variableProblems(name, value).map((message) => ({ path: `${at}[${index}].env.${name}`, message })),
    ),
    ...(["read", "write"] as const).flatMap((list) =>
      entry[list].flatMap((path, place) =>
        opensHubFolder(list, path).map((message) => ({ path: `${at}[${index}].${list}[${place}]`, message })),
      ),
    ),
    ...(["publish", "subscribe"] as const).flatMap((list) =>
      entry[list].flatMap((pattern, place) =>
        isTopicFilter(pattern)
          ? []
          : [
              {
                path: `${at}[${index}].${list}[${place}]`,
                message: "is no topic pattern: + must be a whole level, # the last level",
              },
            ],
      ),
    ),
  ]);
}

// Checks only the path as written; where links lead is checked when the plugin starts.
function opensHubFolder(list: "read" | "write", path: string): string[] {
  if (isAbsolute(path)) return path === "/" ? ["/ would open everything: name the folders it needs"] : [];
  const [first = "."] = normalize(path).split("/");
  const closed = ["config", "data", "rules", ...(list === "write" ? ["bin", "logs"] : [])];
  if (closed.includes(first))
    return [`${first}/ is the hub's and stays closed to plugins: keep what it needs elsewhere`];
  return first === "." ? ["would open the hub's own folders: name the folders it needs"] : [];
}

/** Whose a name is already that no plugin can have; undefined for all others. */
export function reservedAs(id: string): string | undefined {
  const lower = id.toLowerCase();
  if (Object.hasOwn(RESERVED, lower)) return RESERVED[lower];
  // With any ending: its folder could not be made on such a machine, nor on a share of one, nor could the house move there.
  if (/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/.test(lower))
    return "a name that Windows keeps for itself, and no folder there";
  return lower.endsWith(".") ? "no folder on Windows, which leaves out a dot at the end" : undefined;
}

const RESERVED: Readonly<Record<string, string>> = {
  [HUB_PLUGIN_ID]: "the hub's own name",
  sdk: "the hub's own folder in plugins/",
  _probe: "the name by which the hub tries out a broker",
  anonymous: "the owner of what clients without a password bring",
};

function idProblems(entries: readonly PluginEntry[], index: number): string[] {
  const id = entries[index]?.id ?? "";
  const reserved = reservedAs(id);
  if (reserved !== undefined) return [`"${id}" is ${reserved}: choose another`];
  // Case is ignored: on some file systems the two would share one folder.
  const first = entries.findIndex((other) => other.id.toLowerCase() === id.toLowerCase());
  return first < index ? [`"${id}" is already the id of entry ${first + 1}: each plugin needs its own`] : [];
}

function variableProblems(name: string, value: string): string[] {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return ["the name must be letters, digits and underscores"];
  if (/^HUB_|^BUN_(BE_BUN|OPTIONS)$/.test(name)) return [`${name} is set by the hub and cannot be changed here`];
  if (value.includes("\0")) return ["the value must not contain a NUL character"];
  return referencesIn(value)
    .filter((reference) => !EXPANDABLE.has(reference))
    .map((reference) => `\${${reference}} is not a variable the hub sets${didYouMean(reference, [...EXPANDABLE])}`);
}
