// Connections that have not logged in, of many addresses: who holds most of them makes room.
import { expect, test } from "bun:test";
import { createPendingConnections } from "../../../../src/reach/mqtt/broker/pending-connections.ts";
import { createVirtualClock } from "../../../support/virtual-clock.ts";

function rig(limits: { all: number; perAddress: number }) {
  const clock = createVirtualClock();
  const pending = createPendingConnections({
    config: { max_pending_connections: limits.all, max_pending_connections_per_address: limits.perAddress },
    clock,
    limits: { reached() {} },
  });
  return {
    clock,
    /** Undefined where it is refused. */
    open(address: string): { isCut: boolean } | undefined {
      if (!pending.makeRoom(address)) return undefined;
      const one = {
        address,
        isCut: false,
        cut() {
          one.isCut = true;
        },
      };
      pending.add(one);
      return one;
    },
  };
}

test("who holds many cannot keep another address out, nor close its connection", async () => {
  const { clock, open } = rig({ all: 100, perAddress: 90 });
  const stranger = Array.from({ length: 90 }, () => open("198.51.100.9"));
  const lamps = Array.from({ length: 10 }, (_, index) => open(`192.168.1.${index}`));
  await clock.advance(300);
  const more = Array.from({ length: 30 }, (_, index) => open(`192.168.1.${100 + index}`));
  expect(more.filter((one) => one?.isCut === false)).toHaveLength(30);
  expect(lamps.filter((one) => one?.isCut)).toEqual([]);
  expect(stranger.map((one) => one?.isCut)).toEqual([...Array(30).fill(true), ...Array(60).fill(false)]);
});

test.each([
  ["an IPv6 host with many addresses", (index: number) => `2001:db8::${index.toString(16)}`],
  ["an IPv4 address in IPv6", (index: number) => (index % 2 ? "::ffff:198.51.100.9" : "198.51.100.9")],
  ["this machine", (index: number) => `127.0.0.${1 + (index % 250)}`],
])("%s is one", (_, address) => {
  const { open } = rig({ all: 100, perAddress: 10 });
  const opened = Array.from({ length: 50 }, (_, index) => open(address(index)));
  expect(opened.filter((one) => one !== undefined)).toHaveLength(10);
});

test("addresses with one each take turns, and this machine has its own", async () => {
  const { clock, open } = rig({ all: 10, perAddress: 5 });
  const first = Array.from({ length: 10 }, (_, index) => open(`198.51.100.${index}`));
  const here = Array.from({ length: 5 }, () => open("::1"));
  expect(open("203.0.113.1")).toBeUndefined();
  await clock.advance(250);
  expect(open("203.0.113.1")).toBeDefined();
  expect(first.filter((one) => one?.isCut)).toEqual([first[0]]);
  expect(here.filter((one) => one?.isCut === false)).toHaveLength(5);
});
