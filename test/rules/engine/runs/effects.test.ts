// What must happen once although its run, or the match that began it, happens again after a kill; and that nothing stays of it.
import { expect, test } from "bun:test";
import { notify } from "../../../../src/rules/actions/notify.ts";
import { OWN, on, openRig, type Rig, rule } from "../rig.ts";

const clap = { type: "hears", event: "clap" };
const wait = (secs: number) => ({ type: "delay", secs });
const say = (message: string) => ({ type: "notify", channel: "phone", message });
const { vocabulary } = OWN;
const WORDS = { ...OWN, vocabulary: { ...vocabulary, actions: [...vocabulary.actions, notify] } };

/** How many effects are recorded. */
function recorded(rig: Rig): number {
  return rig.rows("SELECT 1 FROM rule_run_effects").length;
}

test("a message of a run that does again what is not on disk yet comes once", async () => {
  await using rig = openRig(WORDS);
  const turn = [{ type: "counts", name: "n" }, wait(3), say("turn")];
  rig.begin(
    rule("r1", {
      triggers: clap,
      variables: { n: 0 },
      actions: [
        say("begun"),
        wait(60),
        say("waited"),
        { type: "loops", while: "vars.n < 3", actions: turn },
        on("end"),
      ],
    }),
  );
  rig.emit("clap");
  // Two turns; that is not on disk yet, as it is only seconds ago.
  await rig.clock.advance(67_000);
  expect(rig.commands).toEqual(["phone: begun", "phone: waited", "phone: turn", "phone: turn"]);
  const before = recorded(rig);
  expect(before).toBeGreaterThan(0);
  await rig.restart({ crash: true });
  await rig.clock.advance(20_000);
  expect(rig.commands.slice(4)).toEqual(["phone: turn", 'end {"on":true}']);
  // One for each place, however many turns it had.
  expect(recorded(rig)).toBe(before);
  await rig.clock.advance(11 * 60_000);
  expect(recorded(rig)).toBe(0);
});

test("a trigger that fires again, as its run was cut off, sends no second message", async () => {
  await using rig = openRig(WORDS);
  const hold = { type: "changes", device: "door", attribute: "open", to: true, for_secs: 60 };
  rig.onCommand(() => new Promise(() => {}));
  rig.begin(rule("cut", { triggers: hold, actions: [say("open"), on("a"), say("done")] }));
  rig.report("door", { open: true });
  await rig.clock.advance(60_000);
  expect(rig.commands).toEqual(["phone: open", 'a {"on":true}']);
  rig.onCommand(() => {});
  await rig.restart({ crash: true });
  await rig.clock.advance(2000);
  expect(rig.commands.slice(2)).toEqual(['a {"on":true}', "phone: done"]);
  // The next match is another one.
  rig.report("door", { open: false });
  rig.report("door", { open: true });
  await rig.clock.advance(60_000);
  expect(rig.commands.slice(4)).toEqual(["phone: open", 'a {"on":true}', "phone: done"]);
  await rig.clock.advance(11 * 60_000);
  expect(recorded(rig)).toBe(0);
});

test("a run that another one waits for begins once, and its message comes once", async () => {
  await using rig = openRig(WORDS);
  rig.begin(
    rule("parent", { triggers: clap, actions: [wait(20), { type: "runs", rule: "child", wait: true }, say("after")] }),
    rule("child", { actions: [say("child"), on("a"), wait(5)] }),
  );
  let stuck = true;
  rig.onCommand(() => (stuck ? new Promise(() => {}) : undefined));
  rig.emit("clap");
  await rig.clock.advance(20_000);
  expect(rig.commands).toEqual(["phone: child", 'a {"on":true}']);
  stuck = false;
  await rig.restart({ crash: true });
  await rig.clock.advance(30_000);
  expect(rig.commands.slice(2)).toEqual(['a {"on":true}', "phone: after"]);
});
