// Connections that have not logged in. They have limits of their own, so that unknown clients never use up the connections of accounts:
// one for each address, and one for all but this machine, whose plugins no other machine can shut out. Where one is reached, the oldest
// connection of the address that has most of them makes room: a real client logs in within milliseconds. It is given these; who opens
// so many that none is older is refused.
import type { Limits } from "../../../kit/lifecycle/limits.ts";
import { networkOf } from "../../../kit/text/addresses.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import { isLoopbackHost, type MqttSection } from "../config.ts";
import type { ClientConnection } from "./connection/client-connection.ts";

type Pending = Pick<ClientConnection, "address" | "cut">;

export interface PendingConnections {
  /** Whether one more may come from there; another is closed where it has to be. */
  makeRoom(address: string): boolean;
  add(connection: Pending): void;
  /** It has logged in, or is closed. */
  remove(connection: Pending): void;
}

export interface PendingConnectionsOptions {
  config: Pick<MqttSection, "max_pending_connections" | "max_pending_connections_per_address">;
  clock: Clock;
  limits: Limits;
}

// Time for a CONNECT, whatever others do.
const OWN_MS = 250;
const THIS_MACHINE = "this machine";

/** In order of arrival, each with its time. */
type Waiting = Map<Pending, number>;

export function createPendingConnections({ config, clock, limits }: PendingConnectionsOptions): PendingConnections {
  const byNetwork = new Map<string, Waiting>();
  let strangers = 0;

  function remove(connection: Pending): void {
    const network = clientOf(connection.address);
    const others = byNetwork.get(network);
    if (!others?.delete(connection)) return;
    if (network !== THIS_MACHINE) strangers--;
    if (others.size === 0) byNetwork.delete(network);
  }

  function closeOldest(among: Waiting, key: keyof PendingConnectionsOptions["config"], account: string): boolean {
    const [oldest] = among;
    const isClosed = oldest !== undefined && clock.mono() - oldest[1] >= OWN_MS;
    const message = `too many MQTT connections wait without logging in: ${isClosed ? "the oldest was closed for a new one" : "a new one was refused"}`;
    limits.reached({ limit: `[mqtt] ${key}`, account, message });
    if (!isClosed) return false;
    remove(oldest[0]);
    oldest[0].cut();
    return true;
  }

  /** Those of the network that has most; of `own` where none has more. */
  function most(own: Waiting | undefined): Waiting {
    let found: Waiting = own ?? new Map();
    for (const [network, waiting] of byNetwork)
      if (network !== THIS_MACHINE && waiting.size > found.size) found = waiting;
    return found;
  }

  return {
    makeRoom(address) {
      const network = clientOf(address);
      const own = byNetwork.get(network);
      if (own && own.size >= config.max_pending_connections_per_address)
        return closeOldest(own, "max_pending_connections_per_address", address);
      if (network === THIS_MACHINE || strangers < config.max_pending_connections) return true;
      return closeOldest(most(own), "max_pending_connections", "all");
    },
    add(connection) {
      const network = clientOf(connection.address);
      const waiting = byNetwork.get(network) ?? new Map<Pending, number>();
      byNetwork.set(network, waiting.set(connection, clock.mono()));
      if (network !== THIS_MACHINE) strangers++;
    },
    remove,
  };
}

/** Who is counted as one. */
const clientOf = (address: string): string => (isLoopbackHost(address) ? THIS_MACHINE : networkOf(address));
