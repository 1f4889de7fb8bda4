// How many connections of an account are read from while they send more than is taken.
import { expect, test } from "bun:test";
import { createReceiveTurns } from "../../../../src/reach/mqtt/broker/receive-turns.ts";
import { createVirtualClock } from "../../../support/virtual-clock.ts";

const MIB = 1_048_576;
const SMALL = 1000;

function rig() {
  const clock = createVirtualClock();
  const turns = createReceiveTurns(clock);
  const read: string[] = [];
  return {
    ...{ clock, read },
    join(account: string, name: string) {
      const turn = turns.join(account);
      return {
        ...turn,
        ask: () => turn.ask(() => void read.push(name)),
        [Symbol.dispose]: () => turn[Symbol.dispose](),
      };
    },
  };
}

test("a few connections of an account are read from, the next when one has handed on what it holds; another account's at once", () => {
  const { join, read } = rig();
  const all = ["a", "b", "c", "d", "e", "f"].map((name) => join("flood", name));
  for (const one of all) one.ask();
  expect(read).toEqual(["a", "b", "c", "d"]);
  join("neighbour", "n").ask();
  expect(read.at(-1)).toBe("n");
  all[1]?.holds(MIB);
  all[2]?.holds(SMALL);
  expect(read).toHaveLength(5);
  all[1]?.holds(SMALL);
  expect(read.slice(5)).toEqual(["e", "f"]);
  // In the order in which they asked.
  all[1]?.ask();
  all[0]?.holds(SMALL);
  all[3]?.holds(SMALL);
  expect(read.slice(7)).toEqual(["b"]);
});

test("one that holds half a packet reads on, so that a packet larger than all may hold arrives", () => {
  const { join, read } = rig();
  const [large, other] = [join("flood", "large"), join("flood", "other")];
  large.ask();
  for (let held = 1; held < 8; held++) {
    large.holds(held * MIB);
    large.ask();
  }
  other.ask();
  expect(read).toEqual(Array.from({ length: 8 }, () => "large"));
  large.holds(SMALL);
  expect(read.at(-1)).toBe("other");
});

test("those whose clients stall, send nothing or leave do not keep the others for long", async () => {
  const { clock, join, read } = rig();
  const all = ["a", "b", "c", "d", "e", "f", "g"].map((name) => join("flood", name));
  for (const one of all) {
    one.ask();
    one.holds(MIB);
  }
  expect(read).toEqual(["a", "b"]);
  await clock.advance(1000);
  expect(read).toEqual(["a", "b", "c"]);
  all[3]?.[Symbol.dispose]();
  await clock.advance(1000);
  expect(read).toEqual(["a", "b", "c", "e"]);
  for (const index of [0, 1, 2]) all[index]?.[Symbol.dispose]();
  expect(read.slice(4)).toEqual(["f", "g"]);
});
