// This machine as the hub's guards see it: its addresses, and who of its users opened a connection.
import { readFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import type { AddressSet } from "../../kit/text/addresses.ts";
import type { Plugins } from "../../reach/plugins/supervisor.ts";
import { createOwnConnections, type OwnConnections, ownAddresses } from "../../server/auth/own-connections.ts";
import type { Port } from "./start/port.ts";

const TABLES = ["/proc/net/tcp", "/proc/net/tcp6"];

/** Loopback, and the addresses that its interfaces have now. */
export function addressesOfMachine(): AddressSet {
  return ownAddresses(() =>
    Object.values(networkInterfaces()).flatMap((each = []) => each.map(({ address }) => address)),
  );
}

export function connectionsOfMachine(plugins: Port<Plugins>): OwnConnections {
  return createOwnConnections({
    havePluginsRun: () => plugins.now?.haveRun() ?? false,
    addresses: addressesOfMachine(),
    uid: process.getuid?.(),
    tables: () => TABLES.map(textOf).join(""),
  });
}

function textOf(table: string): string {
  try {
    return readFileSync(table, "latin1");
  } catch {
    // No such kernel, or no IPv6.
    return "";
  }
}
