// Requests that come from this machine itself, where plugins run: any of them may have sent one. Plugins run as the hub's user, so
// a connection that the kernel says is another user's is none of theirs.
import ipaddr from "ipaddr.js";
import { type AddressSet, isLoopback, normalizeAddress } from "../../kit/text/addresses.ts";

/** Where a connection comes from, and the hub's port that it came to. */
export interface Peer {
  address: string;
  port: number;
  hubPort: number;
}

export interface OwnConnections {
  /** Whether a plugin may be behind this address, as it is one of this machine and plugins have run. */
  mayBePlugin(address: string): boolean;
  /** Whether a plugin may have opened this connection. */
  mayBeOfPlugin(peer: Peer): boolean;
}

export interface OwnConnectionsOptions {
  /** Since the hub runs. */
  havePluginsRun: () => boolean;
  /** Of this machine. */
  addresses: AddressSet;
  /** The hub's user; undefined where the system has none. */
  uid: number | undefined;
  /** The kernel's tables of connections, /proc/net/tcp and tcp6; empty where there are none. */
  tables: () => string;
}

const ESTABLISHED = "01";
const ROOT = 0;

/** Loopback, and what the interfaces of this machine have. */
export function ownAddresses(ofInterfaces: () => readonly string[]): AddressSet {
  return {
    has(text) {
      const address = normalizeAddress(text);
      return isLoopback(address) || ofInterfaces().some((own) => normalizeAddress(own) === address);
    },
  };
}

export function createOwnConnections(options: OwnConnectionsOptions): OwnConnections {
  const { havePluginsRun, addresses, uid, tables } = options;
  const mayBePlugin = (address: string): boolean => havePluginsRun() && addresses.has(address);

  return {
    mayBePlugin,
    mayBeOfPlugin(peer) {
      if (!mayBePlugin(peer.address)) return false;
      // A plugin of root can be whom it likes.
      if (uid === undefined || uid === ROOT) return true;
      const owners = ownersOf(peer, tables());
      return owners.length === 0 || owners.some((owner) => owner === undefined || owner === uid);
    },
  };
}

/**
 * The users of the sockets that this connection may be: several where somebody used the same port for another of the hub's
 * addresses. Undefined for one that its program has closed: the kernel then says root.
 */
function ownersOf({ address, port, hubPort }: Peer, tables: string): (number | undefined)[] {
  const [from, to] = [portText(port), portText(hubPort)];
  return tables.split("\n").flatMap((line) => {
    const [, local = "", remote = "", state, , , , uid, , inode] = line.trim().split(/\s+/);
    if (!local.endsWith(from) || !remote.endsWith(to) || addressOf(local) !== normalizeAddress(address)) return [];
    return [state === ESTABLISHED && inode !== "0" ? Number(uid) : undefined];
  });
}

function portText(port: number): string {
  return `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** `0100007F:1F90` is 127.0.0.1: words of four bytes, the lowest first. */
function addressOf(local: string): string {
  const words = local.split(":", 1).join().match(/.{8}/g) ?? [];
  const bytes = words.flatMap((word) => [...Buffer.from(word, "hex").reverse()]);
  return bytes.length === 4 || bytes.length === 16 ? normalizeAddress(ipaddr.fromByteArray(bytes).toString()) : "";
}
