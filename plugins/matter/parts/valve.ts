// Water valves: open or closed, and how far. The other side may open one for a time; nobody would close it if this plugin, or its machine,
// ended meanwhile, so that is refused.
import { ValveConfigurationAndControlServer } from "@matter/main/behaviors/valve-configuration-and-control";
import { ValveConfigurationAndControl } from "@matter/main/clusters/valve-configuration-and-control";
import { WaterValveDevice } from "@matter/main/devices/water-valve";
import { Status } from "@matter/types";
import type { JsonObject } from "../../sdk/index.ts";
import type { HubDevice } from "../hub.ts";
import {
  booleanOf,
  cannot,
  handOn,
  isSettable,
  known,
  type MakePart,
  numberOf,
  optionsOf,
  whenCommanded,
  whenSet,
  within,
} from "./part.ts";

const { Closed, Open, Transitioning } = ValveConfigurationAndControl.ValveState;

const notForATime = () => cannot("it is not closed by itself after a time: close it with a rule");

class HubValveServer extends ValveConfigurationAndControlServer {
  override open({ openDuration, targetLevel }: ValveConfigurationAndControl.OpenRequest): void {
    if (typeof openDuration === "number") throw notForATime();
    handOn(this, { level: targetLevel ?? 100 });
  }
  override close(): void {
    handOn(this, { level: 0 });
  }
}

const PlainValve = WaterValveDevice.with(HubValveServer);
const LevelValve = WaterValveDevice.with(HubValveServer.with("Level"));

export const valve: MakePart = (device) => {
  if (device.device_type !== "valve") return undefined;
  const goes = isSettable(device, "position");
  if (!goes && orderFor(0, device) === undefined) return undefined;
  return {
    id: "valve",
    features: goes ? "level" : "",
    type: goes ? LevelValve : PlainValve,
    fixed: {
      valveConfigurationAndControl: {
        ...{ openDuration: null, defaultOpenDuration: null, remainingDuration: null },
        ...{ currentState: null, targetState: null, ...(goes && { currentLevel: null, targetLevel: null }) },
      },
    },
    values(words) {
      const level = within(0, 100, numberOf(words.position));
      const open = level === undefined ? booleanOf(words.on) : level > 0;
      const state = open === undefined ? undefined : open ? Open : Closed;
      const target = TARGETS[String(words.moving)];
      return {
        valveConfigurationAndControl: known({
          currentState: target === undefined ? state : Transitioning,
          targetState: target ?? state,
          ...(goes && { currentLevel: level, ...(target === undefined && { targetLevel: level }) }),
        }),
      };
    },
    watch(endpoint, ask) {
      whenCommanded(endpoint, ask, ({ level }: { level: number }) => {
        const order = goes ? { position: level } : orderFor(level, device);
        if (!order) throw cannot(`it takes no order to ${level === 0 ? "close" : "open"}`, Status.UnsupportedCommand);
        return order;
      });
      whenSet(endpoint, ["valveConfigurationAndControl", "defaultOpenDuration"], ask, (duration) => {
        if (duration !== null) throw notForATime();
        return undefined;
      });
    },
  };
};

const TARGETS: Readonly<Record<string, number>> = { opening: Open, closing: Closed };

/** Of one that is open or closed. */
function orderFor(level: number, device: HubDevice): JsonObject | undefined {
  if (isSettable(device, "on")) return { on: level > 0 };
  const command = level > 0 ? "open" : "close";
  return optionsOf(device, "command").includes(command) ? { command } : undefined;
}
