// Runs that wait go on after the hub was stopped or killed: where, when, and what is not done twice.
import { expect, test } from "bun:test";
import type { Typed } from "../../../src/rules/model/define.ts";
import { OWN, on, openRig, type Rig, rule } from "./rig.ts";

const clap = { type: "hears", event: "clap" };
const wait = (secs: number) => ({ type: "delay", secs });
const light = [on("a"), wait(300), on("b")];

async function clapped(rig: Rig, ...actions: Typed[]): Promise<void> {
  rig.begin(rule("r1", { triggers: clap, actions }));
  rig.emit("clap");
  await rig.clock.advance(0);
}

for (const crash of [false, true])
  test(`a delay ends at its second after the hub was ${crash ? "killed" : "stopped"}`, async () => {
    await using rig = openRig();
    await clapped(rig, ...light);
    await rig.clock.advance(100_000);
    await rig.restart({ crash, offMs: 50_000 });
    expect(rig.engine.state("r1").running).toBe(1);
    await rig.clock.advance(149_999);
    expect(rig.commands).toEqual(['a {"on":true}']);
    await rig.clock.advance(1);
    expect(rig.commands).toEqual(['a {"on":true}', 'b {"on":true}']);
    expect(rig.last("r1")).toBe("fired: clap was heard; there are no conditions; the hub was restarted meanwhile");
    await rig.restart({ crash });
    await rig.clock.advance(600_000);
    expect(rig.commands).toHaveLength(2);
    expect(rig.count("rule_fired")).toBe(1);
  });

test("a delay that was over while the hub was off is followed at once", async () => {
  await using rig = openRig();
  await clapped(rig, ...light);
  await rig.restart({ crash: true, offMs: 3_600_000 });
  await rig.clock.advance(0);
  expect(rig.commands).toEqual(['a {"on":true}', 'b {"on":true}']);
});

test("a delay that was over for more than a day is not followed, and that is said", async () => {
  await using rig = openRig();
  await clapped(rig, ...light);
  await rig.restart({ offMs: 86_400_000 + 301_000 });
  await rig.clock.advance(0);
  expect(rig.commands).toEqual(['a {"on":true}']);
  expect(rig.last("r1")).toEndWith("its delay was over 86401 s before, while the hub was off");
  expect(rig.events.at(-1)).toMatchObject({ type: "rule_run_ended", rule_id: "r1", reason: expect.any(String) });
  expect(rig.logged.join()).toContain("does not go on");
});

test("a loop goes on in the turn that it was in, with its variables", async () => {
  await using rig = openRig();
  const turn = [{ type: "counts", name: "n" }, on("a"), wait(60), on("b")];
  rig.begin(
    rule("r1", {
      triggers: clap,
      variables: { n: 0 },
      actions: [{ type: "loops", while: "vars.n < 3", actions: turn }, on("c")],
    }),
  );
  rig.emit("clap");
  await rig.clock.advance(90_000);
  await rig.restart({ crash: true, offMs: 10_000 });
  await rig.clock.advance(20_000);
  expect(rig.commands.map((command) => command[0]).join("")).toBe("abab" + "a");
  await rig.restart({ crash: true });
  await rig.clock.advance(600_000);
  expect(rig.commands.map((command) => command[0]).join("")).toBe("abababc");
});

test("parallel branches go on each for itself, and what is done is not done again", async () => {
  await using rig = openRig();
  const branches = [
    { type: "parallel", actions: [on("a"), wait(100), { type: "parallel", actions: [wait(200), wait(50)] }] },
  ];
  await clapped(rig, ...branches, on("end"));
  await rig.clock.advance(75_000);
  await rig.restart({ crash: true });
  await rig.clock.advance(50_000);
  await rig.restart({ crash: true });
  await rig.clock.advance(74_999);
  expect(rig.commands).toEqual(['a {"on":true}']);
  await rig.clock.advance(1);
  expect(rig.commands).toEqual(['a {"on":true}', 'end {"on":true}']);
});

test("an action that may have had its effect is not done again, and one that sets a state is", async () => {
  await using rig = openRig();
  const hanging = Promise.withResolvers<void>();
  rig.onCommand((id) => (id === "stuck" ? hanging.promise : undefined));
  await clapped(
    rig,
    wait(60),
    { type: "once", device: "stuck" },
    on("a"),
    { type: "set", device: "stuck", state: {} },
    on("b"),
  );
  await rig.clock.advance(60_000);
  expect(rig.commands).toEqual(["stuck {}"]);
  await rig.restart({ crash: true });
  await rig.clock.advance(0);
  expect(rig.commands).toEqual(["stuck {}", 'a {"on":true}', "stuck {}"]);
  expect(rig.events.at(-1)).toMatchObject({ type: "action_failed", action_type: "once" });
  expect(rig.engine.traces("r1")[0]?.actions).toMatchObject([
    { type: "delay", result: "ok" },
    { type: "once", result: "failed", error: expect.stringContaining("not run again") },
    { result: "ok" },
    { result: "running" },
  ]);
  await rig.clock.advance(10_000);
  rig.onCommand(() => {});
  await rig.restart({ crash: true });
  await rig.clock.advance(0);
  expect(rig.commands.slice(3)).toEqual(["stuck {}", 'b {"on":true}']);
});

test("a run that waits for another one goes on when that has gone on", async () => {
  await using rig = openRig();
  rig.begin(
    rule("parent", { triggers: clap, actions: [{ type: "runs", rule: "child", wait: true }, on("after")] }),
    rule("child", { actions: [wait(100), on("a")] }),
  );
  rig.emit("clap");
  await rig.clock.advance(40_000);
  expect(rig.engine.runs("parent")).toMatchObject([
    { state: "waiting", waits: [{ action: "runs", for: "rule child" }] },
  ]);
  await rig.restart({ crash: true });
  await rig.clock.advance(59_999);
  expect(rig.commands).toEqual([]);
  await rig.clock.advance(1);
  expect(rig.commands).toEqual(['a {"on":true}', 'after {"on":true}']);
});

test("a run that waits for another one goes on if that cannot", async () => {
  await using rig = openRig();
  const child = rule("child", { actions: [wait(100), on("a")] });
  rig.begin(
    rule("parent", { triggers: clap, actions: [{ type: "runs", rule: "child", wait: true }, on("after")] }),
    child,
  );
  rig.emit("clap");
  await rig.clock.advance(40_000);
  child.enabled = false;
  await rig.restart();
  await rig.clock.advance(0);
  expect(rig.commands).toEqual(['after {"on":true}']);
  expect(rig.events.filter(({ type }) => type === "rule_run_ended")).toMatchObject([
    { rule_id: "child", reason: "its rule was disabled" },
  ]);
});

test("queued runs keep their order, and single and restart see what goes on", async () => {
  await using rig = openRig();
  const actions = [on("a"), wait(100), on("b")];
  rig.begin(
    rule("queued", { triggers: clap, run_mode: "queued", actions }),
    rule("single", { triggers: clap, run_mode: "single", actions }),
    rule("restart", { triggers: clap, run_mode: "restart", actions }),
  );
  for (let times = 0; times < 3; times++) rig.emit("clap");
  await rig.clock.advance(50_000);
  await rig.restart({ crash: true });
  expect(rig.engine.state("queued")).toMatchObject({ running: 1, queued: 2 });
  expect(rig.engine.state("restart").running).toBe(1);
  rig.commands.length = 0;
  rig.emit("clap");
  await rig.clock.advance(0);
  expect(rig.last("single")).toContain("its run mode is single");
  expect(rig.engine.state("queued")).toMatchObject({ running: 1, queued: 3 });
  expect(rig.commands).toEqual(['a {"on":true}']);
  await rig.clock.advance(350_000);
  expect(rig.engine.state("queued")).toMatchObject({ running: 0, queued: 0 });
  expect(rig.commands.filter((command) => command.startsWith("b"))).toHaveLength(1 + 1 + 4);
});

test("the next in a queue begins once if the one before cannot do its last action again", async () => {
  await using rig = openRig();
  rig.onCommand((id) => (id === "stuck" ? new Promise(() => {}) : undefined));
  const actions = [wait(10), { type: "once", device: "stuck" }];
  rig.begin(rule("r1", { triggers: clap, run_mode: "queued", actions }));
  for (let times = 0; times < 3; times++) rig.emit("clap");
  await rig.clock.advance(10_000);
  rig.onCommand(() => {});
  await rig.restart({ crash: true });
  expect(rig.engine.state("r1")).toMatchObject({ running: 1, queued: 1 });
  await rig.clock.advance(60_000);
  expect(rig.commands).toHaveLength(3);
  expect(rig.engine.traces("r1").map(({ actions }) => actions.map(({ type }) => type))).toEqual([
    ["delay", "once"],
    ["delay", "once"],
    ["once"],
  ]);
});

test("waiting for an event and for an expression goes on with its time, and the expression is asked at once", async () => {
  await using rig = openRig();
  rig.begin(
    rule("event", { triggers: clap, actions: [{ type: "awaits", event: "bell", secs: 60 }, on("event")] }),
    rule("late", { triggers: clap, actions: [{ type: "awaits", event: "never", secs: 60 }, on("late")] }),
    rule("true", { triggers: clap, actions: [{ type: "untils", expression: "hub.n == 3", secs: 60 }, on("true")] }),
  );
  rig.emit("clap");
  await rig.clock.advance(20_000);
  await rig.restart({ crash: true, offMs: 20_000, meanwhile: () => rig.setVariable("n", 3) });
  await rig.clock.advance(0);
  expect(rig.commands).toEqual(['true {"on":true}']);
  rig.emit("bell");
  await rig.clock.advance(19_999);
  expect(rig.commands).toEqual(['true {"on":true}', 'event {"on":true}']);
  await rig.clock.advance(1);
  expect(rig.commands).toHaveLength(3);
});

for (const [what, change, reason] of [
  ["actions were changed", { actions: [on("c")] }, "its rule's actions were changed"],
  ["rule was disabled", { enabled: false }, "its rule was disabled"],
  ["rule is no longer durable", { durable: false }, "its rule is no longer durable"],
] as const)
  test(`a run ends if meanwhile its ${what}, which log, trace and event say`, async () => {
    await using rig = openRig();
    const changed = rule("r1", { triggers: clap, actions: light });
    rig.begin(changed);
    rig.emit("clap");
    await rig.clock.advance(70_000);
    Object.assign(changed, change);
    await rig.restart();
    await rig.clock.advance(600_000);
    expect(rig.commands).toEqual(['a {"on":true}']);
    expect(rig.last("r1")).toEndWith(reason);
    expect(rig.engine.traces("r1")[0]?.endedAt).toBeNumber();
    expect(rig.events.at(-1)).toMatchObject({ type: "rule_run_ended", rule_name: "r1", reason });
    expect(rig.logged.join()).toContain(reason);
  });

test("a run goes on if its rule changed otherwise, or its actions only in words", async () => {
  await using rig = openRig();
  const changed = rule("r1", { triggers: clap, actions: light });
  rig.begin(changed);
  rig.emit("clap");
  await rig.clock.advance(0);
  const actions = light.map((action) => ({ comment: "now with a note", enabled: true, ...action }));
  Object.assign(changed, { name: "new", triggers: [], conditions: [{ type: "breaks" }], actions });
  await rig.restart();
  await rig.clock.advance(300_000);
  expect(rig.commands).toHaveLength(2);
});

test("a rule that is not durable loses what waits, and says so in its trace", async () => {
  await using rig = openRig();
  rig.begin(rule("r1", { triggers: clap, durable: false, actions: light }));
  rig.emit("clap");
  await rig.clock.advance(0);
  await rig.restart();
  await rig.clock.advance(600_000);
  expect(rig.commands).toEqual(['a {"on":true}']);
  expect(rig.last("r1")).toEndWith("cancelled: the hub stopped");
});

test("a run of a rule that is gone is ended, once", async () => {
  await using rig = openRig();
  await clapped(rig, ...light);
  await rig.restart({ rules: [] });
  expect(rig.events.at(-1)).toMatchObject({
    type: "rule_run_ended",
    rule_id: "r1",
    reason: expect.stringContaining("gone"),
  });
  await rig.restart({ rules: [rule("r1", { triggers: clap, actions: light })] });
  await rig.clock.advance(600_000);
  expect(rig.count("rule_run_ended")).toBe(1);
  expect(rig.commands).toHaveLength(1);
});

test("captured states go on with the run", async () => {
  await using rig = openRig();
  await clapped(rig, { type: "captures", key: "k" }, wait(100), { type: "shows", key: "k" });
  await rig.restart({ crash: true });
  await rig.clock.advance(100_000);
  expect(rig.commands).toEqual(['shown {"lamp":{"on":true}}']);
});

test("the clock being set does not move the end of a wait, before or after a restart", async () => {
  for (const stepMs of [-7_200_000, 7_200_000]) {
    await using rig = openRig();
    await clapped(rig, ...light);
    await rig.clock.advance(100_000);
    rig.clock.step(stepMs);
    await rig.clock.advance(20_000);
    await rig.restart({ crash: true });
    await rig.clock.advance(179_999);
    expect(rig.commands).toHaveLength(1);
    await rig.clock.advance(1);
    expect(rig.commands).toHaveLength(2);
  }
});

test("a clock that wakes up in the past and is set later ends a wait that was over meanwhile", async () => {
  await using rig = openRig();
  await clapped(rig, ...light);
  await rig.restart({ crash: true, stepMs: -3_600_000 });
  await rig.clock.advance(20_000);
  expect(rig.commands).toHaveLength(1);
  rig.clock.step(3_600_000 + 400_000);
  await rig.clock.advance(10_000);
  expect(rig.commands).toHaveLength(2);
});

test("damaged rows are said and dropped, and the others go on", async () => {
  await using rig = openRig();
  const names = ["bad-json", "bad-position", "bad-version", "bad-vars", "no-data", "negative", "fine"];
  rig.begin(...names.map((name) => rule(name, { triggers: clap, actions: [wait(60), on(name)] })));
  rig.emit("clap");
  await rig.clock.advance(0);
  const damage = (sql: string, name: string): void =>
    rig.sql(sql.replace("ID", `(SELECT id FROM rule_runs WHERE rule_id = '${name}')`));
  await rig.restart({
    meanwhile() {
      damage("UPDATE rule_runs SET position = '{\"at\":' WHERE id = ID", "bad-json");
      damage('UPDATE rule_runs SET position = \'{"at":0,"in":{"wait":"x"}}\' WHERE id = ID', "bad-position");
      damage("UPDATE rule_runs SET begun = '{\"version\":99}' WHERE id = ID", "bad-version");
      damage("UPDATE rule_runs SET vars = x'00ff' WHERE id = ID", "bad-vars");
      damage("UPDATE rule_runs SET begun = NULL, vars = NULL WHERE id = ID", "no-data");
      damage("UPDATE rule_runs SET position = '{\"at\":-1}' WHERE id = ID", "negative");
    },
  });
  await rig.clock.advance(60_000);
  expect(rig.commands).toEqual(['fine {"on":true}']);
  const ended = rig.events.filter(({ type }) => type === "rule_run_ended");
  expect(ended).toHaveLength(6);
  for (const event of ended) expect(event).toMatchObject({ reason: expect.stringContaining("damaged") });
  await rig.restart();
  expect(rig.count("rule_run_ended")).toBe(6);
});

test("a hold whose run was cut off fires again, and one whose run waits does not", async () => {
  await using rig = openRig();
  const hold = { type: "changes", device: "door", attribute: "open", to: true, for_secs: 60 };
  rig.onCommand((id) => (id === "stuck" ? new Promise(() => {}) : undefined));
  rig.begin(
    rule("cut", { triggers: hold, actions: [on("stuck"), on("a")] }),
    rule("waits", { triggers: hold, actions: [wait(100), on("b")] }),
  );
  rig.report("door", { open: true });
  await rig.clock.advance(60_000);
  expect(rig.commands).toEqual(['stuck {"on":true}']);
  rig.onCommand(() => {});
  await rig.restart({ crash: true });
  await rig.clock.advance(0);
  expect(rig.commands.slice(1)).toEqual(['stuck {"on":true}', 'a {"on":true}']);
  expect(rig.engine.state("waits").running).toBe(1);
  await rig.clock.advance(2000);
  await rig.restart({ crash: true });
  await rig.clock.advance(200_000);
  expect(rig.commands.slice(3)).toEqual(['b {"on":true}']);
});

test("ten thousand runs go on", async () => {
  await using rig = openRig({ ...OWN, config: { max_traces_mb: 24, max_running_mb: 64, late_secs: 86_400 } });
  const rules = Array.from({ length: 500 }, (_, at) =>
    rule(`r${at}`, { triggers: clap, actions: [wait(600), on(`d${at}`)] }),
  );
  rig.begin(...rules);
  for (let times = 0; times < 20; times++) rig.emit("clap");
  await rig.clock.advance(0);
  await rig.restart({ crash: true });
  expect(rules.reduce((sum, { id }) => sum + rig.engine.state(id).running, 0)).toBe(10_000);
  expect(rig.engine.runs("r499").at(-1)).toMatchObject({ state: "waiting" });
});
