// homecore.toml → hub.toml: what has a counterpart is put into the text, which keeps its comments. What a person has set here
// already stays. Every change is checked before it counts, so that the file stays valid; no value is ever printed.
import { HubError } from "../../../kit/schema/errors.ts";
import { isObject, type Json, type JsonObject } from "../../../kit/schema/json.ts";
import { parseToml, stringifyToml } from "../../../kit/schema/toml.ts";
import { type ConfigEdit, editConfig } from "../../config/edit.ts";
import { checkConfig } from "../../config/load.ts";
import type { Kind, Report } from "../report.ts";
import type { MappedCalendar } from "./calendars.ts";
import { channelOf, mqttUserOf, OPEN_BROKER, type PluginConfigs, pluginOf, UNMAPPED } from "./config-map.ts";

export interface ConfigImport {
  /** The text of hub.toml so far. */
  readonly text: string;
  /** That of a hub.toml nobody has touched: what still stands as there may be replaced. */
  readonly untouched: string;
  readonly plugins: PluginConfigs;
  readonly report: Report;
}

/** Returns the new text of hub.toml. */
export function importConfig(homecoreToml: string, options: ConfigImport): string {
  const read = parseToml(homecoreToml);
  if (!read.ok) {
    options.report.add("setting", "homecore.toml", "left", `it cannot be read: ${read.flaw.message}`);
    return options.text;
  }
  return new ConfigEdits(options).apply(read.table);
}

/** Returns the text of hub.toml with `[[calendars]]`. */
export function importCalendars(calendars: readonly MappedCalendar[], options: ConfigImport): string {
  return new ConfigEdits(options).addCalendars(calendars);
}

const SCALARS: readonly (readonly [from: string, key: string, to: string, key: string])[] = [
  ["server", "host", "server", "host"],
  ["server", "port", "server", "port"],
  ["location", "latitude", "location", "latitude"],
  ["location", "longitude", "location", "longitude"],
  ["location", "timezone", "location", "timezone"],
  ["battery", "threshold_pct", "battery", "threshold_pct"],
  ["battery", "recover_band_pct", "battery", "recover_band_pct"],
  ["auth", "token_expiry_hours", "auth", "token_lifetime_hours"],
  ["auth", "whitelist", "auth", "whitelist"],
  ["broker", "host", "mqtt", "host"],
  ["broker", "port", "mqtt", "port"],
];

const SCALAR_NOTES: Readonly<Record<string, string>> = {
  "auth.whitelist": "these addresses are administrators without a token here, too",
};
const PREFIX_NOTE =
  "topics begin with homecore/, as its plugins expect: what spoke under another prefix here has to change";

const LIST_KINDS: Readonly<Record<string, Kind>> = { plugins: "plugin", calendars: "calendar" };

class ConfigEdits {
  readonly #report: Report;
  readonly #untouched: JsonObject;
  readonly #plugins: PluginConfigs;
  #text: string;

  constructor({ text, untouched, plugins, report }: ConfigImport) {
    this.#text = text;
    this.#untouched = tableOf(untouched);
    this.#plugins = plugins;
    this.#report = report;
  }

  apply(old: JsonObject): string {
    this.#lists(old);
    // Latitude without longitude would be a problem: both at once.
    this.#location(old);
    for (const [from, key, section, name] of SCALARS) {
      const value = member(old[from], key);
      if (from !== "location" && isSettable(value))
        this.#set([{ section, key: name, value }], SCALAR_NOTES[`${from}.${key}`]);
    }
    this.#set([{ section: "mqtt", key: "prefix", value: "homecore" }], PREFIX_NOTE);
    this.#addProblem(old);
    return this.#text;
  }

  addCalendars(calendars: readonly MappedCalendar[]): string {
    for (const { id, mapped } of calendars) this.#append("calendars", "id", mapped, id);
    return this.#text;
  }

  #lists(old: JsonObject): void {
    const plugins = listOf(old.plugins);
    const pluginIds = new Set(plugins.map(({ id }) => id));
    const clients = listOf(member(old.broker, "clients"));
    for (const client of clients)
      if (!pluginIds.has(client.id)) this.#append("mqtt.users", "username", mqttUserOf(client), String(client.id));
    for (const plugin of plugins) {
      const account = clients.find(({ id }) => id === plugin.id);
      this.#append("plugins", "id", pluginOf(plugin, { account, configs: this.#plugins }), String(plugin.id));
    }
    for (const channel of listOf(member(old.notify, "channels")))
      this.#append("notify.channels", "name", channelOf(channel), String(channel.name));
  }

  #location(old: JsonObject): void {
    const edits = ["latitude", "longitude"].flatMap((key) => {
      const value = member(old.location, key);
      return isSettable(value) ? [{ section: "location", key, value }] : [];
    });
    if (edits.length === 2) this.#set(edits);
    const timezone = member(old.location, "timezone");
    if (isSettable(timezone)) this.#set([{ section: "location", key: "timezone", value: timezone }]);
  }

  /** Sets keys of one section, all or none. */
  #set(edits: readonly ConfigEdit[], note?: string): void {
    const name = edits.map(({ section, key }) => `[${section}] ${key}`).join(", ");
    const present = tableOf(this.#text);
    const standing = edits.map(({ section, key }) => member(present[section], key));
    if (edits.every(({ value }, at) => Bun.deepEquals(standing[at], value))) {
      this.#report.add("setting", name, "there");
      return;
    }
    const isOwn = edits.some(
      ({ section, key }, at) =>
        standing[at] !== undefined && !Bun.deepEquals(standing[at], member(this.#untouched[section], key)),
    );
    if (isOwn) this.#report.add("setting", name, "there", "it says something else here, and that stays");
    else this.#try("setting", name, () => editConfig(this.#text, edits), note);
  }

  /** Adds an entry to a list of tables, unless there is one of its name. */
  #append(list: string, key: string, entry: { entry: JsonObject; note?: string } | string, name: string): void {
    const kind = LIST_KINDS[list] ?? "setting";
    const shown = kind !== "setting" ? name : `[[${list}]] ${name}`;
    if (typeof entry === "string") {
      this.#report.add(kind, shown, "left", entry);
      return;
    }
    const [section = "", inner] = list.split(".");
    const present = tableOf(this.#text)[section];
    const entries = listOf(inner === undefined ? present : member(present, inner));
    if (entries.some((other) => other[key] === entry.entry[key])) {
      this.#report.add(kind, shown, "there");
      return;
    }
    const block = stringifyToml({ [section]: inner === undefined ? [entry.entry] : { [inner]: [entry.entry] } });
    const body = block.slice(block.indexOf("[["));
    this.#try(kind, shown, () => `${this.#text}${this.#text.endsWith("\n") ? "" : "\n"}\n${body}`, entry.note);
  }

  #try(kind: Kind, name: string, edit: () => string, note?: string): void {
    try {
      const edited = edit();
      const problem = newProblem(this.#text, edited);
      if (problem !== undefined) throw new HubError("invalid", problem);
      this.#text = edited;
      this.#report.add(kind, name, note === undefined ? "moved" : "changed", note);
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      this.#report.add(kind, name, "left", error.message);
    }
  }

  #addProblem(old: JsonObject): void {
    if (listOf(member(old.broker, "clients")).length === 0)
      this.#report.add("setting", "[[broker.clients]]", "left", OPEN_BROKER);
    for (const [section, value] of Object.entries(old)) {
      const whole = UNMAPPED[section];
      if (whole !== undefined) this.#report.add("setting", `[${section}]`, "left", whole);
      for (const key of isObject(value) ? Object.keys(value) : []) {
        const why = UNMAPPED[`${section}.${key}`];
        if (why !== undefined) this.#report.add("setting", `[${section}] ${key}`, "left", why);
      }
    }
  }
}

function isSettable(value: Json | undefined): value is ConfigEdit["value"] {
  if (Array.isArray(value)) return value.every((item) => typeof item === "string");
  return ["string", "number", "boolean"].includes(typeof value);
}

/** What is wrong with the edited text, and was not with the one before. */
function newProblem(before: string, after: string): string | undefined {
  const problems = (text: string) =>
    checkConfig(text, { otherMqttAccounts: true }).problems.filter(({ warning }) => !warning);
  const known = new Set(problems(before).map(({ path, message }) => `${path} ${message}`));
  const found = problems(after).find(({ path, message }) => !known.has(`${path} ${message}`));
  return found && `${found.path}: ${found.message}`;
}

function tableOf(text: string): JsonObject {
  const read = parseToml(text);
  return read.ok ? read.table : {};
}

function member(value: Json | undefined, key: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function listOf(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
