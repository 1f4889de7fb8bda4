// The configuration of a plugin as the API reads and changes it. The plugin itself reads and writes its file: the file is the
// plugin's, in any format, and a link in its folder must not lead the hub to other files.
import { HubError } from "../../../kit/schema/errors.ts";
import { isObject, type Json, type JsonObject } from "../../../kit/schema/json.ts";
import { parseToml, stringifyToml } from "../../../kit/schema/toml.ts";
import { MASK, masked, unmasked } from "../../../kit/text/masking.ts";
import { type Capabilities, checkDeclared, invalid } from "./capabilities.ts";
import type { Answer, Questions } from "./questions.ts";

export interface PluginSettings {
  /** With its secrets masked. Throws HubError `upstream_failed`. */
  read(pluginId: string): Promise<JsonObject>;
  /**
   * Masks in `edited` stand for the present secrets. Returns the new configuration, with its secrets masked. Throws HubError
   * `invalid` if the schema or the plugin refuses it, `upstream_failed` if the plugin does not answer.
   */
  replace(pluginId: string, edited: JsonObject): Promise<JsonObject>;
}

export interface PluginSettingsOptions {
  questions: Pick<Questions, "ask">;
  capabilitiesOf(pluginId: string): Capabilities;
}

/** A plugin may restart its own work with it. */
const CHANGE_MS = 30_000;
/** The masks of plugins: they know what these stand for. */
const PLUGINS_MASK = /^\*{3,}$/;

interface Present {
  config: JsonObject;
  /** Whether the plugin sent it as the text of its TOML file. */
  isText: boolean;
}

export function createPluginSettings({ questions, capabilitiesOf }: PluginSettingsOptions): PluginSettings {
  async function present(pluginId: string): Promise<Present> {
    const answer = await questions.ask(pluginId, { action: "get_config" }).catch((error: unknown) => {
      if (!(error instanceof HubError) || error.code !== "upstream_failed") throw error;
      const elsewhere = "if it does not offer its configuration, edit its file on its own machine and restart it";
      throw new HubError("upstream_failed", `${error.message}; ${elsewhere}`);
    });
    if (answer.status !== "ok")
      throw new HubError(
        "upstream_failed",
        `plugin "${pluginId}" does not show its configuration: ${reasonIn(answer)}`,
      );
    const found = configIn(answer.data);
    if (found) return found;
    throw new HubError("upstream_failed", `plugin "${pluginId}" sent no table of keys and values as its configuration`);
  }

  const shown = (pluginId: string, config: JsonObject): JsonObject =>
    maskDeclared(masked(config), capabilitiesOf(pluginId).configSchema);

  return {
    read: async (pluginId) => shown(pluginId, (await present(pluginId)).config),
    async replace(pluginId, edited) {
      const { config: before, isText } = await present(pluginId);
      const lost = lostMasks(edited, before, "");
      if (lost.length > 0)
        throw invalid(lost.map((path) => ({ path, message: "is masked, and there is no value to keep: enter it" })));
      const config = unmasked(edited, before) as JsonObject;
      const { configSchema } = capabilitiesOf(pluginId);
      checkDeclared(configSchema, config, (path) => PLUGINS_MASK.test(String(valueAt(config, path))));
      const sent = isText && !configSchema ? tomlOf(config) : config;
      const question = { action: "set_config", fields: { config: sent }, timeoutMs: CHANGE_MS };
      const answer = await questions.ask(pluginId, question);
      if (answer.status !== "ok")
        throw new HubError("invalid", `plugin "${pluginId}" refuses this configuration: ${reasonIn(answer)}`);
      return shown(pluginId, configIn(answer.data)?.config ?? config);
    },
  };
}

function reasonIn({ error, status }: Answer): string {
  return error ?? `it answered "${status}"`;
}

/** In an answer: the table itself, or as `config`, or the text of a TOML file in either place. */
function configIn(data: Json): Present | undefined {
  const config = isObject(data) && data.config !== undefined ? data.config : data;
  if (isObject(config)) return { config, isText: false };
  const document = typeof config === "string" ? parseToml(config) : undefined;
  if (!document?.ok) return undefined;
  // Dates become texts, and whole numbers beyond 2^53 the nearest number.
  const text = JSON.stringify(document.table, (_, value) => (typeof value === "bigint" ? Number(value) : value));
  return { config: JSON.parse(text) as JsonObject, isText: true };
}

function tomlOf(config: JsonObject): string {
  try {
    return stringifyToml(config);
  } catch {
    throw new HubError("invalid", "the plugin keeps its configuration as TOML, which has no null: leave such keys out");
  }
}

/** Also masks what the plugin's schema marks as secret. */
function maskDeclared(config: JsonObject, schema: Json | undefined): JsonObject {
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
  const entries = Object.entries(config).map(([key, value]): [string, Json] => [
    key,
    shownValue(value, properties[key]),
  ]);
  return Object.fromEntries(entries);
}

function shownValue(value: Json, schema: Json | undefined): Json {
  if (!isObject(schema) || value === null || value === "") return value;
  if (schema.secret === true || schema.writeOnly === true || schema.format === "password") return MASK;
  if (Array.isArray(value)) return value.map((item) => shownValue(item, schema.items));
  return isObject(value) ? maskDeclared(value, schema) : value;
}

/** The paths of masks without a value to restore. In a list whose length has changed, nobody knows which is whose. */
function lostMasks(edited: Json, before: Json | undefined, path: string): string[] {
  if (edited === MASK) return before === undefined ? [path] : [];
  if (Array.isArray(edited)) {
    const same = Array.isArray(before) && before.length === edited.length ? before : [];
    return edited.flatMap((item, index) => lostMasks(item, same[index], `${path}[${index}]`));
  }
  if (!isObject(edited)) return [];
  const known = isObject(before) ? before : {};
  return Object.entries(edited).flatMap(([key, item]) => lostMasks(item, known[key], path ? `${path}.${key}` : key));
}

function valueAt(config: Json, path: string): unknown {
  let found: unknown = config;
  for (const key of path.split(/[.[\]]+/).filter(Boolean)) {
    if (typeof found !== "object" || found === null) return undefined;
    found = (found as Record<string, unknown>)[key];
  }
  return found;
}
