// Runs: how many at once, what ends them, what they wait for.
import { expect, test } from "bun:test";
import { on, opened, openRig, rule } from "../rig.ts";

const clap = { type: "hears", event: "clap" };
const wait = (secs: number, key?: string) => ({ type: "delay", secs, ...(key && { key }) });
const slow = [on("a"), wait(10), on("b")];

test("parallel: each firing runs on its own, twenty at most", async () => {
  await using rig = openRig();
  rig.begin(rule("r1", { triggers: clap, actions: slow }));
  for (let times = 0; times < 22; times++) rig.emit("clap");
  await rig.clock.advance(0);
  expect(rig.commands).toHaveLength(20);
  expect(rig.engine.state("r1")).toMatchObject({ running: 20, fire_count: 20 });
  expect(rig.last("r1")).toBe("busy: it is already running 20 times, which is the limit");
  await rig.clock.advance(10_000);
  expect(rig.commands).toHaveLength(40);
});

test("single: not while it is running", async () => {
  await using rig = openRig();
  rig.begin(rule("r1", { triggers: clap, run_mode: "single", actions: slow }));
  rig.emit("clap");
  rig.emit("clap");
  await rig.clock.advance(9999);
  rig.emit("clap");
  expect(rig.last("r1")).toBe("busy: its last run is not over, and its run mode is single");
  await rig.clock.advance(1);
  rig.emit("clap");
  await rig.clock.advance(0);
  expect(rig.commands).toEqual(['a {"on":true}', 'b {"on":true}', 'a {"on":true}']);
});

test("restart: what it was doing is cancelled", async () => {
  await using rig = openRig();
  rig.begin(rule("r1", { triggers: clap, run_mode: "restart", actions: slow }));
  rig.emit("clap");
  await rig.clock.advance(9000);
  rig.emit("clap");
  await rig.clock.advance(9999);
  expect(rig.commands).toEqual(['a {"on":true}', 'a {"on":true}']);
  const [, first] = rig.engine.traces("r1");
  expect(first?.why).toBe("clap was heard; there are no conditions; cancelled, because the rule was triggered again");
  expect(first?.actions).toMatchObject([
    { type: "set", result: "ok" },
    { type: "delay", result: "cancelled", durationMs: 9000 },
  ]);
  await rig.clock.advance(1);
  expect(rig.commands.at(-1)).toBe('b {"on":true}');
  expect(rig.engine.state("r1").running).toBe(0);
});

test("queued: one after the other, up to the limit of the queue", async () => {
  await using rig = openRig();
  rig.begin(rule("r1", { triggers: clap, run_mode: "queued", max_queued: 2, actions: slow }));
  for (let times = 0; times < 3; times++) rig.emit("clap");
  expect(rig.count("limit_reached")).toBe(0);
  rig.emit("clap");
  expect(rig.events.find(({ type }) => type === "limit_reached")).toMatchObject({
    ...{ limit: "max_queued", account: "r1" },
    message: "it does not run: its last run is not over, and its queue of 2 is full",
  });
  expect(rig.last("r1")).toBe("busy: its last run is not over, and its queue of 2 is full");
  expect(rig.engine.state("r1")).toMatchObject({ running: 1, queued: 2, fire_count: 3 });
  await rig.clock.advance(15_000);
  expect(rig.commands).toEqual(['a {"on":true}', 'b {"on":true}', 'a {"on":true}']);
  await rig.clock.advance(15_000);
  expect(rig.commands).toHaveLength(6);
  expect(rig.engine.state("r1")).toMatchObject({ running: 0, queued: 0 });
});

test("a change of triggers, conditions or name keeps what is running; one of the actions cancels it", async () => {
  await using rig = openRig();
  const before = rule("r1", { triggers: clap, actions: slow });
  rig.begin(before);
  rig.emit("clap");
  rig.engine.put(structuredClone(before));
  rig.engine.put({ ...before, name: "new", priority: 1, triggers: [opened], conditions: [{ type: "breaks" }] });
  await rig.clock.advance(10_000);
  expect(rig.commands).toEqual(['a {"on":true}', 'b {"on":true}']);
  rig.engine.put(before);
  rig.emit("clap");
  rig.engine.put({ ...before, actions: [on("c")] });
  await rig.clock.advance(10_000);
  expect(rig.commands).toEqual(['a {"on":true}', 'b {"on":true}', 'a {"on":true}']);
  expect(rig.last("r1")).toEndWith("; cancelled: its actions were changed");
});

test("disabling, removing and stopping cancel active and queued runs", async () => {
  await using rig = openRig();
  const running = rule("r1", { triggers: clap, run_mode: "queued", actions: slow });
  rig.begin(running, rule("r2", { triggers: clap, actions: slow }));
  rig.emit("clap");
  rig.emit("clap");
  rig.engine.put({ ...running, enabled: false });
  expect(rig.engine.traces("r1").map(({ why }) => why)).toEqual([
    "clap was heard; there are no conditions; cancelled: the rule was disabled",
    "clap was heard; there are no conditions; cancelled: the rule was disabled",
  ]);
  rig.engine.remove("r2");
  await rig.clock.advance(60_000);
  expect(rig.commands).toEqual(Array(3).fill('a {"on":true}'));
  expect(rig.clock.pending()).not.toContain("rules: wait");
  rig.engine.put(running);
  rig.emit("clap");
  await rig.restart();
  await rig.clock.advance(60_000);
  expect(rig.commands).toHaveLength(4);
  expect(rig.engine.state("r1").running).toBe(0);
});

test("delays can be cancelled by their key, and the other actions continue", async () => {
  await using rig = openRig();
  const parts = [{ type: "parallel", actions: [wait(100, "x"), wait(200, "y")] }, on("after")];
  const cancel = { type: "cancels", rule: "r1", key: "y" };
  rig.begin(
    rule("r1", { triggers: clap, actions: parts }),
    rule("r2", { triggers: { type: "hears", event: "stop" }, actions: [cancel] }),
  );
  rig.emit("clap");
  await rig.clock.advance(1000);
  rig.emit("stop");
  expect(rig.engine.traces("r2")[0]?.actions[0]?.detail).toBe("1 cancelled");
  await rig.clock.advance(98_999);
  expect(rig.commands).toEqual([]);
  await rig.clock.advance(1);
  expect(rig.commands).toEqual(['after {"on":true}']);
  expect(rig.engine.traces("r1")[0]?.actions[0]?.parts).toMatchObject([
    { type: "delay", result: "ok", durationMs: 100_000 },
    { type: "delay", result: "cancelled", durationMs: 1000 },
  ]);
});

test("exit ends the whole run without a failure, also parallel actions", async () => {
  await using rig = openRig();
  const exit = { type: "exits", why: "nobody is at home" };
  rig.begin(
    rule("r1", {
      triggers: clap,
      actions: [{ type: "parallel", actions: [wait(100), on("a"), exit, on("b")] }, on("b")],
    }),
  );
  rig.emit("clap");
  await rig.clock.advance(200_000);
  expect(rig.commands).toEqual(['a {"on":true}']);
  expect(rig.last("r1")).toBe("fired: clap was heard; there are no conditions; ended by exits: nobody is at home");
  expect(rig.engine.traces("r1")[0]?.actions).toMatchObject([
    {
      type: "parallel",
      result: "ok",
      parts: [{ result: "cancelled" }, { type: "set" }, { type: "exits", result: "ok" }],
    },
  ]);
  expect(rig.count("action_failed")).toBe(0);
});

test("waiting for an event, and until an expression is true", async () => {
  await using rig = openRig();
  rig.begin(
    rule("event", { triggers: clap, actions: [{ type: "awaits", event: "clap", secs: 60 }] }),
    rule("late", { triggers: clap, actions: [{ type: "awaits", event: "never", secs: 30 }] }),
    rule("holds", { triggers: clap, actions: [{ type: "untils", expression: "hub.n == 3" }] }),
    rule("wrong", { triggers: clap, actions: [{ type: "untils", expression: "hub.n" }] }),
  );
  rig.emit("clap");
  expect(rig.engine.state("event").running).toBe(1);
  await rig.clock.advance(20_000);
  rig.emit("clap");
  await rig.clock.advance(0);
  const detail = (id: string) => rig.engine.traces(id).at(-1)?.actions[0];
  expect(detail("event")).toMatchObject({ detail: "it came", durationMs: 20_000 });
  await rig.clock.advance(20_000);
  expect(detail("late")).toMatchObject({ detail: "it did not come", durationMs: 30_000 });
  expect(detail("holds")?.result).toBe("running");
  expect(detail("wrong")).toMatchObject({ result: "failed" });
  rig.begin(rule("writer", { triggers: opened, actions: [{ type: "writes", name: "n", value: "3" }] }));
  rig.report("door", { open: true });
  await rig.clock.advance(0);
  expect(detail("holds")).toMatchObject({ result: "ok", detail: "it was true" });
  await rig.clock.advance(60_000);
  expect(rig.clock.pending().filter((name) => name.startsWith("rules: "))).toEqual([]);
});

test("an action that never ends cannot keep its rule from being cancelled", async () => {
  await using rig = openRig();
  rig.onCommand(() => new Promise(() => {}));
  rig.begin(rule("r1", { triggers: clap, run_mode: "restart", actions: [on("a"), on("b")] }));
  rig.emit("clap");
  rig.emit("clap");
  rig.engine.put(rule("r1", { triggers: clap, actions: [] }));
  expect(rig.engine.state("r1").running).toBe(0);
  expect(rig.engine.traces("r1").map(({ actions }) => actions.map(({ result }) => result))).toEqual([
    ["cancelled"],
    ["cancelled"],
  ]);
});

test("an error of an action after its run was cancelled is ignored", async () => {
  await using rig = openRig();
  const late = Promise.withResolvers<void>();
  rig.onCommand(() => late.promise);
  rig.begin(rule("r1", { triggers: clap, actions: [on("a"), on("b")] }));
  rig.emit("clap");
  rig.engine.put(rule("r1", { triggers: clap, enabled: false, actions: [] }));
  late.reject(new Error("too late"));
  await rig.clock.advance(1000);
  expect(rig.commands).toEqual(['a {"on":true}']);
  expect(rig.count("action_failed")).toBe(0);
  expect(rig.logged).toEqual([]);
});

test("an action that continues after its run was cancelled has no effect any more", async () => {
  await using rig = openRig();
  const late = Promise.withResolvers<void>();
  rig.onCommand((id) => (id === "stubborn" ? late.promise : undefined));
  const stubborn = { type: "stubborn", rule: "r2", actions: [on("a")] };
  rig.begin(rule("r1", { triggers: clap, actions: [stubborn, on("b")] }), rule("r2", { actions: [on("c")] }));
  rig.emit("clap");
  rig.engine.put(rule("r1", { triggers: clap, actions: [] }));
  late.resolve();
  await rig.clock.advance(5000);
  expect(rig.commands).toEqual(["stubborn {}"]);
  expect(rig.clock.pending().filter((name) => name.startsWith("rules: "))).toEqual([]);
  expect(rig.engine.traces("r1")[0]?.actions).toMatchObject([{ type: "stubborn", result: "cancelled" }]);
});

test("by hand: also while disabled or in its cooldown, with its conditions only on request", async () => {
  await using rig = openRig();
  rig.report("hall", { dark: false });
  const conditions = [{ type: "is", device: "hall", attribute: "dark", value: true }];
  rig.begin(rule("r1", { enabled: false, cooldown_secs: 600, conditions, actions: [on("lamp")] }));
  const trace = await rig.engine.run("r1", { actor: { name: "ann" } });
  expect(trace).toMatchObject({
    outcome: "fired",
    why: "run by hand, by ann; conditions were not evaluated",
    actions: [{ result: "ok" }],
    endedAt: rig.clock.now(),
  });
  expect(rig.events.at(-1)).toMatchObject({ type: "rule_fired", trigger_type: "ManualTrigger" });
  expect(await rig.engine.run("r1", { conditions: true })).toMatchObject({ outcome: "conditions_failed" });
  expect(rig.commands).toHaveLength(1);
});

test("by hand, the answer to a long run comes while it runs", async () => {
  await using rig = openRig();
  rig.begin(rule("r1", { actions: slow }));
  const answer = rig.engine.run("r1");
  await rig.clock.advance(2000);
  expect(await answer).toMatchObject({ actions: [{ result: "ok" }, { type: "delay", result: "running" }] });
  expect((await answer).endedAt).toBeUndefined();
});

test("whether a rule would fire now is known without firing it", async () => {
  await using rig = openRig();
  rig.begin(rule("r1", { triggers: opened, cooldown_secs: 60, actions: [on("lamp")] }));
  expect(rig.engine.standing("r1").refusal).toBeUndefined();
  await rig.engine.run("r1");
  await rig.clock.advance(2000);
  expect(rig.engine.standing("r1").refusal).toContain("it fired 2 s ago and has a cooldown of 60 s");
  rig.engine.pause("r1");
  expect(rig.engine.standing("r1").refusal).toBe("it is paused until it is resumed");
  expect(rig.engine.traces("r1")).toHaveLength(1);
});
