// Entries of lists in homecore.toml as hub.toml has them; a text instead says why one has no counterpart.
import type { Json, JsonObject } from "../../../kit/schema/json.ts";
import { parseToml } from "../../../kit/schema/toml.ts";

/** Plugin → the text of its configuration. */
export type PluginConfigs = ReadonlyMap<string, string>;

/** A text says why it has no counterpart. */
export type Mapped = { entry: JsonObject; note?: string } | string;

const SHORTEST_PASSWORD = 8;

/** `[[broker.clients]]` → `[[mqtt.users]]` */
export function mqttUserOf({ id, password, allow_pub, allow_sub }: JsonObject): Mapped {
  if (typeof id !== "string" || typeof password !== "string") return "it has no id, or no password";
  if (isFingerprint(password))
    return "homeCore keeps only the fingerprint of its password: give it an account with a new one under [[mqtt.users]]";
  const [publish, subscribe] = [texts(allow_pub), texts(allow_sub)];
  // Without either list, an account here has the rights of the plugin of its name.
  const isLimited = publish.length + subscribe.length > 0;
  return { entry: { username: id, password, ...(isLimited && { publish, subscribe }) } };
}

/** With the password that the plugin's own configuration names, so that it can log in as before. */
export function pluginOf(
  { id, binary, enabled }: JsonObject,
  { account, configs }: { account: JsonObject | undefined; configs: PluginConfigs },
): Mapped {
  if (typeof id !== "string" || typeof binary !== "string") return "it has no id, or no binary";
  const config = configs.get(id);
  const password = passwordIn(config) ?? account?.password;
  const usable = typeof password === "string" && password.length >= SHORTEST_PASSWORD && !isFingerprint(password);
  const notes = [
    `copy its program to ${binary}`,
    ...(config === undefined ? [`and its configuration to plugins/${id}/config/config.toml`] : []),
    ...(usable
      ? []
      : [
          `${whyUnusable(password)}: write one of ${SHORTEST_PASSWORD} characters or more as password into [homecore] of plugins/${id}/config/config.toml, and the same as password into its entry in hub.toml`,
        ]),
  ];
  const entry = {
    ...{ id, binary, enabled: enabled !== false },
    ...(usable && { password }),
    ...(texts(account?.allow_pub).length > 0 && { publish: texts(account?.allow_pub) }),
    ...(texts(account?.allow_sub).length > 0 && { subscribe: texts(account?.allow_sub) }),
  };
  return { entry, note: notes.join("; ") };
}

function whyUnusable(password: Json | undefined): string {
  if (typeof password !== "string")
    return "it has no password there, as far as the backup says, and this hub lets no plugin in without one";
  return isFingerprint(password)
    ? "homeCore keeps only the fingerprint of its password"
    : "its password is too short here";
}

/** A hash of bcrypt or argon2. */
function isFingerprint(password: string): boolean {
  return /^\$(?:2[abxy]|argon2\w*)\$/.test(password);
}

/** What homeCore's broker does without accounts, and this one does not. */
export const OPEN_BROKER =
  "homeCore's broker had no accounts, and let every program of its own machine in without a password; this one lets nobody in so: give each program an account (`hub device-account NAME`, or [[mqtt.users]]), or set anonymous = true in [mqtt] for those of this machine alone";

function passwordIn(config: string | undefined): string | undefined {
  const read = config === undefined ? undefined : parseToml(config);
  const section = read?.ok ? (read.table.homecore as JsonObject | undefined) : undefined;
  return typeof section?.password === "string" && section.password !== "" ? section.password : undefined;
}

/** `[[notify.channels]]` */
export function channelOf({ name, type, ...rest }: JsonObject): Mapped {
  if (typeof name !== "string") return "it has no name";
  const only = (...keys: string[]): JsonObject =>
    Object.fromEntries(keys.flatMap((key) => (rest[key] === undefined ? [] : [[key, rest[key] as Json]])));
  switch (type) {
    case "telegram":
      return {
        entry: {
          ...{ name, type: "messaging_bot", ...only("bot_token") },
          chat_id: String(rest.chat_id ?? ""),
          ...(rest.markdown === true && { parse_mode: "MarkdownV2" }),
        },
      };
    case "pushover":
      return {
        entry: {
          name,
          type: "push_app",
          api_key: rest.api_token ?? "",
          ...only("user_key", "device", "sound", "priority"),
        },
      };
    case "email":
      return {
        entry: {
          name,
          type,
          ...only("from"),
          to: typeof rest.to === "string" ? [rest.to] : (rest.to ?? []),
          ...only("smtp"),
        },
      };
    default:
      return "this hub has no channel of its type";
  }
}

function texts(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** Sections and keys of homecore.toml without a counterpart, with what to do instead. */
export const UNMAPPED: Readonly<Record<string, string>> = {
  "auth.jwt_secret": "this hub has a secret of its own: everybody logs in again",
  "auth.admin_uds": "this hub has no such socket: `hub passwd` works on this machine",
  "battery.notify_channel": "write a rule with a device_battery_low trigger and a notify action",
  "battery.notify_on_recovered": "write a rule with a device_battery_recovered trigger",
  "broker.v5_port": "MQTT 5 is spoken at the same port",
  "broker.tls_port": "the broker speaks no TLS: keep it in the house's own network",
  "broker.cert_path": "the broker speaks no TLS",
  "broker.key_path": "the broker speaks no TLS",
  calendars: "copy the .ics files and name each under [[calendars]]",
  influx: "not part of this hub's settings",
  logging: "[log] level is all there is to set: `hub help serve`",
  metrics: "not part of this hub's settings",
  profiles: "profiles have another form here: see docs/profiles.md",
  registry: "plugins are uploaded as files",
  rules: "rules are in rules/",
  scheduler: "a rule's own catch_up_secs says how late it may run",
  shutdown: "the hub ends within ten seconds by itself",
  startup: "rules start once the broker answers",
  storage: "the databases are in data/",
  web_admin: "the page is part of the hub",
};
