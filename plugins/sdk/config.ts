// The plugin's configuration file: read, checked against the plugin's schema, and replaced by `set_config`.
import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from "node:fs";
import type { Static, TObject } from "@sinclair/typebox";
import { parse, stringify, TomlError } from "smol-toml";
import { type Json, type JsonObject, messageOf } from "./json.ts";
import { restoreSecrets } from "./mask.ts";
import { type Checked, checkValue } from "./schema.ts";

export interface ConfigFile<S extends TObject> {
  /** The validated configuration with defaults. */
  readonly value: Static<S>;
  /** The same as plain JSON, secrets included. */
  readonly json: JsonObject;
  /** Validates and writes a new configuration; masked secrets keep their stored value. */
  replace(edited: JsonObject): Checked<undefined>;
  /** Reverts the last `replace`. */
  undo(): void;
}

/** A missing file is an empty configuration. Throws with file, line and all problems. */
export function openConfig<S extends TObject>(path: string | undefined, schema: S | undefined): ConfigFile<S> {
  let text = path && existsSync(path) ? readFileSync(path, "utf8") : "";
  let value = check(schema, parseToml(text, path ?? "config"), path ?? "config");
  let earlier: { text: string; value: Static<S> } | undefined;

  return {
    get value() {
      return value;
    },
    get json() {
      return toJson(value);
    },
    replace(edited) {
      if (!path) return { ok: false, problems: ["this plugin was started without a configuration file"] };
      const { config, lost } = restoreSecrets(edited, toJson(value));
      if (lost.length > 0)
        return { ok: false, problems: lost.map((at) => `${at}: masked, and there is no stored value`) };
      const checked = checkConfig(schema, config);
      if (!checked.ok) return checked;
      earlier = { text, value };
      try {
        text = stringify(config);
        // The old file keeps the person's comments, which are not written to the new one.
        if (existsSync(path)) copyFileSync(path, `${path}.bak`);
        writeWhole(path, text);
      } catch (error) {
        text = earlier.text;
        return { ok: false, problems: [`cannot write the configuration: ${messageOf(error)}`] };
      }
      value = checked.value;
      return { ok: true, value: undefined };
    },
    undo() {
      if (!earlier || !path) return;
      ({ text, value } = earlier);
      writeWhole(path, text);
    },
  };
}

function checkConfig<S extends TObject>(schema: S | undefined, value: JsonObject): Checked<Static<S>> {
  return schema ? checkValue(schema, value) : { ok: true, value: value as Static<S> };
}

function check<S extends TObject>(schema: S | undefined, value: JsonObject, where: string): Static<S> {
  const checked = checkConfig(schema, value);
  if (!checked.ok) throw new Error(`${where}: ${checked.problems.join("; ")}`);
  return checked.value;
}

function parseToml(text: string, where: string): JsonObject {
  try {
    return toJson(parse(text));
  } catch (error) {
    // Only the first line: the others quote the file, which may contain a password.
    const problem = messageOf(error).split("\n")[0];
    throw new Error(
      error instanceof TomlError ? `${where}:${error.line}:${error.column}: ${problem}` : `${where}: ${problem}`,
    );
  }
}

// Dates of TOML become text.
function toJson(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value)) as Record<string, Json>;
}

// Writes a draft, syncs it and renames it, so that a power cut leaves the old file or the new one. A new file is readable by its
// owner only.
function writeWhole(path: string, text: string): void {
  const mode = existsSync(path) ? statSync(path).mode & 0o777 : 0o600;
  const draft = `${path}.new`;
  const file = openSync(draft, "w", mode);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
}
