// All tools of /mcp.
import type { SeenHouse } from "../house.ts";
import type { Tool } from "../tool.ts";
import { commandDevice, getDevice } from "./devices.ts";
import { recentEvents } from "./events.ts";
import { history } from "./history.ts";
import { listDevices } from "./list-devices.ts";
import { explainRule, listRules, testRule } from "./rules.ts";
import { activateScene, listScenes } from "./scenes.ts";
import { alerts, systemStatus } from "./system.ts";

const TOOLS: readonly Tool[] = [
  listDevices,
  getDevice,
  history,
  commandDevice,
  listScenes,
  activateScene,
  recentEvents,
  listRules,
  explainRule,
  testRule,
  alerts,
  systemStatus,
];

/** Those that a key may use; for it, there are no others. */
export function toolsFor({ mayAct, whole }: SeenHouse): Tool[] {
  return TOOLS.filter((tool) => (mayAct || !tool.acts) && (whole || !tool.wholeHouse));
}
