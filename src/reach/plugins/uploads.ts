// Plugins that a person uploaded: one program each, which the hub puts into `plugins/ID/bin`, enters in hub.toml and runs at once.
// The program before a replacement stays beside it, for going back.
import { HubError } from "../../kit/schema/errors.ts";
import { isObject, parseJson } from "../../kit/schema/json.ts";
import type { Meta } from "../../server/db/meta.ts";
import type { Home } from "../../server/home/paths.ts";
import { type PluginEntry, reservedAs } from "./config.ts";
import type { PluginRecord } from "./records.ts";
import { checkScript, type Language } from "./script.ts";
import type { Plugins } from "./supervisor.ts";
import { createUploadFiles } from "./upload-files.ts";

export const MAX_PLUGIN_BYTES = 8 * 1024 * 1024;

export interface Upload {
  id: string;
  language: Language;
  source: Uint8Array;
  /** Whether a new plugin is started, now and with the hub. */
  enabled: boolean;
  /** Whether it may take the place of one that was uploaded before. */
  replace: boolean;
}

export interface Uploaded {
  id: string;
  /** The name of its program. */
  file: string;
  bytes: number;
  /** Epoch ms. */
  at: number;
  /** The program before, to go back to. */
  previous: Version | null;
}

interface Version {
  bytes: number;
  at: number;
}

export interface PluginUploads {
  list(): Uploaded[];
  /** Throws HubError `invalid` with the place in the file, `conflict` and `storage`; nothing was changed then. */
  install(upload: Upload): Promise<{ record: PluginRecord; isNew: boolean }>;
  /** Exchanges its program and the one before. */
  rollBack(id: string): Promise<PluginRecord>;
  /** Stops it, and takes it out of hub.toml. Its folder goes to `plugins/.trash`; its devices stay. */
  remove(id: string): Promise<void>;
}

export interface NewEntry {
  id: string;
  binary: string;
  enabled: boolean;
}

/** [[plugins]] of hub.toml. */
export interface EntryFile {
  /** The entry, with its defaults. */
  add(entry: NewEntry): PluginEntry;
  remove(id: string): void;
}

export interface PluginUploadsOptions {
  home: Home;
  /** The hub's own executable. */
  execPath: string;
  plugins: Pick<Plugins, "list" | "get" | "add" | "remove" | "start" | "stop">;
  entries: EntryFile;
  meta: Meta;
  now: () => number;
  /** Whose account of the MQTT broker has this name; undefined where nobody's has. */
  accountOf: (id: string) => string | undefined;
}

const KEY = "uploaded_plugins";
/** `sdk` is the folder of the hub's library for plugins. */

export function createPluginUploads(options: PluginUploadsOptions): PluginUploads {
  const { home, execPath, plugins, entries, meta, now, accountOf } = options;
  const files = createUploadFiles(home);
  let last: Promise<unknown> = Promise.resolve();

  /** One after the other: each reads what the others write. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  }

  const load = (): Uploaded[] => uploadsIn(meta.get(KEY));
  const keep = (uploaded: Uploaded): void =>
    meta.set(KEY, JSON.stringify([...load().filter(({ id }) => id !== uploaded.id), uploaded]));
  const forget = (id: string): void => meta.set(KEY, JSON.stringify(load().filter((one) => one.id !== id)));

  /** Those that hub.toml still has. */
  function list(): Uploaded[] {
    const managed = new Set(plugins.list().flatMap((record) => (record.managed ? [record.id] : [])));
    return load().filter(({ id }) => managed.has(id));
  }

  function find(id: string): Uploaded {
    const { managed } = plugins.get(id);
    const found = managed ? list().find((one) => one.id === id) : undefined;
    if (found) return found;
    const mend = managed ? "change it in its folder, and its entry in hub.toml" : "change it where it runs";
    throw new HubError("conflict", `plugin "${id}" was not uploaded: ${mend}`);
  }

  /** Stops it meanwhile: what it runs is exchanged, and it could change its own folder. */
  async function exchange(id: string, change: () => void): Promise<PluginRecord> {
    const runs = plugins.get(id).status !== "stopped";
    await plugins.stop(id);
    try {
      change();
    } finally {
      if (runs) await plugins.start(id);
    }
    return plugins.get(id);
  }

  function assertFree(id: string): void {
    const reserved = reservedAs(id);
    if (reserved !== undefined) throw new HubError("conflict", `"${id}" is ${reserved}: choose another id`);
    const account = accountOf(id);
    if (account !== undefined) throw new HubError("conflict", `"${id}" ${account}: choose another id`);
    files.assertFree(id);
  }

  async function add({ id, language, source, enabled }: Upload): Promise<PluginRecord> {
    assertFree(id);
    await checkScript(source, language, execPath);
    const file = `${id}.${language}`;
    files.create(id, file, source);
    try {
      keep({ id, file, bytes: source.byteLength, at: now(), previous: null });
      const entry = entries.add({ id, binary: `plugins/${id}/bin/${file}`, enabled });
      try {
        plugins.add(entry);
      } catch (error) {
        entries.remove(id);
        throw error;
      }
    } catch (error) {
      files.discard(id);
      throw error;
    }
    return plugins.get(id);
  }

  async function replace(there: Uploaded, { id, language, source }: Upload): Promise<PluginRecord> {
    if (!there.file.endsWith(`.${language}`))
      throw new HubError(
        "conflict",
        `its program is ${there.file}: upload a file of that kind, or remove the plugin first`,
      );
    await checkScript(source, language, execPath);
    return exchange(id, () => {
      files.replace(id, there.file, source);
      const { bytes, at } = there;
      keep({ ...there, bytes: source.byteLength, at: now(), previous: { bytes, at } });
    });
  }

  return {
    list,
    install: (upload) =>
      inTurn(async () => {
        const { id } = upload;
        const there = plugins.list().find((record) => record.id.toLowerCase() === id.toLowerCase());
        if (!there) return { record: await add(upload), isNew: true };
        const uploaded = find(there.id);
        if (there.id !== id) throw new HubError("conflict", `there is a plugin "${there.id}": write its id like that`);
        if (!upload.replace)
          throw new HubError("conflict", `there is a plugin "${id}": say replace=true to exchange its program`);
        return { record: await replace(uploaded, upload), isNew: false };
      }),
    rollBack: (id) =>
      inTurn(async () => {
        const { previous, ...there } = find(id);
        if (!previous) throw new HubError("conflict", `plugin "${id}" has no program before this one`);
        return exchange(id, () => {
          files.swap(id, there.file);
          keep({ ...there, ...previous, previous: { bytes: there.bytes, at: there.at } });
        });
      }),
    remove: (id) =>
      inTurn(async () => {
        find(id);
        // The entry first: with it, the next start of the hub would run the plugin again.
        entries.remove(id);
        await plugins.remove(id);
        forget(id);
        files.throwAway(id, now());
      }),
  };
}

function uploadsIn(text: string | undefined): Uploaded[] {
  const parsed = text === undefined ? undefined : parseJson(text);
  if (!parsed?.ok || !Array.isArray(parsed.value)) return [];
  return parsed.value.filter((one) => isObject(one) && typeof one.id === "string") as unknown as Uploaded[];
}
