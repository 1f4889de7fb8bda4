// Blinds, shutters, garage doors and other covers: how far they are open, how their slats stand, and what they are doing.
import { MovementDirection, type MovementType, WindowCoveringServer } from "@matter/main/behaviors/window-covering";
import { WindowCovering } from "@matter/main/clusters/window-covering";
import { WindowCoveringDevice } from "@matter/main/devices/window-covering";
import type { Json } from "../../sdk/index.ts";
import { askAgain, has, known, type MakePart, numberOf, optionsOf, whenAskedAgain, whenSet, within } from "./part.ts";

const { Closing, Opening, Stopped } = WindowCovering.MovementStatus;

/** The hub says how far it does what it is asked to; the server's own would say that it is there at once. */
class HubCoveringServer extends WindowCoveringServer.with("Lift", "PositionAwareLift") {
  override async handleMovement(): Promise<void> {}
}
/** One that takes a command to stop, which is not the same as going to where it was last seen. */
class StoppingServer extends HubCoveringServer {
  override handleStopMovement(): void {
    askAgain(this, "stop");
  }
}
/** One that reports no position: up, down and stop are all there is. */
class BlindServer extends WindowCoveringServer.with("Lift") {
  override async handleMovement(_of: MovementType, _reversed: boolean, to: MovementDirection): Promise<void> {
    askAgain(this, to === MovementDirection.Close ? "close" : "open");
  }
  override handleStopMovement(): void {
    askAgain(this, "stop");
  }
}

const WITH_SLATS = ["Lift", "PositionAwareLift", "Tilt", "PositionAwareTilt"] as const;

const TYPES = {
  blind: WindowCoveringDevice.with(BlindServer),
  plain: WindowCoveringDevice.with(HubCoveringServer),
  stops: WindowCoveringDevice.with(StoppingServer),
  tilts: WindowCoveringDevice.with(HubCoveringServer.with(...WITH_SLATS)),
  stopsAndTilts: WindowCoveringDevice.with(StoppingServer.with(...WITH_SLATS)),
};

export const cover: MakePart = (device) => {
  // A bridge may have commands of its own for it, such as to rename it.
  const stop = optionsOf(device, "command").includes("stop");
  const can = { go: has(device, "position"), stop, tilt: has(device, "tilt_pct") };
  if (device.device_type !== "cover" || !(can.go || can.stop)) return undefined;
  const kind = kindOf(can);
  return {
    id: "cover",
    features: kind,
    type: TYPES[kind],
    ...(can.go && can.tilt && { fixed: { windowCovering: { type: WindowCovering.WindowCoveringType.TiltBlindLift } } }),
    values({ position, moving, tilt_pct }) {
      const status = MOVING[String(moving)];
      if (kind === "blind") return { windowCovering: { operationalStatus: statusOf(status ?? Stopped) } };
      return {
        windowCovering: known({
          ...placeOf("Lift", position, status),
          ...(can.tilt && placeOf("Tilt", tilt_pct, status)),
          operationalStatus: status === undefined ? undefined : statusOf(status),
        }),
      };
    },
    watch(endpoint, ask) {
      whenAskedAgain(endpoint, (command) => ask({ command }));
      if (kind === "blind") return;
      whenSet(endpoint, "windowCovering", "targetPositionLiftPercent100ths", (closed) => {
        if (typeof closed === "number") ask({ position: 100 - Math.round(closed / 100) });
      });
      if (!can.tilt) return;
      whenSet(endpoint, "windowCovering", "targetPositionTiltPercent100ths", (closed) => {
        if (typeof closed === "number") ask({ tilt_pct: 100 - Math.round(closed / 100) });
      });
    },
  };
};

function kindOf(can: { go: boolean; stop: boolean; tilt: boolean }): keyof typeof TYPES {
  if (!can.go) return "blind";
  if (can.tilt) return can.stop ? "stopsAndTilts" : "tilts";
  return can.stop ? "stops" : "plain";
}

const MOVING: Readonly<Record<string, WindowCovering.MovementStatus>> = {
  opening: Opening,
  closing: Closing,
  stopped: Stopped,
};

function statusOf(lift: WindowCovering.MovementStatus): Record<string, unknown> {
  return { global: lift, lift, tilt: Stopped };
}

function placeOf(of: "Lift" | "Tilt", position: Json | undefined, status: WindowCovering.MovementStatus | undefined) {
  const closed = closedOf(numberOf(position));
  // While it moves, where it is to go stays what somebody asked for.
  const isThere = status === undefined || status === Stopped;
  return {
    [`currentPosition${of}Percent100ths`]: closed,
    ...(isThere && { [`targetPosition${of}Percent100ths`]: closed }),
  };
}

/** Matter counts how far it is closed, in hundredths of a percent. */
function closedOf(position: number | undefined): number | undefined {
  return within(0, 10_000, position === undefined ? undefined : (100 - position) * 100);
}
