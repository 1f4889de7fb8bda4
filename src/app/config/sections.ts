// hub.toml as a whole: the sections of all rooms in one schema, and the problems between sections.
import { type Static, Type } from "@sinclair/typebox";
import { ServerSection, serverProblems } from "../../api/http/config.ts";
import { McpSection } from "../../api/mcp/config.ts";
import { BackupSection, backupProblems } from "../../copies/backup/config.ts";
import { StandbySection, standbyProblems } from "../../copies/standby/config.ts";
import { CalendarsSection, calendarsProblems } from "../../house/calendars/config.ts";
import { DiscoverySection } from "../../house/discovery/config.ts";
import { HistorySection } from "../../house/history/config.ts";
import { PicturesSection } from "../../house/pictures/config.ts";
import { BatterySection, batteryProblems, DevicesSection, StorageSection } from "../../house/state/config.ts";
import { isObject } from "../../kit/schema/json.ts";
import type { Problem } from "../../kit/schema/schema.ts";
import type { LineProblem } from "../../kit/schema/toml.ts";
import { addressSet } from "../../kit/text/addresses.ts";
import { createZone } from "../../kit/time/zone.ts";
import { HistoryExports, historyExportProblems } from "../../reach/export/config.ts";
import { MqttSection, mqttProblems } from "../../reach/mqtt/config.ts";
import { missingPassword } from "../../reach/mqtt/external/config.ts";
import { channelNames, NotifySection, readChannels } from "../../reach/notify/config.ts";
import { PeopleSection, peopleNames, peopleProblems } from "../../reach/notify/people/config.ts";
import { PluginsSection, pluginProblems } from "../../reach/plugins/config.ts";
import { RulesSection } from "../../rules/config.ts";
import { parseCron } from "../../rules/schedule/cron.ts";
import { AlertsSection, alertsProblems } from "../../server/alerts/config.ts";
import { AuthSection, authProblems } from "../../server/auth/config.ts";
import { EventsSection } from "../../server/events/config.ts";
import { UpgradeSection } from "../../server/system/upgrade/config.ts";
import { LocationSection, locationProblems } from "./location.ts";

/** [log]: how much the hub writes to its log. */
const LogSection = Type.Object(
  {
    level: Type.Union([Type.Literal("debug"), Type.Literal("info"), Type.Literal("warning"), Type.Literal("error")], {
      default: "info",
    }),
  },
  { additionalProperties: false },
);

/** [history], with the exports of another room. */
const HistoryWithExports = Type.Object(
  { ...HistorySection.properties, export: HistoryExports },
  { additionalProperties: false, default: {} },
);

export const HubConfig = Type.Object(
  {
    server: ServerSection,
    location: LocationSection,
    auth: AuthSection,
    mqtt: MqttSection,
    discovery: DiscoverySection,
    plugins: PluginsSection,
    notify: NotifySection,
    people: PeopleSection,
    calendars: CalendarsSection,
    pictures: PicturesSection,
    events: EventsSection,
    devices: DevicesSection,
    rules: RulesSection,
    storage: StorageSection,
    history: HistoryWithExports,
    battery: BatterySection,
    backup: BackupSection,
    alerts: AlertsSection,
    mcp: McpSection,
    standby: StandbySection,
    upgrade: UpgradeSection,
    log: LogSection,
  },
  { additionalProperties: false },
);
export type HubConfig = Static<typeof HubConfig> & {
  /** What was left out of the file because it is wrong. */
  readonly faults?: readonly Fault[];
};

/** Something wrong that was left out of the configuration. */
export interface Fault extends LineProblem {
  readonly confined: true;
  /** The id or name of the list's entry, where it has one. */
  readonly name?: string;
}

/** Sections a file may leave out; their keys then have their defaults, or are reported as missing. Lists are then empty. */
export const sectionNames = Object.entries(HubConfig.properties)
  .filter(([, section]) => section.type === "object")
  .map(([name]) => name);

/** The sections that have a key of this name. */
export function sectionsWith(key: string): string[] {
  return Object.entries(HubConfig.properties).flatMap(([name, section]) =>
    "properties" in section && Object.hasOwn(section.properties, key) ? [name] : [],
  );
}

/** All names that a message can be sent to: channels, people and groups. */
export function addressNames({ notify, people }: Pick<HubConfig, "notify" | "people">): string[] {
  return [...channelNames(notify), ...peopleNames(people)];
}

/** Problems between keys, in a file where each key is right by itself. */
export function crossProblems(config: HubConfig): Problem[] {
  return [
    ...serverProblems(config.server),
    ...locationProblems(config.location),
    ...authProblems(config.auth),
    ...whitelistProblems(config),
    ...mqttProblems(config.mqtt),
    ...pluginProblems(config.plugins),
    ...calendarsProblems(config.calendars),
    ...historyExportProblems(config.history.export),
    ...batteryProblems(config.battery),
    ...peopleProblems(config.people, channelNames(config.notify)),
    ...backupProblems(config.backup, { cronProblem, channels: addressNames(config) }),
    ...alertsProblems(config.alerts, addressNames(config)),
    ...standbyProblems(config.standby),
    ...portProblems(config),
    ...accountProblems(config),
    ...passwordProblems(config),
  ];
}

function cronProblem(text: string): string | undefined {
  const parsed = parseCron(text, createZone("UTC"));
  return parsed.ok ? undefined : parsed.problem;
}

/** Problems of channels, each of which disables its own channel; looked for whatever else is wrong with the file. */
export function confinedProblems(table: unknown): Problem[] {
  const { notify, mqtt } = isObject(table) ? table : {};
  if (!isObject(notify) || !Array.isArray(notify.channels)) return [];
  const given = isObject(mqtt) ? mqtt.prefix : undefined;
  const mqttPrefix = typeof given === "string" ? given : HubConfig.properties.mqtt.properties.prefix.default;
  return readChannels(notify.channels, { mqttPrefix }).problems;
}

const LOOPBACK = ["127.0.0.1", "::1"];

// Where plugins run, api/http/callers.ts refuses what comes from this machine without a token.
function whitelistProblems({ auth, plugins }: HubConfig): Problem[] {
  const isRun = plugins.some(({ enabled }) => enabled);
  return auth.whitelist.flatMap((entry, index) =>
    isRun && LOOPBACK.some((address) => addressSet([entry]).has(address))
      ? [
          {
            path: `auth.whitelist[${index}]`,
            message: `"${entry}" has this machine's own address, which its plugins have as well: programs here need a token nevertheless`,
            warning: true,
          },
        ]
      : [],
  );
}

// A plugin that the hub runs gets its account, named by its id, from the hub.
function accountProblems({ mqtt, plugins }: HubConfig): Problem[] {
  const ids = new Set(plugins.map(({ id }) => id));
  return mqtt.users.flatMap(({ username }, index) =>
    ids.has(username)
      ? [
          {
            path: `mqtt.users[${index}].username`,
            message: `"${username}" is a plugin that the hub runs itself; choose another name`,
          },
        ]
      : [],
  );
}

/** A plugin's account at an external broker is made by a person; where the hub itself needs none, plugins need none. */
function passwordProblems({ mqtt, plugins }: HubConfig): Problem[] {
  if (mqtt.mode === "embedded" || mqtt.username === undefined) return [];
  return plugins.flatMap(({ id, enabled, password }, index) =>
    enabled && password === undefined
      ? [{ path: `plugins[${index}].password`, message: missingPassword(id), warning: true }]
      : [],
  );
}

function portProblems({ server, mqtt }: HubConfig): Problem[] {
  if (mqtt.mode === "external" || server.port !== mqtt.port || server.port === 0) return [];
  return [
    { path: "mqtt.port", message: `${mqtt.port} is [server] port as well; the two listeners need different ports` },
  ];
}
