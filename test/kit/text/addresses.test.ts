// Spellings, ranges, and whose word about an address counts.
import { expect, test } from "bun:test";
import { addressSet, clientAddress, isLoopback, networkOf, normalizeAddress } from "../../../src/kit/text/addresses.ts";

test("one spelling for each address", () => {
  expect(normalizeAddress("::ffff:127.0.0.1")).toBe("127.0.0.1");
  expect(normalizeAddress("::FFFF:7f00:1")).toBe("127.0.0.1");
  expect(normalizeAddress("fe80::1%eth0")).toBe("fe80::1");
  expect(normalizeAddress("2001:DB8:0:0::1")).toBe("2001:db8::1");
  expect(normalizeAddress("not an address")).toBe("not an address");
});

test("ranges of both kinds, mapped addresses, and nothing for nonsense", () => {
  const set = addressSet(["192.168.1.0/24", "10.0.0.5", "fd00::/8", "::ffff:172.16.0.0/108", "nonsense", "1"]);
  for (const inside of ["192.168.1.77", "::ffff:192.168.1.77", "10.0.0.5", "fd12:3456::1%eth0", "172.31.0.1"]) {
    expect(set.has(inside)).toBe(true);
  }
  for (const outside of ["192.168.2.1", "10.0.0.6", "fe80::1", "172.32.0.1", "0.0.0.1", "", "192.168.1.77:80"]) {
    expect(set.has(outside)).toBe(false);
  }
  expect(addressSet(["0.0.0.0/0"]).has("::1")).toBe(false);
  expect(addressSet([]).has("127.0.0.1")).toBe(false);
});

test("loopback", () => {
  for (const own of ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"]) expect(isLoopback(own)).toBe(true);
  for (const other of ["192.168.1.1", "::2", "0.0.0.0", "::", "localhost", ""]) expect(isLoopback(other)).toBe(false);
});

test("IPv6 is counted by /64", () => {
  expect(networkOf("2001:db8:1:2:aaaa::1")).toBe(networkOf("2001:db8:1:2::ffff"));
  expect(networkOf("2001:db8:1:2::1")).not.toBe(networkOf("2001:db8:1:3::1"));
  expect(networkOf("::ffff:1.2.3.4")).toBe("1.2.3.4");
});

const PROXIES = addressSet(["127.0.0.1", "10.0.0.0/8"]);
const TRUSTED = { peers: PROXIES, hops: PROXIES };
for (const [what, peer, header, client] of [
  ["from a peer that is no trusted proxy: nobody knows", "203.0.113.7", "192.168.1.1", "via 203.0.113.7"],
  ["a proxy's last hop", "127.0.0.1", "203.0.113.7", "203.0.113.7"],
  ["a mapped proxy", "::ffff:127.0.0.1", "203.0.113.7", "203.0.113.7"],
  ["what the client itself wrote is passed over", "127.0.0.1", "192.168.1.1, 203.0.113.7", "203.0.113.7"],
  ["garbage the client wrote is passed over", "127.0.0.1", "garbage, 203.0.113.7", "203.0.113.7"],
  ["a chain of proxies", "127.0.0.1", "192.168.1.1, 203.0.113.7, 10.1.1.1", "203.0.113.7"],
  ["only proxies: the first of them", "127.0.0.1", "10.2.2.2, 10.1.1.1", "10.2.2.2"],
  ["no header: the peer", "127.0.0.1", null, "127.0.0.1"],
  ["a malformed header: nobody knows", "127.0.0.1", "garbage", "via 127.0.0.1"],
  ["an empty header: nobody knows", "127.0.0.1", "", "via 127.0.0.1"],
  ["a malformed hop behind a trusted one: nobody knows", "127.0.0.1", "garbage, 10.1.1.1", "via 10.1.1.1"],
  ["ports and brackets", "127.0.0.1", "[2001:db8::1]:443, 10.1.1.1:8080", "2001:db8::1"],
] as const) {
  test(`X-Forwarded-For: ${what}`, () => {
    const headers = new Headers(header === null ? {} : { "X-Forwarded-For": header });
    expect(clientAddress(peer, headers, TRUSTED)).toBe(client);
  });
}

for (const [what, peer, header, client] of [
  ["one element", "127.0.0.1", "for=203.0.113.7;proto=https", "203.0.113.7"],
  [
    "quoted, with a port, the nearest last",
    "127.0.0.1",
    'for=192.168.1.1, proto=https;For="[2001:db8::1]:443"',
    "2001:db8::1",
  ],
  ["hidden names are no addresses", "127.0.0.1", "for=_hidden", "via 127.0.0.1"],
  ["without for", "127.0.0.1", "proto=https", "via 127.0.0.1"],
  ["from a peer that is no trusted proxy", "203.0.113.7", "for=127.0.0.1", "via 203.0.113.7"],
] as const) {
  test(`Forwarded: ${what}`, () => {
    expect(clientAddress(peer, new Headers({ Forwarded: header }), TRUSTED)).toBe(client);
  });
}

test("two lists of who forwarded: nobody knows which the proxy wrote", () => {
  const headers = new Headers({ Forwarded: "for=203.0.113.7", "X-Forwarded-For": "127.0.0.1" });
  expect(clientAddress("127.0.0.1", headers, TRUSTED)).toBe("via 127.0.0.1");
});

test("what came through an unnamed proxy is on no list, and shares one limit", () => {
  expect(addressSet(["0.0.0.0/0", "::/0"]).has("via 127.0.0.1")).toBe(false);
  expect(isLoopback("via 127.0.0.1")).toBe(false);
  expect(networkOf("via 127.0.0.1")).toBe(networkOf("via 203.0.113.9"));
});
