// Requests of the hub on `manage/cmd`: the built-in ones are here, all others are actions of the plugin.
import type { Actions, Answer } from "./actions.ts";
import { isObject, type JsonObject, messageOf, parseObject } from "./json.ts";
import { LEVELS, type PluginLog, parseLevel } from "./log.ts";
import { maskSecrets } from "./mask.ts";

export interface ManageOptions {
  actions: Actions;
  log: PluginLog;
  ping(): JsonObject;
  readConfig(): JsonObject;
  /** Applies a new configuration. Throws one error with all problems. */
  changeConfig(config: JsonObject): Promise<void>;
  respond(body: object): void;
}

type BuiltIn = (command: JsonObject) => Answer | Promise<Answer>;

/** Returns a function that handles one `manage/cmd` payload and answers it exactly once. */
export function createManager(options: ManageOptions): (payload: string) => Promise<void> {
  const { actions, log, ping, readConfig, changeConfig, respond } = options;

  const builtIn: Record<string, BuiltIn> = {
    ping: () => ({ status: "ok", data: { pong: true, ...ping() } }),
    get_config: () => ({ status: "ok", data: { config: maskSecrets(readConfig()) } }),
    async set_config({ config }) {
      if (!isObject(config)) return refuse("config: must be a table of keys and values");
      await changeConfig(config);
      return { status: "ok", data: { config: maskSecrets(readConfig()) } };
    },
    set_log_level(command) {
      const level = parseLevel(command.level);
      if (!level) return refuse(`level: must be one of ${LEVELS.join(", ")}`);
      log.level = level;
      return { status: "ok", data: { level } };
    },
    cancel: ({ target_request_id: target }) => actions.cancel(String(target)),
    respond: ({ target_request_id: target, response }) => actions.respond(String(target), response ?? null),
  };

  async function answer(command: JsonObject, action: string, requestId: string): Promise<Answer> {
    try {
      const known = Object.hasOwn(builtIn, action) ? builtIn[action] : undefined;
      if (known) return await known(command);
      return (await actions.call(action, requestId, command)) ?? refuse(`this plugin has no action "${action}"`);
    } catch (error) {
      return refuse(messageOf(error));
    }
  }

  return async function manage(payload) {
    const command = parseObject(payload);
    const requestId = command?.request_id;
    const action = command?.action;
    // The request id becomes part of a topic.
    if (!command || typeof action !== "string" || typeof requestId !== "string" || !/^[^/+#\0]+$/.test(requestId))
      return log.warn("a management request needs an action and a request_id");
    respond({ request_id: requestId, ...(await answer(command, action, requestId)) });
  };
}

function refuse(error: string): Answer {
  return { status: "error", error };
}
