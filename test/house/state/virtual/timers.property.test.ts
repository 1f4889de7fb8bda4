// Whatever people, clocks and power cuts do to a timer, its events are a valid sequence, and no run ends early.
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { JsonObject } from "../../../../src/kit/schema/json.ts";
import { examples } from "../../../support/examples.ts";
import { type House, openHouse } from "./rig.ts";

type Deed =
  | { do: "start"; secs: number }
  | { do: "pause" | "resume" | "cancel" | "restart" }
  | { do: "advance" | "step" | "reboot"; secs: number };

const seconds = (max: number) => fc.integer({ min: 1, max: max * 1000 }).map((ms) => ms / 1000);
const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({ do: fc.constant("start" as const), secs: seconds(60) }),
  fc.record({ do: fc.constantFrom("pause" as const, "resume" as const, "cancel" as const, "restart" as const) }),
  fc.record({ do: fc.constant("advance" as const), secs: seconds(40) }),
  fc.record({ do: fc.constant("reboot" as const), secs: seconds(40) }),
  fc.record({ do: fc.constant("step" as const), secs: fc.integer({ min: -400_000_000, max: 400_000_000 }) }),
);

const LEGAL = ["started", "paused", "cancelled", "expired"].flatMap((to) => {
  const from = {
    started: ["idle", "started", "paused", "expired", "cancelled"],
    paused: ["started"],
    cancelled: ["idle", "started", "paused", "expired"],
    expired: ["started"],
  }[to];
  return (from ?? []).map((state) => `${state} → ${to}`);
});

/** The model of the current run. */
interface Expected {
  state: string;
  durationMs: number;
  /** Monotonic; while started. */
  endsAt: number;
  leftMs: number;
  restored: boolean;
  /** Restored, and the clock has stepped since: its end follows the wall clock. */
  byTheWall: boolean;
}

async function act(house: House, deed: Deed, expected: Expected): Promise<void> {
  const now = house.clock.mono();
  switch (deed.do) {
    case "advance":
      return house.clock.advance(deed.secs * 1000);
    case "step":
      expected.byTheWall ||= expected.restored;
      house.clock.step(deed.secs * 1000);
      // The time it takes to notice a step; a power cut before that leaves the old end on disk.
      return house.clock.advance(10_000);
    case "reboot":
      house.stop();
      await house.clock.advance(deed.secs * 1000);
      expected.restored = true;
      return house.start();
    default: {
      const before = { ...expected };
      if (deed.do === "start") Object.assign(expected, { durationMs: Math.round(deed.secs * 1000) });
      if (deed.do === "start" || deed.do === "restart") expected.endsAt = now + expected.durationMs;
      if (deed.do === "pause") expected.leftMs = Math.max(0, expected.endsAt - now);
      if (deed.do === "resume") expected.endsAt = now + expected.leftMs;
      if (deed.do !== "cancel")
        Object.assign(expected, { restored: false, byTheWall: before.byTheWall && deed.do === "pause" });
      const command: JsonObject =
        deed.do === "start" ? { command: "start", duration_secs: deed.secs } : { command: deed.do };
      await house.send("tea", command).catch((error: { code: string }) => {
        expect(["conflict", "invalid"]).toContain(error.code);
        Object.assign(expected, before);
      });
    }
  }
}

function check(house: House, expected: Expected, from: number): void {
  for (const { event, mono } of house.emitted.slice(from)) {
    if (event.type !== "timer_state_changed") continue;
    expect(event.previous_state).toBe(expected.state);
    expect(LEGAL).toContain(`${event.previous_state} → ${event.state}`);
    if (event.state === "expired" && !expected.byTheWall) expect(mono).toBeGreaterThanOrEqual(expected.endsAt);
    expected.state = event.state;
  }
  expect(house.registry.get("tea").attributes.state).toBe(expected.state);
  if (expected.state === "started" && !expected.byTheWall)
    expect(house.clock.mono()).toBeLessThanOrEqual(expected.endsAt);
}

test("each run ends once: expired, cancelled or replaced, and never early by the monotonic clock", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { minLength: 1, maxLength: 14 }), async (deeds) => {
      using house = openHouse();
      house.virtual.timers.create({ id: "tea" });
      const expected: Expected = {
        state: "idle",
        durationMs: 0,
        endsAt: 0,
        leftMs: 0,
        restored: false,
        byTheWall: false,
      };
      for (const deed of deeds) {
        const from = house.emitted.length;
        await act(house, deed, expected);
        check(house, expected, from);
      }
    }),
    { numRuns: examples(150) },
  );
});
