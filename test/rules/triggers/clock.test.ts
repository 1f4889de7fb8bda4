// Triggers on the clock. Their schedules on the nights of the clock change are tested in schedule/.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/kit/schema/json.ts";
import { triggers } from "../../../src/rules/triggers/index.ts";
import { createHouse, type HouseOptions } from "../support/host.ts";
import { problemsIn, readIn } from "../support/read.ts";

function next(trigger: JsonObject, after: string, options: HouseOptions = { timezone: "Europe/Berlin" }) {
  const definition = triggers.find(({ type }) => type === trigger.type);
  const at = definition?.schedule?.(readIn("triggers", trigger), createHouse(options)).next(Date.parse(after));
  return at === undefined ? undefined : new Date(at).toISOString();
}

test.each<[JsonObject, string, string]>([
  [{ type: "cron", expression: "0 */5 * * * *" }, "2026-01-15T12:01:00Z", "2026-01-15T12:05:00.000Z"],
  [{ type: "time_of_day", time: "07:30" }, "2026-01-15T12:00:00Z", "2026-01-16T06:30:00.000Z"],
  [{ type: "time_of_day", time: "7:30:15", days: ["Monday"] }, "2026-01-15T12:00:00Z", "2026-01-19T06:30:15.000Z"],
  // The skipped hour of spring: right after the jump.
  [{ type: "time_of_day", time: "02:30" }, "2026-03-28T12:00:00Z", "2026-03-29T01:00:00.000Z"],
  [{ type: "periodic", every_secs: 3600 }, "2026-01-15T12:00:00Z", "2026-01-15T13:00:00.000Z"],
])("%j after %s", (trigger, after, at) => {
  expect(next(trigger, after)).toBe(at);
});

describe("sun_event", () => {
  const asked: unknown[] = [];
  const sun = {
    around(moment: unknown, now: number) {
      asked.push(moment);
      return { previous: undefined, next: now + 1000 };
    },
    isUp: () => true,
    elevation: () => 1,
  };

  test("asks for its moment with the offset", () => {
    expect(next({ type: "sun_event", event: "Sunset", offset_minutes: -30 }, "2026-01-15T12:00:00Z", { sun })).toBe(
      "2026-01-15T12:00:01.000Z",
    );
    expect(asked).toEqual([{ event: "sunset", offsetMinutes: -30 }]);
  });

  test("never comes where nobody knows the place", () => {
    expect(next({ type: "sun_event", event: "sunset" }, "2026-01-15T12:00:00Z", {})).toBeUndefined();
  });
});

test.each<[JsonObject, RegExp]>([
  [{ type: "cron", expression: "*/5 * * * *" }, /^expression: .*five fields.*put "0 " in front/],
  [{ type: "cron", expression: "0 0 0 30 2 *" }, /^expression: .*never comes/],
  [{ type: "cron", expression: "0 61 * * * *" }, /^expression: .*minute/],
  [{ type: "time_of_day", time: "24:30" }, /^time: must be a time of day/],
  [{ type: "time_of_day", time: "07:30", days: [] }, /^days: must have at least 1 entry/],
  [{ type: "time_of_day", time: "07:30", days: ["mon", "tues"] }, /^days\[1\]: must be one of .*did you mean "tue"/],
  [{ type: "periodic", every_secs: 0 }, /^every_secs: must be a whole number of seconds from 1/],
  [{ type: "sun_event", event: "sunrize" }, /^event: must be one of .*did you mean "sunrise"/],
  [{ type: "sun_event", event: "sunset", offset_minutes: 721 }, /^offset_minutes: must be a number from -720 to 720/],
])("refuses %j", (trigger, problem) => {
  const problems = problemsIn("triggers", trigger);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(problem);
});

test("labels are short and say when", () => {
  const label = (trigger: JsonObject) =>
    triggers.find(({ type }) => type === trigger.type)?.label(readIn("triggers", trigger));
  expect(label({ type: "sun_event", event: "sunset", offset_minutes: -30 })).toBe("30 min before sunset");
  expect(label({ type: "sun_event", event: "sunset" })).toBe("sunset");
  expect(label({ type: "time_of_day", time: "07:30", days: ["sat", "sun"] })).toBe("at 07:30 on sat, sun");
  expect(label({ type: "periodic", every_secs: 300 })).toBe("every 300 s");
});
