// What plugins keep in the hub's database, so that it is in its backups: a text each, which the plugin alone reads.
import { HubError } from "../../kit/schema/errors.ts";
import type { Meta } from "../../server/db/meta.ts";

export interface PluginStorage {
  /** Throws HubError `not_found` where it has kept nothing. */
  read(pluginId: string): string;
  /** Durable when it returns. Throws HubError `too_large`. */
  write(pluginId: string, text: string): void;
}

/** The id of the key that the hub gives a plugin for the API. */
export function keyOfPlugin(pluginId: string): string {
  return `plugin:${pluginId}`;
}

const MAX_KEPT_BYTES = 1_048_576;

export function createPluginStorage(meta: Meta): PluginStorage {
  const key = (pluginId: string): string => `plugin_storage:${pluginId}`;
  return {
    read(pluginId) {
      const text = meta.get(key(pluginId));
      if (text === undefined) throw new HubError("not_found", "it has kept nothing");
      return text;
    },
    write(pluginId, text) {
      if (Buffer.byteLength(text) > MAX_KEPT_BYTES)
        throw new HubError("too_large", `a plugin may keep ${MAX_KEPT_BYTES} bytes: keep the rest in its own folder`);
      meta.set(key(pluginId), text);
    },
  };
}
