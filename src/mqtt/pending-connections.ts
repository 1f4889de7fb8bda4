// Connections that have not logged in. They have a limit of their own, so that unknown clients never use up the connections of
// accounts. Above it the oldest one is closed: a real client logs in within milliseconds.
import type { Limits } from "../core/limits.ts";
import type { ClientConnection } from "./client-connection.ts";
import type { MqttSection } from "./config.ts";

type Pending = Pick<ClientConnection, "address" | "cut">;

export interface PendingConnections {
  add(connection: Pending): void;
  /** It has logged in, or is closed. */
  remove(connection: Pending): void;
}

export interface PendingConnectionsOptions {
  config: Pick<MqttSection, "max_pending_connections" | "max_pending_connections_per_address">;
  limits: Limits;
}

export function createPendingConnections({ config, limits }: PendingConnectionsOptions): PendingConnections {
  // In order of arrival.
  const pending = new Set<Pending>();
  const byAddress = new Map<string, Set<Pending>>();

  function remove(connection: Pending): void {
    pending.delete(connection);
    const others = byAddress.get(connection.address);
    others?.delete(connection);
    if (others?.size === 0) byAddress.delete(connection.address);
  }

  function closeOldest(among: ReadonlySet<Pending>, key: string, account: string): void {
    const [oldest] = among;
    if (!oldest) return;
    remove(oldest);
    oldest.cut();
    limits.reached({
      limit: `[mqtt] ${key}`,
      account,
      message: "too many MQTT connections wait without logging in: the oldest was closed for a new one",
    });
  }

  return {
    add(connection) {
      const { address } = connection;
      const sameAddress = byAddress.get(address) ?? new Set();
      byAddress.set(address, sameAddress.add(connection));
      pending.add(connection);
      if (sameAddress.size > config.max_pending_connections_per_address)
        closeOldest(sameAddress, "max_pending_connections_per_address", address);
      if (pending.size > config.max_pending_connections) closeOldest(pending, "max_pending_connections", "all");
    },
    remove,
  };
}
