// How many connections to the API one address may hold open, and all together, so that idle and half-open ones take neither all memory
// nor all file descriptors. Bun takes every connection; what is too much is ended within two seconds: of the address that has
// most, those that were silent longest.
import { readFileSync } from "node:fs";
import type { Limits } from "../../../kit/lifecycle/limits.ts";
import { type AddressSet, networkOf } from "../../../kit/text/addresses.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { OpenConnection, OpenConnections } from "./open-connections.ts";

export interface ConnectionLimitOptions {
  connections: OpenConnections;
  port: () => number;
  /** They bring many clients, and have the limit for all alone. */
  proxies: AddressSet;
  clock: Clock;
  limits: Limits;
}

export const MAX_OF_ADDRESS = 512;
const MAX_OF_ALL = 4096;
const LOOK_MS = 2000;

export function limitConnections(options: ConnectionLimitOptions): Disposable {
  const { connections, port, proxies, clock, limits } = options;
  const maxOfAll = Math.min(MAX_OF_ALL, Math.floor(maxDescriptors() / 2));

  function end(some: readonly OpenConnection[], limit: string, account: string, most: number): void {
    if (some.length === 0) return;
    for (const one of some) connections.end(one);
    const message = `held more than ${most} connections to the API: those that were silent longest were ended`;
    limits.reached({ limit, account, message });
  }

  function look(): void {
    // All of them are file descriptors, and a quiet hub has few.
    if (connections.most() <= Math.min(MAX_OF_ADDRESS, maxOfAll)) return;
    const all = connections.to(port()).sort((a, b) => a.silentMs - b.silentMs);
    const byNetwork = Map.groupBy(all, ({ address }) => networkOf(address));
    for (const [network, own] of byNetwork)
      if (!own.some(({ address }) => proxies.has(address)))
        end(own.splice(MAX_OF_ADDRESS), "connections of one address", network, MAX_OF_ADDRESS);
    const each = shareOf([...byNetwork.values()], maxOfAll);
    const tooMany = [...byNetwork.values()].flatMap((own) => own.splice(each));
    end(tooMany, "connections of all addresses", "all", maxOfAll);
  }

  return clock.every("api connections", LOOK_MS, look);
}

/** How many each may hold, so that all together hold no more than `most`: those with few keep theirs. */
function shareOf(all: readonly OpenConnection[][], most: number): number {
  let left = most;
  const sizes = all.map(({ length }) => length).sort((a, b) => a - b);
  for (const [index, size] of sizes.entries()) {
    const share = Math.floor(left / (sizes.length - index));
    if (size > share) return share;
    left -= size;
  }
  return most;
}

/** How many files and connections the process may have open. */
function maxDescriptors(): number {
  const limits = readFileSync("/proc/self/limits", "utf8");
  return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
}
