// Which connections to the API are ended where an address holds too many, and all together do.
import { expect, test } from "bun:test";
import { limitConnections, MAX_OF_ADDRESS } from "../../../../src/api/http/listen/connection-limit.ts";
import type { OpenConnection } from "../../../../src/api/http/listen/open-connections.ts";
import { addressSet } from "../../../../src/kit/text/addresses.ts";
import { createVirtualClock } from "../../../support/virtual-clock.ts";

/** `held`: how many of each address; those opened last were silent shortest. Gives how many are left after one look. */
async function leftOf(held: Record<string, number>, proxies: string[] = []): Promise<Record<string, number>> {
  let all: OpenConnection[] = Object.entries(held).flatMap(([address, count]) =>
    Array.from({ length: count }, (_, index) => ({ descriptor: index, address, silentMs: count - index })),
  );
  const clock = createVirtualClock();
  using _limit = limitConnections({
    connections: {
      most: () => all.length,
      to: () => [...all],
      end(connection) {
        all = all.filter((one) => one !== connection);
      },
    },
    port: () => 8080,
    proxies: addressSet(proxies),
    clock,
    limits: { reached() {} },
  });
  await clock.advance(3000);
  // Who sent something lately is the last to go.
  for (const address of Object.keys(held)) {
    const own = all.filter((one) => one.address === address);
    if (own.length > 0) expect(Math.min(...own.map(({ silentMs }) => silentMs))).toBe(1);
  }
  return Object.fromEntries(
    Object.keys(held).map((address) => [address, all.filter((one) => one.address === address).length]),
  );
}

test("of one address those that were silent longest are ended, and nobody else's", async () => {
  expect(await leftOf({ "198.51.100.9": 2000, "192.168.1.7": 30, "127.0.0.1": 5 })).toEqual({
    ...{ "198.51.100.9": MAX_OF_ADDRESS, "192.168.1.7": 30, "127.0.0.1": 5 },
  });
});

test("a house that stays below the limits keeps all of them", async () => {
  const held = { "192.168.1.7": 500, "192.168.1.8": 500, "fe80:0:0:0:1:2:3:4": 12 };
  expect(await leftOf(held)).toEqual(held);
});

test("a trusted proxy may hold more", async () => {
  expect(await leftOf({ "10.0.0.1": 2000, "198.51.100.9": 600 }, ["10.0.0.1"])).toEqual({
    ...{ "10.0.0.1": 2000, "198.51.100.9": MAX_OF_ADDRESS },
  });
});

test("of many addresses with many connections each, those with few keep theirs", async () => {
  const strangers = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`198.51.100.${index}`, 500]));
  const left = await leftOf({ ...strangers, "192.168.1.7": 20 });
  expect(left["192.168.1.7"]).toBe(20);
  expect(Object.values(left).reduce((sum, count) => sum + count)).toBeLessThanOrEqual(4096);
});
