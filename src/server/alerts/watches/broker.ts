// The external MQTT broker: gone for longer than it takes to restart it, or not letting the hub in.
import type { Clock } from "../../../kit/time/clock.ts";
import type { Finding, Watch } from "../alert.ts";

/** How it stands with it: `since` in monotonic ms. */
export type BrokerTrouble = { kind: string; reason: string; since: number } | undefined;

const GRACE_MS = 15_000;

export function brokerWatch(trouble: () => BrokerTrouble, clock: Pick<Clock, "mono">): Watch {
  return {
    name: "mqtt broker",
    check() {
      const found = trouble();
      if (found === undefined || (found.kind === "away" && clock.mono() - found.since < GRACE_MS)) return [];
      const { kind, reason } = found;
      const finding: Finding = {
        kind: "mqtt_broker",
        severity: "critical",
        message: reason.charAt(0).toUpperCase() + reason.slice(1),
        mend:
          kind === "away"
            ? "What the hub shows of its devices is from before, and commands fail until the broker is there again."
            : "Until that is mended the hub hears nothing of its devices and cannot command them.",
        variant: kind === "away" ? "away" : "refused",
        values: { reason },
      };
      return [finding];
    },
  };
}
