// Blinds, shutters, garage doors and other covers: how far they are open, how their slats stand, and what they are doing. What one
// cannot do is refused: a shutter that cannot stop must not be sent somewhere instead.
import { MovementDirection, MovementType, WindowCoveringServer } from "@matter/main/behaviors/window-covering";
import { WindowCovering } from "@matter/main/clusters/window-covering";
import { WindowCoveringDevice } from "@matter/main/devices/window-covering";
import { Status } from "@matter/types";
import type { Json, JsonObject } from "../../sdk/index.ts";
import type { HubDevice } from "../hub.ts";
import {
  cannot,
  handOn,
  has,
  isSettable,
  known,
  type MakePart,
  numberOf,
  optionsOf,
  whenCommanded,
  within,
} from "./part.ts";

const { Closing, Opening, Stopped } = WindowCovering.MovementStatus;
const Kinds = WindowCovering.WindowCoveringType;

/** In hundredths of a percent, as Matter counts how far it is closed. */
const CLOSED = 10_000;

type CoverCommand = { stop: true } | { moves: "lift" | "tilt"; closed: number };

/** The hub says how far it does what it is asked to; the server's own would say that it is there at once. */
class HubCoveringServer extends WindowCoveringServer.with("Lift") {
  // Returns nothing to wait for: what fails fails the command.
  override handleMovement(of: MovementType, _reversed: boolean, to: MovementDirection, closed?: number): void {
    const end = to === MovementDirection.Close ? CLOSED : 0;
    handOn(this, { moves: of === MovementType.Tilt ? "tilt" : "lift", closed: closed ?? end });
  }
  override handleStopMovement(): void {
    handOn(this, { stop: true });
  }
}

const SLATS = ["Tilt", "PositionAwareTilt"] as const;
const TYPES = {
  lift: WindowCoveringDevice.with(HubCoveringServer),
  position: WindowCoveringDevice.with(HubCoveringServer.with("Lift", "PositionAwareLift")),
  tilt: WindowCoveringDevice.with(HubCoveringServer.with(...SLATS)),
  "lift tilt": WindowCoveringDevice.with(HubCoveringServer.with("Lift", ...SLATS)),
  "position tilt": WindowCoveringDevice.with(HubCoveringServer.with("Lift", "PositionAwareLift", ...SLATS)),
};

interface Abilities {
  /** It says how far it is open. */
  reports: boolean;
  /** It goes to a position. */
  goes: boolean;
  tilts: boolean;
  /** Of `open`, `close` and `stop`, what it may be commanded; a bridge may have commands of its own for it, such as to rename it. */
  orders: readonly string[];
}

export const cover: MakePart = (device) => {
  if (device.device_type !== "cover") return undefined;
  const can = abilitiesOf(device);
  const kind = kindOf(can);
  if (kind === undefined) return undefined;
  return {
    id: "cover",
    features: kind,
    type: TYPES[kind],
    fixed: { windowCovering: { type: can.tilts ? typeWithSlats(kind) : Kinds.Rollershade } },
    values({ position, moving, tilt_pct }) {
      const status = MOVING[String(moving)] ?? (can.reports || can.tilts ? undefined : Stopped);
      return {
        windowCovering: known({
          ...(can.reports && placeOf("Lift", position, status)),
          ...(can.tilts && placeOf("Tilt", tilt_pct, status)),
          operationalStatus: status === undefined ? undefined : statusOf(status, kind),
        }),
      };
    },
    watch: (endpoint, ask) =>
      whenCommanded(endpoint, ask, (commanded: CoverCommand & JsonObject) => orderFor(commanded, can)),
  };
};

function abilitiesOf(device: HubDevice): Abilities {
  const commanded = optionsOf(device, "command");
  return {
    reports: has(device, "position"),
    goes: isSettable(device, "position"),
    tilts: isSettable(device, "tilt_pct"),
    orders: ["open", "close", "stop"].filter((one) => commanded.includes(one)),
  };
}

/** Undefined for what cannot be commanded anything. */
function kindOf({ reports, goes, tilts, orders }: Abilities): keyof typeof TYPES | undefined {
  const lift = goes || (reports && orders.length > 0) ? "position" : orders.length > 0 ? "lift" : undefined;
  return lift === undefined ? (tilts ? "tilt" : undefined) : tilts ? `${lift} tilt` : lift;
}

const typeWithSlats = (kind: keyof typeof TYPES) => (kind === "tilt" ? Kinds.TiltBlindTiltOnly : Kinds.TiltBlindLift);

/** Throws for what it cannot do, which the other side receives. */
function orderFor(commanded: CoverCommand, { goes, orders }: Abilities): JsonObject {
  if ("stop" in commanded) {
    if (!orders.includes("stop")) throw cannot("it cannot be stopped on its way", Status.UnsupportedCommand);
    return { command: "stop" };
  }
  const open = 100 - Math.round(commanded.closed / 100);
  if (commanded.moves === "tilt") return { tilt_pct: open };
  if (goes) return { position: open };
  const command = open === 100 ? "open" : open === 0 ? "close" : undefined;
  if (command === undefined || !orders.includes(command))
    throw cannot(`it takes only ${orders.join(", ")}`, Status.UnsupportedCommand);
  return { command };
}

const MOVING: Readonly<Record<string, WindowCovering.MovementStatus>> = {
  opening: Opening,
  closing: Closing,
  stopped: Stopped,
};

function statusOf(status: WindowCovering.MovementStatus, kind: string): Record<string, unknown> {
  return kind === "tilt"
    ? { global: status, lift: Stopped, tilt: status }
    : { global: status, lift: status, tilt: Stopped };
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
  return within(0, CLOSED, position === undefined ? undefined : (100 - position) * 100);
}
