// A run that waits for one of several triggers.
import { expect, test } from "bun:test";
import type { JsonObject } from "../../../src/kit/schema/json.ts";
import { problemsIn } from "../support/read.ts";
import { openRealRig, written } from "../support/real.ts";
import type { Rig } from "./rig.ts";

const opened = { type: "device_state_changed", device_id: "door", attribute: "open", to: true, id: "door" };
const still = { type: "device_state_changed", area: "hall", attribute: "motion", to: false, for: "5m", id: "still" };
const late = { type: "time_of_day", time: "23:00", id: "late" };

async function begin(wait: JsonObject): Promise<Rig> {
  const rig = openRealRig();
  rig.place("motion", { area: "hall" });
  rig.report("motion", { motion: true });
  rig.report("door", { open: false });
  rig.begin(
    written("waits", {
      actions: [
        { type: "wait_for_trigger", ...wait },
        {
          type: "log_message",
          expression: "string(vars.wait.completed) + ' ' + (has(vars.wait.trigger) ? vars.wait.trigger.id : '')",
        },
      ],
    }),
  );
  void rig.engine.run("waits");
  await rig.clock.advance(0);
  return rig;
}

const ended = (rig: Rig): string | undefined => {
  const trace = rig.engine.traces("waits")[0];
  return trace?.endedAt === undefined ? undefined : trace.actions[1]?.detail;
};

test("the first trigger that fires ends it, and is in vars.wait", async () => {
  await using rig = await begin({ triggers: [still, opened] });
  rig.report("window", { open: true });
  await rig.clock.advance(1000);
  expect(ended(rig)).toBeUndefined();
  rig.report("door", { open: true });
  await rig.clock.advance(0);
  expect(ended(rig)).toBe("info: true door");
  expect(rig.engine.traces("waits")[0]?.actions[0]?.detail).toBe("door.open to true came");
});

test("a match must last for its time, and begins anew when it ended", async () => {
  await using rig = await begin({ triggers: [still, opened] });
  rig.report("motion", { motion: false });
  await rig.clock.advance(299_000);
  rig.report("motion", { motion: true });
  rig.report("motion", { motion: false });
  await rig.clock.advance(299_000);
  expect(ended(rig)).toBeUndefined();
  await rig.clock.advance(1000);
  expect(ended(rig)).toBe("info: true still");
});

test("an event right after one that begins to last is not missed", async () => {
  await using rig = await begin({ triggers: [still, opened] });
  rig.report("motion", { motion: false });
  rig.report("door", { open: true });
  await rig.clock.advance(0);
  expect(ended(rig)).toBe("info: true door");
});

test("a time of day ends it", async () => {
  await using rig = await begin({ triggers: [opened, late] });
  const until = Date.parse(`${new Date(rig.clock.now()).toISOString().slice(0, 10)}T23:00:00Z`) - rig.clock.now();
  const ms = until > 0 ? until : until + 86_400_000;
  await rig.clock.advance(ms - 1);
  expect(ended(rig)).toBeUndefined();
  await rig.clock.advance(1);
  expect(ended(rig)).toBe("info: true late");
});

test("after the timeout it continues without a trigger, or ends the run", async () => {
  await using rig = await begin({ triggers: [opened, still], timeout_secs: "1m" });
  // It has not lasted long enough by then.
  rig.report("motion", { motion: false });
  await rig.clock.advance(60_000);
  expect(ended(rig)).toBe("info: false ");
  await using other = await begin({ triggers: [opened], timeout_secs: 60, on_timeout: "exit" });
  await other.clock.advance(60_000);
  expect(other.last("waits")).toContain("ended by wait_for_trigger: door.open to true did not come within 60 s");
});

test("a cancelled run no longer listens", async () => {
  await using rig = await begin({ triggers: [still] });
  rig.report("motion", { motion: false });
  rig.engine.remove("waits");
  const before = rig.logged.length;
  await rig.clock.advance(600_000);
  expect(rig.logged.slice(before)).toEqual([]);
});

test.each(["manual_trigger", "webhook_received", "system_started"])("%s cannot be waited for", (type) => {
  const trigger: JsonObject = type === "webhook_received" ? { type, path: "x", secret: "0123456789abcdef" } : { type };
  expect(problemsIn("actions", { type: "wait_for_trigger", triggers: [trigger] })).toEqual([
    `triggers[0].type: ${type} cannot be waited for`,
  ]);
});
