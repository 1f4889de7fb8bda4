// Days with power cuts at made-up moments, a year of them in the campaign `year`: every run that waits goes on at its second, or at
// once where that passed while the hub was off, and says so once.
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { JsonObject } from "../../../src/kit/schema/json.ts";
import type { Rule } from "../../../src/rules/read/rule.ts";
import { isTimeUp, SEED, tried } from "../../support/campaign.ts";
import { examples } from "../../support/examples.ts";
import { openRealRig, written } from "../support/real.ts";
import type { Rig } from "./rig.ts";

const DAYS = examples(366, 40);
const DAY_MS = 86_400_000;
/** Nothing of a day lasts longer, power cuts included. */
const BUSY_MS = 900_000;
const GO_AFTER_MS = 120_000;

const delay = (secs: number) => ({ type: "delay", duration_secs: secs });
const lamp = { type: "set_device_state", device_id: "lamp", state: { on: true } };
const go = { type: "custom_event", event_type: "go" };

/** Waits one after the other, in ms; branches at the same time; or until somebody says "go". */
type Takes = readonly number[] | { branches: readonly (readonly number[])[] } | "go";

const KINDS: Record<string, { actions: JsonObject[]; takes: Takes }> = {
  delay: { actions: [delay(200)], takes: [200_000] },
  loop: { actions: [{ type: "repeat_count", count: 3, actions: [lamp, delay(60)] }], takes: [60_000, 60_000, 60_000] },
  parallel: {
    actions: [
      {
        type: "parallel",
        actions: [delay(100), { type: "repeat_count", count: 3, actions: [delay(50)] }],
      },
    ],
    takes: { branches: [[100_000], [50_000, 50_000, 50_000]] },
  },
  branch: {
    actions: [{ type: "conditional", condition: "true", then_actions: [delay(30), lamp, delay(90)] }],
    takes: [30_000, 90_000],
  },
  child: { actions: [{ type: "run_rule", rule_id: "inner" }], takes: [150_000] },
  fade: {
    actions: [{ type: "fade_device", device_id: "lamp", attribute: "brightness", from: 0, to: 10, duration_secs: 180 }],
    takes: [180_000],
  },
  timeout: { actions: [{ type: "wait_for_event", event_type: "custom_never", timeout_secs: 120 }], takes: [120_000] },
  event: { actions: [{ type: "wait_for_event", event_type: "custom_go", timeout_secs: 800 }], takes: "go" },
  trigger: { actions: [{ type: "wait_for_trigger", triggers: [go], timeout_secs: 800 }], takes: "go" },
};
const NAMES = Object.keys(KINDS);

const rules: readonly Rule[] = [
  written("inner", { actions: [delay(150)] }),
  ...NAMES.map((name) =>
    written(name, {
      trigger: { type: "custom_event", event_type: `begin_${name}` },
      actions: [...(KINDS[name]?.actions ?? []), { type: "notify", channel: "log", message: `${name} is done` }],
    }),
  ),
];

/** The hub is off from `at` for `ms`, counted from the beginning of the run. */
interface Cut {
  at: number;
  ms: number;
  crash: boolean;
}

const cut = fc.record({
  // 0 is right after the wait was written.
  at: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 250_000 })),
  ms: fc.integer({ min: 0, max: 60_000 }),
  crash: fc.boolean(),
});
const day = fc.record({ kind: fc.constantFrom(...NAMES), cuts: fc.array(cut, { minLength: 1, maxLength: 4 }) });

/** In order, none before the one before it is over. */
function apart(cuts: readonly Cut[]): Cut[] {
  let free = 0;
  return cuts
    .toSorted((a, b) => a.at - b.at)
    .map((one) => {
      const at = Math.max(one.at, free);
      free = at + one.ms + 1;
      return { ...one, at };
    });
}

/** The moment itself, or the end of the power cut that it falls into. */
function whenOn(at: number, cuts: readonly Cut[]): number {
  const off = cuts.find((one) => one.at <= at && at < one.at + one.ms);
  return off ? off.at + off.ms : at;
}

function endOf(takes: Takes, cuts: readonly Cut[]): number {
  if (takes === "go") return whenOn(GO_AFTER_MS, cuts);
  if ("branches" in takes) return Math.max(...takes.branches.map((branch) => endOf(branch, cuts)));
  return takes.reduce((at, ms) => whenOn(at + ms, cuts), 0);
}

/** Lets the day pass, with its power cuts; `said`: what is seen at which moment. */
async function pass(rig: Rig, cuts: readonly Cut[], said: { at: number; event: string }): Promise<void> {
  const begun = rig.clock.now();
  const moments = [
    ...cuts.map((one) => ({ at: one.at, act: () => rig.restart({ crash: one.crash, offMs: one.ms }) })),
    { at: said.at, act: async () => rig.emit(said.event) },
  ].sort((a, b) => a.at - b.at);
  for (const { at, act } of moments) {
    await rig.clock.advance(Math.max(0, begun + at - rig.clock.now()));
    await act();
  }
  await rig.clock.advance(begun + BUSY_MS - rig.clock.now());
}

test(
  "through days of power cuts every wait goes on, at its second, and is over once",
  async () => {
    await using rig = openRealRig();
    rig.report("lamp", { on: false, brightness: 0 });
    const done: { text: string; at: number }[] = [];
    const { commands, clock } = rig;
    commands.push = (...texts) => {
      for (const text of texts) done.push({ text, at: clock.now() });
      return done.length;
    };
    rig.begin(...rules);
    const year = fc.sample(day, { numRuns: DAYS, seed: SEED });
    let days = 0;
    for (const [index, { kind, cuts: wanted }] of year.entries()) {
      if (isTimeUp()) break;
      days = index + 1;
      const cuts = apart(wanted);
      const takes = KINDS[kind]?.takes ?? [];
      done.length = 0;
      const begun = clock.now();
      rig.emit(`begin_${kind}`);
      await clock.advance(0);
      await pass(rig, cuts, { at: whenOn(GO_AFTER_MS, cuts), event: "go" });
      const ends = done
        .filter(({ text }) => text.startsWith("log:"))
        .map(({ text, at }) => ({ text, after: at - begun }));
      expect({ SEED, index, kind, cuts, ends }).toEqual({
        ...{ SEED, index, kind, cuts },
        ends: [{ text: `log: ${kind} is done`, after: endOf(takes, cuts) }],
      });
      // The rest of the day nothing waits.
      await rig.restart({ offMs: DAY_MS - BUSY_MS });
    }
    expect(days).toBeGreaterThan(0);
    tried(`${days} days of power cuts`);
  },
  { timeout: 120_000, retry: 0 },
);
