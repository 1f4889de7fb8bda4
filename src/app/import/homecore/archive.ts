// A backup of homeCore: a zip with its history, its configuration, its rules and the configurations of its plugins. Nothing
// in it is trusted: see backup/zip.
import { closeSync } from "node:fs";
import { checkNames } from "../../../copies/backup/archive/archive-plan.ts";
import { readDirectory, refusal, type ZipEntry } from "../../../copies/backup/archive/zip/directory.ts";
import { quoted } from "../../../copies/backup/archive/zip/format.ts";
import { checkPlaces, readEntry, unpackEntry } from "../../../copies/backup/archive/zip/unpack.ts";
import { openArchiveFile } from "../../../copies/backup/restore/stage.ts";
import { decodeText } from "../../../kit/schema/decode-text.ts";
import { MAX_RULE_BYTES } from "../../../rules/parse/read.ts";
import { isRuleFileName } from "../../../rules/store/disk.ts";
import type { Kind } from "../report.ts";

export interface RuleFileText {
  /** Its name in `rules/`. */
  readonly file: string;
  readonly text: string;
}

/** One of many files that cannot be used: the others are. */
export interface LeftOut {
  readonly kind: Kind;
  readonly name: string;
  readonly why: string;
}

export interface OldArchive extends Disposable {
  readonly leftOut: readonly LeftOut[];
  readonly rules: readonly RuleFileText[];
  readonly homecoreToml: string | undefined;
  readonly modesToml: string | undefined;
  /** homeCore's modes that follow criteria, as JSON. */
  readonly modeDefinitions: string | undefined;
  /** Plugin → the text of its config.toml. */
  readonly pluginConfigs: ReadonlyMap<string, string>;
  /** Calendar → the text of its .ics file. homeCore puts none into its backup; a person may. */
  readonly calendars: ReadonlyMap<string, string>;
  /** Bytes of history.db; undefined where there is none. */
  readonly historyBytes: number | undefined;
  /** Unpacks history.db into a file that must not exist yet. */
  unpackHistory(target: string): Promise<void>;
}

const MAX_RULES = 2000;
const MAX_PLUGINS = 500;
const MAX_CALENDARS = 50;
const MAX_CONFIG_BYTES = 4 * 1024 * 1024;

/** Throws HubError: `not_found`, `storage`, or `invalid` for what is no sound backup of homeCore. */
export async function openOldArchive(path: string): Promise<OldArchive> {
  const { descriptor } = openArchiveFile(path);
  try {
    return { ...(await read(descriptor)), [Symbol.dispose]: () => closeSync(descriptor) };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

async function read(descriptor: number): Promise<Omit<OldArchive, keyof Disposable>> {
  const directory = readDirectory(descriptor);
  checkNames(directory);
  checkPlaces(descriptor, directory);
  const entries = new Map(directory.entries.filter(({ isFolder }) => !isFolder).map((entry) => [entry.name, entry]));
  refuseOthers(entries);
  const text = async (entry: ZipEntry | undefined, most = MAX_CONFIG_BYTES): Promise<string | undefined> => {
    if (!entry) return undefined;
    const decoded = decodeText(await readEntry(descriptor, entry, most));
    if (decoded.ok) return decoded.text;
    throw refusal(`${quoted(entry.name)}: ${decoded.problem.message}`);
  };
  const leftOut: LeftOut[] = [];
  const texts = async (kind: Kind, pattern: RegExp, { most, bytes = MAX_CONFIG_BYTES }: Bounds) => {
    const read = new Map<string, string>();
    for (const [name, entry] of entries) {
      const key = pattern.exec(name)?.[1];
      if (key === undefined) continue;
      const why = read.size >= most ? `no more than ${most} are taken` : tooLarge(entry, bytes);
      const decoded = why === undefined ? decodeText(await readEntry(descriptor, entry, bytes)) : undefined;
      if (decoded?.ok) read.set(key, decoded.text);
      else leftOut.push({ kind, name, why: why ?? decoded?.problem.message ?? "" });
    }
    return read;
  };
  const rules = await texts("rule", /^rules\/([^/]+)$/, { most: MAX_RULES, bytes: MAX_RULE_BYTES });
  const history = entries.get("history.db") ?? entries.get("data/history.db");
  return {
    rules: [...rules].filter(([file]) => isRuleFileName(file)).map(([file, text]) => ({ file, text })),
    homecoreToml: await text(entries.get("config/homecore.toml")),
    modesToml: await text(entries.get("config/modes.toml")),
    modeDefinitions: await text(entries.get("config/mode_definitions.json")),
    pluginConfigs: await texts("plugin", /^plugins\/([^/]+)\/(?:config\/)?config\.toml$/, { most: MAX_PLUGINS }),
    calendars: await texts("calendar", /^(?:config\/)?calendars\/([^/]+)\.ics$/, { most: MAX_CALENDARS }),
    leftOut,
    historyBytes: history?.bytes,
    async unpackHistory(target) {
      if (history) await unpackEntry(descriptor, history, target);
    },
  };
}

interface Bounds {
  most: number;
  bytes?: number;
}

function tooLarge({ bytes }: ZipEntry, most: number): string | undefined {
  return bytes > most ? `it has ${bytes} bytes; at most ${most} are read` : undefined;
}

function refuseOthers(entries: ReadonlyMap<string, ZipEntry>): void {
  if (entries.has("manifest.json") || entries.has("config/hub.toml"))
    throw refusal("it is a backup of a hub like this one, not of homeCore: use `hub restore`");
  if (!entries.has("history.db") && !entries.has("config/homecore.toml"))
    throw refusal("it is not a backup of homeCore: it holds neither history.db nor config/homecore.toml");
}
