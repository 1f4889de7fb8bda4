// The plugins that only connect, kept from one run of the hub to the next: after a restart, or a move to another machine, the
// house still knows whom it waits for.
import { messageOf } from "../core/errors.ts";
import { isValidId } from "../core/ids.ts";
import { parseJson } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import type { Meta } from "../db/meta.ts";

export interface KnownPlugins {
  load(): readonly string[];
  save(ids: readonly string[]): void;
}

/** The name of the value in the state database: a JSON list of ids. */
const KNOWN_PLUGINS = "known_plugins";

export function createKnownPlugins(meta: Meta, log: Pick<Log, "warn">): KnownPlugins {
  return {
    load: () => knownIn(meta.get(KNOWN_PLUGINS)),
    save(ids) {
      try {
        meta.set(KNOWN_PLUGINS, JSON.stringify(ids));
      } catch (error) {
        log.warn("cannot note which plugins are known", { error: messageOf(error) });
      }
    },
  };
}

/** Nothing where it cannot be read. */
function knownIn(text = "[]"): string[] {
  const parsed = parseJson(text);
  const list: unknown = parsed.ok ? parsed.value : undefined;
  return Array.isArray(list) ? list.filter((id) => typeof id === "string" && isValidId(id)) : [];
}
