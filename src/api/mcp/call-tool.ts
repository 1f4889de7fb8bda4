// Does one call of a tool: counted, checked, written to the audit log. What went wrong is reported to the assistant as a result.
import { passwordsOf } from "../../house/state/passwords.ts";
import { watchKept } from "../../kit/lifecycle/kept.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import { HubError, messageOf } from "../../kit/schema/errors.ts";
import { isObject, type JsonObject } from "../../kit/schema/json.ts";
import { checkValue } from "../../kit/schema/schema.ts";
import { masked, maskedUnder } from "../../kit/text/masking.ts";
import type { CallLimit } from "./call-limit.ts";
import type { McpCaller } from "./caller.ts";
import { SeenHouse } from "./house.ts";
import type { McpDeps, Tool } from "./tool.ts";
import { toolsFor } from "./tools/index.ts";
import { shortText } from "./untrusted.ts";

export const CALLS_A_MINUTE = 60;

export interface ToolResult {
  [key: string]: unknown;
  content: { type: "text"; text: string }[];
  isError?: boolean;
}

export interface ToolCallerOptions {
  deps: McpDeps;
  limit: CallLimit;
  log: Log;
}

/** Resolves with the result; undefined where there is no such tool for this key. */
export type CallTool = (caller: McpCaller, name: string, given: unknown) => Promise<ToolResult | undefined>;

export function createToolCaller({ deps, limit, log }: ToolCallerOptions): CallTool {
  const { audit } = deps;

  async function run(tool: Tool, given: unknown, caller: McpCaller, house: SeenHouse): Promise<JsonObject> {
    const wait = limit.take(caller.id);
    if (wait !== undefined)
      throw new HubError("rate_limited", `more than ${CALLS_A_MINUTE} calls a minute: try again in ${wait} s`);
    const checked = checkValue(tool.input, given);
    if (!checked.ok)
      throw new HubError("invalid", checked.problems.map(({ path, message }) => `${path}: ${message}`).join("; "));
    if (tool.acts) deps.assertHub();
    return await tool.run(checked.value as JsonObject, { house, caller, deps });
  }

  return async function callTool(caller, name, given = {}) {
    const house = new SeenHouse(deps, caller);
    const entry = {
      actor: { kind: "mcp", id: caller.id, name: caller.name },
      address: caller.address,
      action: `mcp.${name}`,
    };
    const tool = toolsFor(house).find((one) => one.name === name);
    if (!tool) {
      audit.refused({ ...entry, action: "mcp.call", target: shortText(name), detail: "no such tool for this key" });
      return undefined;
    }
    const target = targetOf(tool, given);
    const detail = JSON.stringify(maskedUnder(masked(given), passwordsOf(deps.registry.list())));
    const confirmed = tool.acts && deps.kept ? watchKept(deps.kept, false) : undefined;
    try {
      const answer = await run(tool, given, caller, house);
      audit.record({ ...entry, target, outcome: "ok", detail });
      const problem = await confirmed?.();
      if (problem !== undefined) return failure(new HubError("unconfirmed", problem));
      // Once, as text: all clients read it, and what is structured as well would be read twice.
      return { content: [{ type: "text", text: JSON.stringify(answer) }] };
    } catch (error) {
      if (error instanceof HubError) audit.refused({ ...entry, target, detail: error.code });
      else {
        audit.record({ ...entry, target, outcome: "failed", detail });
        log.error("a tool failed", { tool: name, error: messageOf(error) });
      }
      return failure(error);
    }
  };
}

function targetOf(tool: Tool, given: unknown): string {
  const id = isObject(given) ? tool.target?.(given as JsonObject) : undefined;
  return typeof id === "string" ? id : "";
}

function failure(error: unknown): ToolResult {
  const { code, message } =
    error instanceof HubError
      ? error
      : { code: "internal", message: "something went wrong inside the hub; its log says what" };
  return { isError: true, content: [{ type: "text", text: JSON.stringify({ code, error: message.slice(0, 2000) }) }] };
}
