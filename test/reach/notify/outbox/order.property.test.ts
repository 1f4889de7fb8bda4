// Whatever services and hubs do: every message arrives, in order, one at a time; twice only if the hub died while it was sent. A
// message overtakes another only if that one was refused several times, the last time just before.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { examples } from "../../../support/examples.ts";
import { bot, type OutboxRig, openOutboxRig, push, type Reaction } from "./rig.ts";

const CHANNELS = ["phone", "chat"];
const MINUTE = 60_000;

type Step =
  | { do: "post"; to: string; again: boolean }
  | { do: "react"; channel: string; reaction: Reaction }
  | { do: "wait"; ms: number }
  | { do: "restart"; crash: boolean; stepMs: number };

const channel = fc.constantFrom(...CHANNELS);
const reaction = fc.constantFrom<Reaction>(
  "ok",
  "ok",
  "down",
  "hang",
  { status: 503 },
  { status: 500 },
  { afterMs: 2000 },
  { afterMs: 30_000 },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("post" as const),
      to: fc.constantFrom("all", ...CHANNELS),
      again: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("react" as const), channel, reaction }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: 0, max: 20 * MINUTE }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("restart" as const),
      crash: fc.boolean(),
      stepMs: fc.integer({ min: -1e12, max: 1e11 }),
    }),
  },
);

test("every message arrives in order, one at a time, and twice only after a crash or a broken connection", async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 40 }), check), { numRuns: examples(150) });
}, 120_000);

async function check(steps: readonly Step[]): Promise<void> {
  await using rig = await openOutboxRig([push("phone"), bot("chat")]);
  const enqueued: Record<string, Map<number, number>> = { phone: new Map(), chat: new Map() };
  let next = 1;
  let broken = 0;
  for (const each of steps) {
    if (each.do === "react") rig.react(each.channel, each.reaction);
    else if (each.do === "wait") await rig.clock.advance(each.ms);
    else if (each.do === "restart") {
      broken += each.crash ? 1 : 0;
      await rig.restart(each);
    } else {
      const number = each.again ? Math.max(1, next - 1) : next++;
      for (const name of each.to === "all" ? CHANNELS : [each.to])
        enqueued[name]?.set(number, (enqueued[name]?.get(number) ?? 0) + 1);
      void rig.say(each.to, `n${number}`);
      await rig.clock.advance(0);
    }
  }
  // A try that was aborted at its deadline may have arrived nevertheless.
  const cut = steps.some(
    (each) => each.do === "react" && typeof each.reaction === "object" && "afterMs" in each.reaction,
  );
  for (const name of CHANNELS) rig.react(name, "ok");
  for (let turn = 0; turn < 4; turn++) await rig.clock.advance(13 * MINUTE);

  expect(rig.outbox.list()).toEqual([]);
  expect(rig.maxAtOnce).toBeLessThanOrEqual(1);
  expect(rig.events.filter(({ type }) => type === "notification_given_up")).toEqual([]);
  for (const name of CHANNELS) {
    const arrived = rig.texts(name).map(read);
    const first = arrived.map(({ number }) => number).filter((number, index, all) => all.indexOf(number) === index);
    const inOrder = [...(enqueued[name]?.keys() ?? [])].sort((a, b) => a - b);
    expect(first.toSorted((a, b) => a - b)).toEqual(inOrder);
    expect(first.filter((number) => !wasSkipped(rig, name, number))).toEqual(
      inOrder.filter((number) => !wasSkipped(rig, name, number)),
    );
    if (broken > 0 || cut) continue;
    for (const [number, times] of enqueued[name] ?? [])
      expect(arrived.filter((each) => each.number === number).reduce((sum, { count }) => sum + count, 0)).toBe(times);
  }
}

/** It was refused five times, and another message of its channel was accepted right after one of these refusals. */
function wasSkipped({ tried }: OutboxRig, channel: string, number: number): boolean {
  const tries = tried.filter((each) => each.channel === channel);
  const refusals = tries.filter(({ text, status = 0 }) => read(text).number === number && status >= 500);
  return refusals.slice(4).some((refusal) => {
    const next = tries[tries.indexOf(refusal) + 1];
    return next?.status === 200 && read(next.text).number !== number;
  });
}

/** `n7 (3 times since …)`. */
function read(text: string): { number: number; count: number } {
  return {
    number: Number(/^n(\d+)/.exec(text)?.[1]),
    count: Number(/\\?\((\d+) times since/.exec(text)?.[1] ?? 1),
  };
}
