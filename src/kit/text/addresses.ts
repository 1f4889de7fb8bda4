// Network addresses: one spelling for each, ranges, and the address a request really comes from.
import ipaddr from "ipaddr.js";

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Range = readonly [Address, number];

export interface AddressSet {
  has(address: string): boolean;
}

/** Which proxies are believed: those that connect to the hub, and those that connected to another proxy. */
export interface TrustedProxies {
  readonly peers: AddressSet;
  readonly hops: AddressSet;
}

/** The part of `Headers` that is read here. */
export interface HeaderReader {
  get(name: string): string | null;
}

// Every request asks several times for the address it comes from, and a house has few.
const MAX_PARSED = 256;
const MAX_KEPT_LENGTH = 64;
const parsed = new Map<string, Address | undefined>();

/** An address without a port; undefined for anything else. `::ffff:1.2.3.4` is `1.2.3.4`, a zone (`%eth0`) is dropped. */
export function parseAddress(text: string): Address | undefined {
  if (parsed.has(text)) return parsed.get(text);
  const address = parseNew(text);
  if (text.length > MAX_KEPT_LENGTH) return address;
  if (parsed.size >= MAX_PARSED) parsed.clear();
  parsed.set(text, address);
  return address;
}

function parseNew(text: string): Address | undefined {
  const bare = text.trim().replace(/%.*$/, "");
  if (ipaddr.IPv4.isValidFourPartDecimal(bare)) return ipaddr.IPv4.parse(bare);
  // The library also takes "1", octal and hexadecimal: notations that two programs read differently.
  if (!bare.includes(":") || !ipaddr.IPv6.isValid(bare)) return undefined;
  return ipaddr.process(bare);
}

/** One spelling for each address; text that is not an address is returned unchanged. */
export function normalizeAddress(text: string): string {
  return parseAddress(text)?.toString() ?? text;
}

/** `10.0.0.0/8`, `fd00::/8` or a single address. */
export function parseRange(text: string): Range | undefined {
  const [base = "", bits, ...rest] = text.trim().split("/");
  const address = parseAddress(base);
  if (!address || rest.length > 0) return undefined;
  const size = address.kind() === "ipv4" ? 32 : 128;
  if (bits === undefined) return [address, size];
  if (!/^\d{1,3}$/.test(bits)) return undefined;
  // A range of mapped addresses counts its bits in IPv6.
  const prefix = Number(bits) - (size === 32 && base.includes(":") ? 96 : 0);
  return prefix >= 0 && prefix <= size ? [address, prefix] : undefined;
}

/** Entries that are neither an address nor a range match nothing. */
export function addressSet(entries: readonly string[]): AddressSet {
  const ranges = entries.map(parseRange).filter((range) => range !== undefined);
  return {
    has(text) {
      if (ranges.length === 0) return false;
      const address = parseAddress(text);
      return address !== undefined && ranges.some((range) => contains(range, address));
    },
  };
}

export function isLoopback(text: string): boolean {
  return parseAddress(text)?.range() === "loopback";
}

/**
 * The address a request comes from: the peer, or, if the peer is a trusted proxy, what its headers say. They are read from
 * the right: everything left of the last untrusted hop was written by strangers. Returns `via PEER`, which is not an address,
 * when the client cannot be known: an untrusted peer sent the headers, or a trusted proxy wrote something unreadable.
 */
export function clientAddress(peer: string, headers: HeaderReader, trusted: TrustedProxies): string {
  let client = normalizeAddress(peer);
  const hops = hopsOf(headers);
  if (hops === undefined) return client;
  if (!trusted.peers.has(client)) return `via ${client}`;
  while (hops.length > 0) {
    const hop = parseHop(hops.pop() ?? "");
    if (hop === undefined) return `via ${client}`;
    client = hop;
    if (!trusted.hops.has(client)) break;
  }
  return client;
}

/** The addresses a request was forwarded from, the nearest last; undefined without such a header. */
function hopsOf(headers: HeaderReader): string[] | undefined {
  const list = headers.get("x-forwarded-for");
  const forwarded = headers.get("forwarded");
  // Two lists may differ, and the hub cannot know which of them the proxy wrote.
  if (list !== null && forwarded !== null) return [""];
  if (list !== null) return list.split(",");
  return forwarded
    ?.split(",")
    .map((element) => /(?:^|;)\s*for=("[^"\\]*"|[^";]*)/i.exec(element)?.[1]?.replaceAll('"', "") ?? "");
}

/** Who is counted as one client: an IPv4 address, or the /64 from which an IPv6 host may choose freely. */
export function networkOf(text: string): string {
  const address = parseAddress(text);
  if (!address) return "unknown";
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(":")}::/64`;
}

// Some proxies write the port as well: `1.2.3.4:5678`, `[fd00::1]:5678`.
function parseHop(text: string): string | undefined {
  const hop = text.trim();
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop;
  return parseAddress(bare)?.toString();
}

function contains([base, bits]: Range, address: Address): boolean {
  return base.kind() === address.kind() && address.match(base, bits);
}
