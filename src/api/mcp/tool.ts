// What a tool of /mcp is. A new one is a file in tools/ and a line in its index.ts.
import type { Static, TObject } from "@sinclair/typebox";
import type { History } from "../../house/history/history.ts";
import type { Commands } from "../../house/state/commands/commands.ts";
import type { Scenes } from "../../house/state/commands/scenes.ts";
import type { Kept } from "../../kit/lifecycle/kept.ts";
import type { JsonObject } from "../../kit/schema/json.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { Rules } from "../../rules/rules.ts";
import type { Alerts } from "../../server/alerts/alerts.ts";
import type { Audit } from "../../server/auth/audit.ts";
import type { EventRing } from "../../server/events/feed.ts";
import type { Health, SystemStatus } from "../../server/system/status.ts";
import type { McpCaller } from "./caller.ts";
import type { HouseDeps, SeenHouse } from "./house.ts";

/** What the tools need of the hub. */
export interface McpDeps extends HouseDeps {
  version: string;
  clock: Clock;
  audit: Pick<Audit, "record" | "refused">;
  commands: Pick<Commands, "deliver">;
  scenes: Pick<Scenes, "list" | "has" | "get" | "activateAndWait">;
  history: Pick<History, "query" | "zone">;
  ring: EventRing;
  rules: Pick<Rules, "list" | "get" | "traces" | "trials">;
  alerts: Pick<Alerts, "list">;
  /** Throws HubError `unavailable` where another machine may be the hub of this house. */
  assertHub: () => void;
  /** Undefined where nobody waits for the other machine. */
  kept: Kept | undefined;
  health: () => Health;
  status: () => SystemStatus;
}

export interface ToolCall {
  /** What this key may see and do. */
  house: SeenHouse;
  caller: McpCaller;
  deps: McpDeps;
}

export interface Tool {
  name: string;
  /** For people. */
  title: string;
  /** For the assistant. */
  description: string;
  input: TObject;
  /** It changes something; keys that only read do not see it. */
  acts?: boolean;
  /** It is about the hub itself: only for keys for the whole house. */
  wholeHouse?: boolean;
  /** What it is about, in the audit log. */
  target?(input: JsonObject): string | undefined;
  /** The input was checked. Throws HubError. */
  run(input: JsonObject, call: ToolCall): JsonObject | Promise<JsonObject>;
}

type Defined<I extends TObject> = Omit<Tool, "input" | "run" | "target"> & {
  input: I;
  target?(input: Static<I>): string | undefined;
  run(input: Static<I>, call: ToolCall): JsonObject | Promise<JsonObject>;
};

export function defineTool<I extends TObject>(tool: Defined<I>): Tool {
  return tool as unknown as Tool;
}
