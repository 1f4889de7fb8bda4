// What is cut out of hub.toml for a problem at a path, so that the rest of the house goes on without it: an entry of a list,
// a key, or a whole section where its key alone would do harm. Who may do what is never guessed: nothing is cut out of
// [server] and [auth], nor of [mqtt] but single accounts.
import { isObject, type JsonObject } from "../core/json.ts";

export type Cut = EntryCut | KeyCut;

export interface EntryCut {
  readonly list: "plugins" | "mqtt.users";
  readonly index: number;
  /** What that means until the file is mended. */
  readonly meanwhile: string;
}

export interface KeyCut {
  readonly meanwhile: string;
  /** Answers whether there was anything to take out. */
  apply(table: JsonObject): boolean;
}

const ENTRY = /^(plugins|mqtt\.users)\[(\d+)\]/;

/** Undefined where the hub cannot do without. */
export function cutFor(path: string): Cut | undefined {
  const [, list, index] = ENTRY.exec(path) ?? [];
  if (list === "plugins") return { list, index: Number(index), meanwhile: "the plugin is not started" };
  if (list === "mqtt.users") return { list, index: Number(index), meanwhile: "the account is left out" };
  if (path === "mqtt.users") return cut("no account of it may log in", ({ mqtt }) => remove(mqtt, "users"));
  const [section = "", key = ""] = path.split(/[.[]/);
  switch (section) {
    case "plugins":
      return cut("no plugin is started", (table) => replace(table, section, []));
    case "backup":
      if (key === "notify_channel") return cut("nobody is told", ({ backup }) => remove(backup, key));
      // Backups that are not encrypted, or that push older ones out too early, are worse than none.
      return cut("no backups are made by themselves", (table) => replace(table, section, {}));
    case "history":
      // With a default, samples would be removed that somebody wants to keep.
      return cut("nothing is recorded", (table) => replace(table, section, { enabled: false }));
    case "location":
      if (key === "latitude" || key === "longitude") return cut("nothing follows the sun", removePlace);
      return cut("it is left out", (table) => remove(table.location, key) || replace(table, section, {}));
    case "notify":
    case "events":
    case "storage":
    case "battery":
    case "log":
      return cut("it is left out", (table) => remove(table[section], key) || replace(table, section, {}));
    default:
      return undefined;
  }
}

/** The list itself; empty where it is none. */
export function listAt(table: JsonObject, list: EntryCut["list"]): unknown[] {
  const found = list === "plugins" ? table.plugins : isObject(table.mqtt) ? table.mqtt.users : undefined;
  return Array.isArray(found) ? found : [];
}

function cut(meanwhile: string, apply: KeyCut["apply"]): KeyCut {
  return { meanwhile, apply };
}

function remove(from: unknown, key: string): boolean {
  return isObject(from) && Object.hasOwn(from, key) && delete from[key];
}

function removePlace({ location }: JsonObject): boolean {
  return [remove(location, "latitude"), remove(location, "longitude")].includes(true);
}

function replace(table: JsonObject, section: string, by: JsonObject | []): boolean {
  if (Bun.deepEquals(table[section], by)) return false;
  table[section] = by;
  return true;
}
