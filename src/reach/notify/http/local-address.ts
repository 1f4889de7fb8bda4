// Whether an address leads to the hub's own machine: addresses that devices and browsers give, and those of webhooks, may not unless
// a person named them.
import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";

/** This machine, what is on its own cable, groups, and IPv4 addresses that a router translates. */
const NEAR: ReadonlySet<string> = new Set([
  "loopback",
  "unspecified",
  "linkLocal",
  "multicast",
  "broadcast",
  "rfc6052",
]);

/** Of this machine. */
export function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((each = []) => each.map(({ address }) => address));
}

/** True for what is no address as well. */
export function isLocalAddress(text: string, own: readonly string[] = ownAddresses()): boolean {
  if (!ipaddr.isValid(text)) return true;
  const address = ipaddr.process(text);
  return NEAR.has(address.range()) || own.some((each) => ipaddr.process(each).toString() === address.toString());
}
