// hub.toml over the API: read with its secrets masked, checked as `hub check` does, and replaced. The hub reads it at its start,
// so a change counts after a restart; if the hub does not start with it, it goes back to the text it ran with.
import { readFileSync, realpathSync, rmSync } from "node:fs";
import type { Restart } from "../../copies/backup/restore/restores.ts";
import { replaceFile, writeFileAtomic } from "../../kit/files/atomic-file.ts";
import { decodeText } from "../../kit/schema/decode-text.ts";
import { HubError, systemCode } from "../../kit/schema/errors.ts";
import { isObject, type Json, type JsonObject } from "../../kit/schema/json.ts";
import type { Problem } from "../../kit/schema/schema.ts";
import { findMark, type Mark, positionAt, type TextPosition } from "../../kit/schema/text-places.ts";
import { parseToml } from "../../kit/schema/toml.ts";
import { etagOf } from "../../kit/text/etag.ts";
import type { Home } from "../../server/home/paths.ts";
import { editPaths } from "./edit.ts";
import type { PathEdit } from "./edit-value.ts";
import { fileProblems } from "./file-problems.ts";
import { configFormSchema } from "./form-schema.ts";
import { type BesideTheFile, checkConfig } from "./load.ts";
import { maskConfig, type PlacedFlaw, unmaskConfig } from "./masked-text.ts";
import type { HubConfig } from "./sections.ts";

export type ConfigProblem = Problem & Partial<TextPosition>;

export interface CheckedText {
  problems: ConfigProblem[];
  /** The sections and keys that differ from what the hub runs with, such as `server.port`: they count after a restart. */
  changes: string[];
}

export interface ConfigFile {
  read(): { text: string; etag: string };
  /** Of an edited text, which may have masks; `values`: what it says, null where it is no TOML. */
  check(edited: string): CheckedText & { values: JsonObject | null };
  /** The edited text with these values; comments and everything else stay. Saves nothing. Throws HubError `conflict`. */
  edit(edited: string, edits: readonly PathEdit[]): string;
  formSchema(): JsonObject;
  /** Whether it adds a plugin, or changes anything of one but whether it is started. */
  changesPlugins(edited: string): boolean;
  /** `force` takes a text of which parts are left out. Throws HubError `invalid` with the problems, and `conflict`. */
  write(edited: string, options: { etag: string | undefined; force: boolean }): CheckedText & { etag: string };
  /** A restart that goes back to the text this hub runs with, if the next one does not start. */
  restart(): Restart;
}

export interface ConfigFileOptions {
  home: Home;
  /** What the hub runs with. */
  config: HubConfig;
  now: () => number;
  beside: () => BesideTheFile;
  onWritten: () => void;
}

export function openConfigFile({ home, config, now, beside, onWritten }: ConfigFileOptions): ConfigFile {
  const running = textOf(home, () => undefined);

  function present(): string {
    const text = textOf(home, (error) => {
      if (systemCode(error) === "ENOENT") throw new HubError("not_found", "this hub runs without a hub.toml");
      throw error;
    });
    if (text === undefined) throw new HubError("conflict", "hub.toml is not UTF-8: save it again on the hub itself");
    return text;
  }

  function examine(edited: string, before: string): CheckedText & { whole?: string } {
    const unmasked = unmaskConfig(edited, before);
    if (!unmasked.ok) return { problems: unmasked.flaws.map((flaw) => placed(edited, flaw)), changes: [] };
    const read = parseToml(edited);
    const mark = read.ok ? read.mark : undefined;
    const { config: next, problems } = checkConfig(unmasked.text, beside());
    // The hub runs without what such a file is for.
    const ofFiles = (next ? fileProblems(next, home, now()) : []).map((problem) =>
      problem.warning ? problem : { ...problem, confined: true },
    );
    return {
      whole: unmasked.text,
      problems: [...problems, ...ofFiles].map((problem) => ({ ...bare(problem), ...placeOf(edited, mark, problem) })),
      changes: next ? differences(config, next) : [],
    };
  }

  return {
    read() {
      const text = present();
      const masked = maskConfig(text);
      if (masked.ok) return { text: masked.text, etag: etagOf(text) };
      const problems = masked.flaws.map((flaw) => placed(text, flaw));
      const message = "hub.toml is not shown, as its secrets cannot be found in it: mend it on the hub itself";
      throw new HubError("conflict", message, { details: { problems } });
    },
    check(edited) {
      const { problems, changes } = examine(edited, present());
      const read = parseToml(edited);
      return { problems, changes, values: read.ok ? (asJson(read.table) as JsonObject) : null };
    },
    edit: editPaths,
    formSchema: configFormSchema,
    changesPlugins(edited) {
      const before = present();
      const unmasked = unmaskConfig(edited, before);
      return unmasked.ok && changesPlugins(before, unmasked.text);
    },
    write(edited, { etag, force }) {
      const before = present();
      if (etag !== undefined && etag !== "*" && etag !== etagOf(before)) throw changedMeanwhile();
      const { problems, changes, whole } = examine(edited, before);
      const fatal = problems.filter(({ warning, confined }) => !warning && !confined);
      const confined = problems.filter((problem) => problem.confined);
      if (whole === undefined || fatal.length > 0) throw refusal("nothing was saved", problems);
      if (confined.length > 0 && !force)
        throw refusal(
          "the hub would start without what is wrong; nothing was saved, unless with ?force=true",
          problems,
        );
      const path = realpathSync(home.hubToml);
      if (!replaceFile(path, { expected: before, content: whole, mode: 0o600 })) throw changedMeanwhile();
      rmSync(home.refusedHubToml, { force: true });
      onWritten();
      return { problems, changes, etag: etagOf(whole) };
    },
    restart: () => ({
      apply: async () => {},
      trial: {
        passed() {},
        async revert() {
          const refused = textOf(home, () => undefined);
          if (running === undefined || refused === running) return;
          if (refused !== undefined) writeFileAtomic(home.refusedHubToml, refused, 0o600);
          writeFileAtomic(realpathSync(home.hubToml), running, 0o600);
        },
      },
    }),
  };
}

/** By what is written there, whatever else is wrong with the two texts. */
function changesPlugins(before: string, next: string): boolean {
  const known = new Set(pluginsIn(before));
  return pluginsIn(next).some((entry) => !known.has(entry));
}

function pluginsIn(text: string): string[] {
  const read = parseToml(text);
  const { plugins } = read.ok ? (asJson(read.table) as JsonObject) : {};
  if (!Array.isArray(plugins)) return [];
  return plugins.filter(isObject).map(({ enabled: _, ...entry }) => JSON.stringify(entry));
}

/** Dates and numbers beyond JSON's as texts. */
function asJson(value: unknown): Json {
  if (value instanceof Date) return value.toISOString();
  if (typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value))) return String(value);
  if (Array.isArray(value)) return value.map(asJson);
  if (!isObject(value)) return value as Json;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, asJson(inner)]));
}

/** Undefined where it is no UTF-8. */
function textOf({ hubToml }: Home, onError: (error: unknown) => undefined): string | undefined {
  try {
    const decoded = decodeText(readFileSync(hubToml));
    return decoded.ok ? decoded.text : undefined;
  } catch (error) {
    return onError(error);
  }
}

function changedMeanwhile(): HubError {
  return new HubError("conflict", "hub.toml was changed meanwhile: read it again, and make your change there");
}

function refusal(what: string, problems: readonly ConfigProblem[]): HubError {
  const [first] = problems.filter(({ warning }) => !warning);
  const where = first && [first.line === undefined ? "" : `line ${first.line}: `, first.path && `${first.path}: `];
  return new HubError("invalid", `${what}: ${where?.join("") ?? ""}${first?.message ?? ""}`, { details: { problems } });
}

function bare({ path, message, warning, confined }: Problem): Problem {
  return { path, message, ...(warning && { warning }), ...(confined && { confined }) };
}

function placed(text: string, { path, message, offset }: PlacedFlaw): ConfigProblem {
  return { path, message, ...positionAt(text, offset) };
}

/** The place in the text that was sent, which is not that of the text with its secrets. */
function placeOf(edited: string, root: Mark | undefined, { path }: Problem): Partial<TextPosition> {
  const found = root && path !== "" ? findMark(root, path) : root;
  return found === undefined || found === root ? {} : positionAt(edited, found.at);
}

function differences(running: HubConfig, next: HubConfig): string[] {
  const { faults: _, ...sections } = next;
  return Object.entries(sections).flatMap(([name, section]) => {
    const own = running[name as keyof typeof sections];
    if (Bun.deepEquals(own, section)) return [];
    if (Array.isArray(section)) return [name];
    const [one, other] = [own, section] as [Record<string, unknown>, Record<string, unknown>];
    return [...new Set([...Object.keys(one), ...Object.keys(other)])]
      .filter((key) => !Bun.deepEquals(one[key], other[key]))
      .map((key) => `${name}.${key}`);
  });
}
