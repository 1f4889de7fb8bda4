import { expect, test } from "bun:test";
import { newEntry } from "../../../src/rules/engine/entry.ts";
import { createTraces } from "../../../src/rules/engine/traces.ts";
import type { Trace } from "../../../src/rules/model/trace.ts";
import { rule } from "./rig.ts";

const entryOf = (id: string) => newEntry(rule(id, {}), { fired: undefined, fireCount: 0, pause: undefined });

function traceOf(id: string, endedAt?: number): Trace {
  const trigger = { type: "hears", label: "", context: { text: "x".repeat(500) } };
  const about = { id, ruleId: "r", at: 0, dryRun: false, trigger, outcome: "fired", why: "" } as const;
  return { ...about, conditions: [], actions: [], ...(endedAt !== undefined && { endedAt }) };
}

test("with little memory, busy rules keep fewer traces, and the others all of theirs", () => {
  const traces = createTraces({ maxBytes: 25_000 });
  const [rare, busy] = [entryOf("rare"), entryOf("busy")];
  for (let n = 0; n < 15; n++) traces.add(rare, traceOf(`${n}`, 1));
  for (let n = 0; n < 500; n++) traces.add(busy, traceOf(`${n}`, 1));
  expect(traces.of(rare)).toHaveLength(15);
  expect(traces.of(busy).length).toBeLessThan(40);
  expect(traces.of(busy)[0]?.id).toBe("499");
  traces.forget(busy);
  for (let n = 0; n < 15; n++) traces.add(rare, traceOf(`${n}`, 1));
  expect(traces.of(rare)).toHaveLength(30);
});

test("the limit applies to any number of rules, and each keeps its last trace", () => {
  const traces = createTraces({ maxBytes: 25_000 });
  const entries = Array.from({ length: 40 }, (_, index) => entryOf(`${index}`));
  for (let n = 0; n < 10; n++) for (const entry of entries) traces.add(entry, traceOf(`${n}`, 1));
  const all = entries.flatMap((entry) => traces.of(entry));
  expect(JSON.stringify(all).length).toBeLessThan(27_000);
  for (const entry of entries.slice(-20)) expect(traces.of(entry)[0]?.id).toBe("9");
});

test("a trace that still runs is shown in its current state", () => {
  const traces = createTraces();
  const entry = entryOf("r");
  const running = traceOf("a");
  traces.add(entry, running);
  traces.add(entry, traceOf("b", 1));
  running.actions.push({ type: "delay", result: "running", startedAt: 0 });
  expect(traces.of(entry).map(({ id, actions }) => [id, actions.length])).toEqual([
    ["b", 0],
    ["a", 1],
  ]);
  Object.assign(running, { endedAt: 5 });
  traces.seal(entry, running);
  expect(traces.of(entry)[1]).toEqual(running);
});
