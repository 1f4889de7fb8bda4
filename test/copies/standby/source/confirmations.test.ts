// When somebody who changed something learns that the standby has it, and what a standby does meanwhile that has nothing new to ask.
import { expect, test } from "bun:test";
import { createConfirmations } from "../../../../src/copies/standby/source/confirmations.ts";
import { createVirtualClock } from "../../../support/virtual-clock.ts";

function open() {
  const clock = createVirtualClock();
  const confirmations = createConfirmations(clock);
  let turn = 1000;
  /** The standby asks, having put the answer before onto its disk; resolves with the turn of the next one. */
  async function ask(
    confirms: number | undefined,
    { got = confirms, holdMs = confirms === undefined ? 0 : 2000 } = {},
  ): Promise<number> {
    await confirmations.ready({
      ...(got !== undefined && { turn: got }),
      ...(confirms !== undefined && { confirms }),
      holdMs,
    });
    confirmations.begin(++turn);
    return turn;
  }
  return { clock, confirmations, ask };
}

/** `pending`, or what it resolved with. */
async function seen<T>(promise: Promise<T>): Promise<T | "pending"> {
  for (let count = 0; count < 5; count++) await new Promise((resolve) => setImmediate(resolve));
  return Promise.race([promise, Promise.resolve("pending" as const)]);
}

test("a change is confirmed by an answer that was begun after it, and not by one before", async () => {
  const { confirmations, ask } = open();
  const first = await ask(undefined);
  const change = confirmations.reached();
  // This one may have been read before the change.
  const second = await ask(first);
  expect(await seen(change)).toBe("pending");
  void ask(second);
  expect(await seen(change)).toBe(true);
});

test("a standby with nothing new is kept waiting, until somebody changes something or its time is over", async () => {
  const { clock, confirmations, ask } = open();
  const first = await ask(undefined);
  const held = ask(first);
  expect(await seen(held)).toBe("pending");
  const change = confirmations.reached();
  const second = await held;
  const next = ask(second);
  expect(await seen(change)).toBe(true);
  expect(await seen(next)).toBe("pending");
  await clock.advance(2000);
  expect(await seen(next)).toBe(second + 1);
  expect(clock.pending()).toEqual([]);
});

test("an answer that was lost on its way is given anew at once", async () => {
  const { confirmations, ask } = open();
  const first = await ask(undefined);
  const change = confirmations.reached();
  await ask(first);
  // It did not get that one.
  const again = ask(first);
  expect(await seen(again)).toBeGreaterThan(first);
  void ask(await again);
  expect(await seen(change)).toBe(true);
});

test("a standby that cannot put an answer onto its disk does not ask in circles", async () => {
  const { clock, confirmations, ask } = open();
  const first = await ask(undefined);
  const change = confirmations.reached();
  const second = await ask(first);
  const next = ask(first, { got: second });
  expect(await seen(next)).toBe("pending");
  await clock.advance(3000);
  expect(await change).toBe(false);
});

test("a standby that says nothing is waited for once, and then not before it confirms something again", async () => {
  const { clock, confirmations, ask } = open();
  const first = await ask(undefined);
  const change = confirmations.reached();
  await clock.advance(2999);
  expect(await seen(change)).toBe("pending");
  await clock.advance(1);
  expect(await change).toBe(false);
  expect(await seen(confirmations.reached())).toBe(false);
  expect({ ...confirmations }).toMatchObject({ isConfirming: false, unconfirmed: 2 });
  void ask(first);
  expect(await seen(Promise.resolve(confirmations.isConfirming))).toBe(true);
  expect(await seen(confirmations.reached())).toBe("pending");
});

test("what the standby confirms of an earlier hub is no confirmation", async () => {
  const { confirmations, ask } = open();
  const change = confirmations.reached();
  const first = await ask(999);
  void ask(5000, { got: first });
  expect(await seen(change)).toBe("pending");
  void ask(first);
  expect(await seen(change)).toBe(true);
});

test("nobody waits for a standby that was forgotten, and a hub that stops says that it is not known", async () => {
  const { confirmations, ask } = open();
  await ask(undefined);
  const change = confirmations.reached();
  confirmations.release();
  expect(await change).toBe(true);
  const last = confirmations.reached();
  confirmations[Symbol.dispose]();
  expect(await last).toBe(false);
  expect(await confirmations.reached()).toBe(false);
});
