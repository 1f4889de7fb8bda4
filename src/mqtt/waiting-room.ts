// Connections that have not said who they are yet. They have a room of their own, so that strangers never take the place of
// somebody known, and the oldest makes place for the newest: a plugin logs in within milliseconds, who waits longer does not.
import type { Limits } from "../core/limits.ts";
import type { MqttSection } from "./config.ts";
import type { Link } from "./link.ts";

type Stranger = Pick<Link, "address" | "cut">;

export interface WaitingRoom {
  arrived(link: Stranger): void;
  /** It has logged in, or is gone. */
  left(link: Stranger): void;
}

export interface WaitingRoomOptions {
  config: Pick<MqttSection, "max_pending_connections" | "max_pending_connections_per_address">;
  limits: Limits;
}

export function createWaitingRoom({ config, limits }: WaitingRoomOptions): WaitingRoom {
  const { max_pending_connections: most, max_pending_connections_per_address: mostOfOne } = config;
  // In the order of their arrival.
  const waiting = new Set<Stranger>();
  const byAddress = new Map<string, Set<Stranger>>();

  function left(link: Stranger): void {
    waiting.delete(link);
    const others = byAddress.get(link.address);
    others?.delete(link);
    if (others?.size === 0) byAddress.delete(link.address);
  }

  function closeOldest(among: ReadonlySet<Stranger>, key: string, account: string): void {
    const [oldest] = among;
    if (!oldest) return;
    left(oldest);
    oldest.cut();
    limits.reached({
      limit: `[mqtt] ${key}`,
      account,
      message: "too many MQTT connections wait without logging in: the oldest was closed for a new one",
    });
  }

  return {
    arrived(link) {
      const { address } = link;
      const neighbours = byAddress.get(address) ?? new Set();
      byAddress.set(address, neighbours.add(link));
      waiting.add(link);
      if (neighbours.size > mostOfOne) closeOldest(neighbours, "max_pending_connections_per_address", address);
      if (waiting.size > most) closeOldest(waiting, "max_pending_connections", "all");
    },
    left,
  };
}
