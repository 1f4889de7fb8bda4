// What plugins declare about themselves: their actions, and the schema of their configuration. The last declaration of each is
// kept, also while the plugin is away.
import { HubError } from "../../../kit/schema/errors.ts";
import { isValidId } from "../../../kit/schema/ids.ts";
import { isObject, type Json, type JsonObject } from "../../../kit/schema/json.ts";
import { readJsonSchema } from "../../../kit/schema/json-schema.ts";
import { jsonBytes } from "../../../kit/schema/memory-size.ts";
import { checkValue, type Problem } from "../../../kit/schema/schema.ts";

export type RequiredRole = "admin" | "user" | "viewer";

export interface DeclaredAction {
  readonly id: string;
  /** JSON Schema; undefined if it declares none. */
  readonly params: JsonObject | undefined;
  /** It is accepted at once, and reports by events. */
  readonly stream: boolean;
  readonly cancelable: boolean;
  /** `single`: one call at a time; `per_item`: one for each value of `itemKey`. */
  readonly concurrency: "single" | "per_item" | "multi";
  readonly itemKey: string | undefined;
  readonly requiredRole: RequiredRole;
  readonly timeoutMs: number | undefined;
}

export interface Capabilities {
  /** As the API shows it: what the plugin sent, without the actions that cannot be used. */
  readonly shown: JsonObject & { plugin_id: string; actions: JsonObject[] };
  readonly actions: ReadonlyMap<string, DeclaredAction>;
  /** JSON Schema; undefined if it declares none. */
  readonly configSchema: JsonObject | undefined;
}

export interface CapabilityStore {
  /** Returns what is wrong with it; what can be used is kept. */
  put(pluginId: string, declared: JsonObject): string | undefined;
  /** Empty for a plugin that has declared nothing. */
  of(pluginId: string): Capabilities;
}

/** Requests of the protocol itself: no action can have their names. */
const BUILT_IN = new Set(["ping", "get_config", "set_config", "set_log_level", "cancel", "respond"]);
const MAX_ACTIONS = 200;
// In memory, where JSON takes several times its length.
const MAX_BYTES = 1_048_576;
const MAX_BYTES_OF_ALL = 16 * MAX_BYTES;

export function createCapabilityStore(): CapabilityStore {
  const kept = new Map<string, { capabilities: Capabilities; bytes: number }>();

  function bytesOfOthers(pluginId: string): number {
    let sum = 0;
    for (const [id, { bytes }] of kept) if (id !== pluginId) sum += bytes;
    return sum;
  }

  return {
    put(pluginId, declared) {
      const bytes = jsonBytes(declared);
      if (bytes > MAX_BYTES || bytesOfOthers(pluginId) + bytes > MAX_BYTES_OF_ALL)
        return "the capabilities are too large: describe fewer actions, or in fewer words";
      const { capabilities, problems } = readCapabilities(pluginId, declared);
      kept.set(pluginId, { capabilities, bytes });
      return problems.length > 0 ? problems.slice(0, 5).join("; ") : undefined;
    },
    of: (pluginId) => kept.get(pluginId)?.capabilities ?? readCapabilities(pluginId, { spec: "1" }).capabilities,
  };
}

function readCapabilities(
  pluginId: string,
  declared: JsonObject,
): { capabilities: Capabilities; problems: readonly string[] } {
  const listed = Array.isArray(declared.actions) ? declared.actions : [];
  const actions = new Map<string, DeclaredAction>();
  const shown: JsonObject[] = [];
  const problems = listed.length > MAX_ACTIONS ? [`only the first ${MAX_ACTIONS} actions are used`] : [];
  for (const [index, item] of listed.slice(0, MAX_ACTIONS).entries()) {
    const flaw = flawOf(item, actions);
    if (flaw !== undefined) problems.push(`actions[${index}] cannot be used: ${flaw}`);
    else if (isObject(item)) {
      const action = readAction(item);
      actions.set(action.id, action);
      shown.push(item);
    }
  }
  const configSchema = isObject(declared.config_schema) ? declared.config_schema : undefined;
  const capabilities = { shown: { ...declared, plugin_id: pluginId, actions: shown }, actions, configSchema };
  return { capabilities, problems };
}

function flawOf(item: Json, before: ReadonlyMap<string, unknown>): string | undefined {
  if (!isObject(item)) return "it is no object";
  const { id } = item;
  if (typeof id !== "string" || id.length > 100 || !isValidId(id)) return "its id must be a word without / + #";
  if (BUILT_IN.has(id)) return `"${id}" is a request of the protocol itself`;
  return before.has(id) ? `there is another "${id}"` : undefined;
}

function readAction({ id, params, stream, cancelable, concurrency, item_key, requires_role, timeout_ms }: JsonObject) {
  return {
    id: String(id),
    params: isObject(params) ? params : undefined,
    stream: stream === true,
    cancelable: cancelable === true,
    concurrency: concurrency === "single" || concurrency === "per_item" ? concurrency : "multi",
    itemKey: typeof item_key === "string" ? item_key : undefined,
    requiredRole: roleIn(requires_role),
    timeoutMs: typeof timeout_ms === "number" && timeout_ms > 0 ? timeout_ms : undefined,
  } satisfies DeclaredAction;
}

/** An unknown word is a role that only an administrator can be sure to have. */
function roleIn(word: Json | undefined): RequiredRole {
  if (word === "user") return word;
  return word === "viewer" || word === "read_only" ? "viewer" : "admin";
}

/** Throws HubError `invalid` that names each field of `value` that is not as a schema of the plugin says. */
export function checkDeclared(
  schema: JsonObject | undefined,
  value: JsonObject,
  isExempt: (path: string) => boolean = () => false,
): void {
  if (!schema) return;
  const checked = checkValue(readJsonSchema(schema), value);
  const problems: Problem[] = checked.ok ? [] : checked.problems.filter(({ path }) => !isExempt(path)).slice(0, 20);
  if (problems.length > 0) throw invalid(problems);
}

export function invalid(problems: readonly Problem[]): HubError {
  const text = problems.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join("; ");
  return new HubError("invalid", text, { details: { problems } });
}
