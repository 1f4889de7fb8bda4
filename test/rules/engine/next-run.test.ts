// When a rule runs next, as far as its schedules say.
import { expect, test } from "bun:test";
import { on, openRig, rule } from "./rig.ts";

const HOUR_MS = 3_600_000;
const ticks = (every_secs: number): { type: string; every_secs: number } => ({ type: "ticks", every_secs });
const actions = [on("bell")];

test("the first of its schedules; none without one, while it is disabled, or paused for good", async () => {
  await using rig = openRig();
  const both = rule("both", { triggers: [ticks(3600), ticks(900), { type: "hears", event: "smoke" }], actions });
  rig.begin(both, rule("none", { triggers: { type: "hears", event: "smoke" }, actions }));
  const next = (id = "both"): number | undefined => rig.engine.state(id).next_run_at;
  const quarterAfter = (at: number): number => (Math.floor(at / 900_000) + 1) * 900_000;

  expect(next("none")).toBeUndefined();
  expect(next()).toBe(quarterAfter(rig.clock.now()));
  await rig.clock.advance(1_000_000);
  expect(next()).toBe(quarterAfter(rig.clock.now()));

  rig.engine.pause("both", 2 * HOUR_MS + 1000);
  expect(next()).toBe(quarterAfter(rig.clock.now() + 2 * HOUR_MS + 999));
  rig.engine.pause("both");
  expect(next()).toBeUndefined();
  rig.engine.resume("both");
  expect(next()).toBe(quarterAfter(rig.clock.now()));

  rig.engine.put({ ...both, enabled: false });
  expect(next()).toBeUndefined();
  rig.engine.put(both);
  expect(next()).toBe(quarterAfter(rig.clock.now()));
});

test("follows the clock when it is set", async () => {
  await using rig = openRig();
  rig.begin(rule("hourly", { triggers: ticks(3600), actions }));
  rig.clock.step(30 * 24 * HOUR_MS);
  await rig.clock.advance(60_000);
  const at = rig.engine.state("hourly").next_run_at ?? 0;
  expect(at - rig.clock.now()).toBeGreaterThan(0);
  expect(at - rig.clock.now()).toBeLessThanOrEqual(HOUR_MS);
});
