import { expect, test } from "bun:test";
import { createPluginLogs } from "../../../src/reach/mqtt/plugin-logs.ts";
import { createRateLimitedLog } from "../../../src/reach/mqtt/rate-limited-log.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";
import { recordingLog } from "./support.ts";

test("so many lines per key and period, then a count, then lines again", async () => {
  const clock = createVirtualClock();
  const { log, entries } = recordingLog();
  using limited = createRateLimitedLog({ clock, log, lines: 2 });
  for (let n = 0; n < 5; n++) limited.warn("a", `line ${n}`, {});
  limited.warn("b", "other", {});
  expect(entries.map(({ message }) => message)).toEqual(["line 0", "line 1", "other"]);
  await clock.advance(10_000);
  expect(entries.at(-1)).toMatchObject({ message: "3 lines dropped", fields: { about: "a" } });
  limited.warn("a", "again", {});
  expect(entries.at(-1)?.message).toBe("again");
});

test("made-up keys share the lines of one key", () => {
  const { log, entries } = recordingLog();
  using limited = createRateLimitedLog({ clock: createVirtualClock(), log, lines: 2 });
  for (let n = 0; n < 2000; n++) limited.warn(`key ${n}`, "line", {});
  expect(entries).toHaveLength(502);
});

test("dropped lines of a plugin are reported under its own name", async () => {
  const clock = createVirtualClock();
  const { log, entries } = recordingLog();
  using logs = createPluginLogs({ clock, log });
  for (let n = 0; n < 250; n++) logs.write("zig", { message: "x" });
  expect(entries).toHaveLength(200);
  await clock.advance(10_000);
  expect(entries.at(-1)).toMatchObject({ level: "warn", name: "zig", message: "50 lines dropped" });
  expect(clock.pending()).toHaveLength(1);
  logs[Symbol.dispose]();
  expect(clock.pending()).toHaveLength(0);
});
