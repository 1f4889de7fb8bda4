// What a rule's message that does not get through is called: `action_failed`, whenever that is known, and the rule goes on.
import { expect, test } from "bun:test";
import { notifyForRules } from "../../../src/app/hub/wire-notify.ts";
import type { FirstTry } from "../../../src/reach/notify/outbox/outbox.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const notification = { channels: ["chat"], message: "fire" } as never;
const never = new AbortController().signal;

function enqueueing(clock = createVirtualClock()) {
  const { promise, resolve } = Promise.withResolvers<FirstTry[]>();
  const notify = notifyForRules({ enqueue: () => promise }, clock);
  return { clock, resolve, enqueued: notify(notification, never) };
}

const queued: FirstTry = { channel: "chat", state: "queued", error: "there is no network" };
const failed: FirstTry = { channel: "chat", state: "failed", error: "wrong token", hint: "Look at it" };
const waits = { why: "chat waits, because there is no network", waits: true };

test("what waits is said at once, and what failed for good is thrown", async () => {
  const { enqueued, resolve } = enqueueing();
  resolve([queued]);
  expect(await enqueued).toMatchObject({ undelivered: waits });
  const other = enqueueing();
  other.resolve([failed]);
  expect(await other.enqueued.catch(String)).toContain("chat: wrong token; Look at it");
});

test("what is known only later is said later, and nothing where it arrived or only waits for its turn", async () => {
  for (const [tries, later] of [
    [[queued], waits],
    [[failed], { why: "chat: wrong token; Look at it", waits: false }],
    [[{ channel: "chat", state: "delivered" }], undefined],
    [[{ channel: "chat", state: "queued" }], undefined],
  ] as [FirstTry[], unknown][]) {
    const { clock, enqueued, resolve } = enqueueing();
    await clock.advance(100);
    const known = await enqueued;
    expect(known.undelivered).toBeUndefined();
    resolve(tries);
    expect(await known.later).toEqual(later as never);
  }
});
