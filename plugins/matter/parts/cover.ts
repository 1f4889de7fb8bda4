// Blinds, shutters, garage doors and other covers with a position.
import { WindowCoveringServer } from "@matter/main/behaviors/window-covering";
import { WindowCoveringDevice } from "@matter/main/devices/window-covering";
import { has, known, type MakePart, numberOf, whenSet, within } from "./part.ts";

/** The hub says how far it does what it is asked to; the server's own would say that it is there at once. */
class HubCoveringServer extends WindowCoveringServer.with("Lift", "PositionAwareLift") {
  override async handleMovement(): Promise<void> {}
}
const Covering = WindowCoveringDevice.with(HubCoveringServer);

export const cover: MakePart = (device) => {
  if (device.device_type !== "cover" || !has(device, "position")) return undefined;
  return {
    id: "cover",
    type: Covering,
    values({ position, moving }) {
      const closed = closedOf(numberOf(position));
      // While it moves, where it is to go stays what somebody asked for.
      const target = moving === "opening" || moving === "closing" ? undefined : closed;
      return {
        windowCovering: known({ currentPositionLiftPercent100ths: closed, targetPositionLiftPercent100ths: target }),
      };
    },
    watch: (endpoint, ask) =>
      whenSet(endpoint, "windowCovering", "targetPositionLiftPercent100ths", (closed) => {
        if (typeof closed === "number") ask({ position: 100 - Math.round(closed / 100) });
      }),
  };
};

/** Matter counts how far it is closed, in hundredths of a percent. */
function closedOf(position: number | undefined): number | undefined {
  return within(0, 10_000, position === undefined ? undefined : (100 - position) * 100);
}
