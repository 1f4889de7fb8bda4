// A home of thousands of rules. How long one reload keeps others waiting is measured by `bun run bench rules-reload`.
import { expect, test } from "bun:test";
import { openRulesRig, toml } from "./rig.ts";

const COUNT = 5000;
const idOf = (index: number): string => `${String(index).padStart(8, "0")}-1111-4111-8111-111111111111`;

test("one of 5,000 files is read again within a second", async () => {
  const files = Array.from({ length: COUNT }, (_, index) => [`rule_${index}.ron`, toml("R", { id: idOf(index) })]);
  await using rig = await openRulesRig(Object.fromEntries(files));
  expect(rig.rules.count()).toBe(COUNT);
  for (let change = 0; change < 7; change++) {
    const index = change * 613;
    rig.put(`rule_${index}.ron`, toml(`Changed ${change}`, { id: idOf(index) }));
    await rig.clock.advance(1000);
    expect(rig.rules.get(idOf(index)).name).toBe(`Changed ${change}`);
  }
});

test("over the API 2,000 files are made and no more; one that is put into the folder is read all the same", async () => {
  const files = Array.from({ length: 1999 }, (_, index) => [`rule_${index}.ron`, toml("R", { id: idOf(index) })]);
  await using rig = await openRulesRig(Object.fromEntries(files));
  const rule = {
    name: "Made",
    trigger: { type: "custom_event", event_type: "shout" },
    actions: [{ type: "log_message", message: "heard" }],
  };
  const made = rig.rules.create(rule);
  expect(() => rig.rules.create(rule)).toThrow(expect.objectContaining({ code: "conflict" }));
  expect(rig.files()).toHaveLength(2000);
  rig.put("by_hand.toml", toml("By hand", { id: idOf(7000) }));
  await rig.clock.advance(2000);
  expect(rig.rules.count()).toBe(2001);
  expect(() => rig.rules.create(rule)).toThrow(expect.objectContaining({ code: "conflict" }));
  rig.rules.remove(made.id);
  rig.rules.remove(idOf(7000));
  rig.rules.create(rule);
});
