// The second machine as people learn of it: silent, without a whole copy, of another version; a lease that cannot be renewed.
import { expect, test } from "bun:test";
import { standbyWatch, type TwoMachines } from "../../../src/server/alerts/watches/standby.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const WELL: TwoMachines = {
  lease: "nats://10.0.0.5:4222",
  trouble: null,
  machine: { name: "attic", version: "1.0.0", heard_secs: 1, whole: true, behind_secs: 2, problem: null },
  took_over: null,
};

function rig(whenAlone: "stop" | "continue" = "stop") {
  const clock = createVirtualClock();
  let seen: TwoMachines | undefined = WELL;
  const watch = standbyWatch(() => seen, { clock, version: "1.0.0", whenAlone });
  const found = () => watch.check(() => false).map(({ severity, variant }) => `${severity} ${variant}`);
  return {
    clock,
    watch,
    found,
    is(changed: Partial<TwoMachines>, machine: Partial<NonNullable<TwoMachines["machine"]>> = {}) {
      seen = { ...WELL, machine: { ...(WELL.machine as NonNullable<TwoMachines["machine"]>), ...machine }, ...changed };
    },
    alone() {
      seen = undefined;
    },
    /** As the alerts do: looked at every few seconds. */
    async wait(ms: number) {
      for (let left = ms; left > 0; left -= 5000) {
        await clock.advance(Math.min(left, 5000));
        found();
      }
    },
  };
}

test("nothing is said of a house with one machine, or of a standby that is well", async () => {
  const { found, alone, wait } = rig();
  expect(found()).toEqual([]);
  await wait(3_600_000);
  expect(found()).toEqual([]);
  alone();
  expect(found()).toEqual([]);
});

test("a standby that is silent for five minutes, also where it was never seen since the start", async () => {
  const { found, is, wait, watch } = rig();
  is({}, { heard_secs: 299 });
  expect(found()).toEqual([]);
  is({}, { heard_secs: 300, whole: false, version: "2" });
  expect(found()).toEqual(["warning silent"]);
  expect(watch.check(() => false)[0]?.message).toBe("The second machine attic has not been heard for 5 minutes");
  is({}, { heard_secs: null, whole: false, version: null, behind_secs: null });
  expect(found()).toEqual([]);
  await wait(300_000);
  expect(found()).toEqual(["warning silent"]);
});

test("a copy that is not whole for a quarter of an hour, or that far behind", async () => {
  const { found, is, wait } = rig();
  is({}, { whole: false });
  expect(found()).toEqual([]);
  await wait(890_000);
  expect(found()).toEqual([]);
  await wait(10_000);
  expect(found()).toEqual(["warning copy"]);
  is({});
  expect(found()).toEqual([]);
  is({}, { behind_secs: 900 });
  expect(found()).toEqual(["warning copy"]);
});

test("what keeps the standby from copying is reported in its own words after a minute, instead of what follows from it", async () => {
  const { found, is, wait, watch } = rig();
  const problem = "the copy of the other hub cannot be written: the disk is full; free some space";
  is({}, { problem, behind_secs: 20 });
  expect(found()).toEqual([]);
  await wait(55_000);
  expect(found()).toEqual([]);
  await wait(5_000);
  expect(found()).toEqual(["warning problem"]);
  expect(watch.check(() => false)[0]?.message).toBe(`The second machine attic says: ${problem}`);
  is({}, { problem, behind_secs: 1000 });
  expect(found()).toEqual(["warning problem"]);
  is({}, { behind_secs: 20 });
  expect(found()).toEqual([]);
  is({ trouble: "connection refused" }, { problem, behind_secs: 40 });
  expect(found()).toEqual([]);
  await wait(15_000);
  // It answers, but promises nothing with answers that it cannot take.
  expect(found()).toEqual(["critical alone"]);
});

test("another version counts once there was time to upgrade both", async () => {
  const { found, is, wait } = rig();
  is({}, { version: "1.1.0" });
  expect(found()).toEqual([]);
  await wait(595_000);
  expect(found()).toEqual([]);
  await wait(10_000);
  expect(found()).toEqual(["warning version"]);
  is({});
  expect(found()).toEqual([]);
});

test("a lease that cannot be renewed: how bad that is depends on whether the standby answers", async () => {
  const { found, is, wait, watch } = rig();
  is({ trouble: "connection refused" });
  await wait(10_000);
  expect(found()).toEqual([]);
  await wait(10_000);
  expect(found()).toEqual(["warning kept"]);
  expect(watch.check(() => false)[0]?.mend).toContain("goes on as long as the second machine answers");
  is({ trouble: "connection refused" }, { heard_secs: 40 });
  expect(found()).toEqual(["critical alone"]);
  expect(watch.check(() => false)[0]?.mend).toContain("this one stops when its lease ends");
  is({ trouble: "connection refused", machine: null });
  expect(found()).toEqual(["critical alone"]);
  is({});
  expect(found()).toEqual([]);
});

test("a hub that goes on alone says so", async () => {
  const { is, wait, watch } = rig("continue");
  is({ trouble: "connection refused", machine: null });
  await wait(20_000);
  expect(watch.check(() => false)[0]?.mend).toContain("The hub goes on");
});

test("who took over says for a day what was lost", async () => {
  const { found, is, watch, clock } = rig();
  const took_over = { from: "http://10.0.0.1:8080", reason: "gone" as const, lost_secs: 14, gone_secs: 11 };
  is({ took_over });
  expect(watch.check(() => false)[0]).toMatchObject({
    severity: "warning",
    message:
      "This machine took over from http://10.0.0.1:8080, which is gone: at most 14 seconds of what people did are missing, and for at most 11 seconds there was no hub",
    values: { lost: 14, gone: 11 },
  });
  is({ took_over: { ...took_over, reason: "handed_over" } });
  expect(found()).toEqual(["info handed_over"]);
  await clock.advance(86_400_000);
  expect(found()).toEqual([]);
});
