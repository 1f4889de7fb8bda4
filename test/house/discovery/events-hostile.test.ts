// Events that say too much beside themselves: the press is one, what is kept of the rest is bounded, and what is cut is said.
import { expect, test } from "bun:test";
import { createRig } from "./rig.ts";

type Rig = ReturnType<typeof createRig>;

async function bell(): Promise<Rig> {
  const rig = createRig();
  const config = { unique_id: "bell", device: { ids: "bell" }, state_topic: "k", event_types: ["ring"] };
  rig.publish("homeassistant/event/bell/config", config, { account: "esp" });
  await rig.clock.advance(200);
  return rig;
}

/** Nested so deep; 0 is a plain value. */
const nested = (depth: number): unknown => JSON.parse(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`) as unknown;

const keys = (count: number, value: unknown = 1): object =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, value]));

test.each<[string, object, number, string | undefined]>([
  ["nothing beside", {}, 0, undefined],
  ["fifty keys", keys(50), 50, undefined],
  ["1,000 keys", keys(1000), 50, "950 of 1000 keys: k50, k51, k52, k53, k54, …"],
  ["keys of 10 kB", { ["x".repeat(10_000)]: 1, ok: 2 }, 1, `1 of 2 keys: ${"x".repeat(40)}`],
  ["values of 10 kB", { plate: "y".repeat(10_000), ok: 2 }, 1, "1 of 2 keys: plate"],
  ["many that are too much together", keys(40, "z".repeat(1000)), 4, "36 of 40 keys: k4, k5, k6, k7, k8, …"],
  ["nested as deep as is kept", { box: nested(4), ok: 2 }, 2, undefined],
  ["nested too deep", { box: nested(20), ok: 2 }, 1, "1 of 2 keys: box"],
  ["a name for a terminal", { ["\u001b[31m".repeat(60)]: 1, ok: 2 }, 1, `1 of 2 keys: ${"[31m ".repeat(8).trim()}`],
])("%s", async (_, beside, kept, left) => {
  using rig = await bell();
  rig.publish("k", { event_type: "ring", ...beside }, { account: "esp" });
  const [first, ...others] = rig.actions;
  expect(others).toEqual([]);
  expect(first?.action).toBe("ring");
  expect(Object.keys(first?.data ?? {})).toHaveLength(kept);
  expect(first?.left_out).toBe(left);
  expect(JSON.stringify(first).length).toBeLessThan(6000);
});

test("what is nested 1,000 deep is no JSON to the hub: it is ignored, and the next press is one", async () => {
  using rig = await bell();
  rig.publish("k", `{"event_type":"ring","box":${'{"a":'.repeat(1000)}1${"}".repeat(1000)}}`, { account: "esp" });
  expect(rig.actions).toEqual([]);
  rig.publish("k", { event_type: "ring" }, { account: "esp" });
  expect(rig.actions).toEqual([{ device_id: "bell", action: "ring" }]);
});

test("a tag of 60 kB is reported by its first characters", async () => {
  using rig = createRig();
  rig.publish("homeassistant/tag/r/config", { device: { ids: "reader" }, topic: "k" }, { account: "esp" });
  await rig.clock.advance(200);
  rig.publish("k", "7".repeat(60_000), { account: "esp" });
  expect(rig.actions.map(({ action }) => action)).toEqual([`tag_${"7".repeat(496)}`]);
  expect(String(rig.registry.get("reader").attributes.action)).toHaveLength(500);
});
