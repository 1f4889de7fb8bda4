// Runs that wait go on after the hub was stopped or killed: where, when, and what is not done twice.
import { expect, test } from "bun:test";
import type { Typed } from "../../../src/rules/model/define.ts";
import { on, openRig, type Rig, rule } from "./rig.ts";

const clap = { type: "hears", event: "clap" };
const wait = (secs: number) => ({ type: "delay", secs });
const light = [on("a"), wait(300), on("b")];

async function clapped(rig: Rig, ...actions: Typed[]): Promise<void> {
  rig.begin(rule("r1", { triggers: clap, actions }));
  rig.hear("clap");
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
  rig.hear("clap");
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
