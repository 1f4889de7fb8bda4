import { describe, expect, test } from "bun:test";
import { DURATION_PATTERN, durationText, parseDuration } from "../../../src/kit/time/duration.ts";

describe("a duration as text", () => {
  test.each<[string, number]>([
    ["90s", 90],
    ["5m", 300],
    ["5min", 300],
    ["1h30m", 5400],
    ["1h 30m", 5400],
    ["1.5h", 5400],
    ["250ms", 0.25],
    ["1s500ms", 1.5],
    ["2d", 172_800],
    ["1w2d3h4m5s6ms", 788_645.006],
    [" 10 s ", 10],
    ["0s", 0],
  ])("%s is %d seconds", (text, secs) => {
    expect(parseDuration(text)).toBe(secs);
    expect(new RegExp(DURATION_PATTERN).test(text.trim())).toBe(true);
  });

  test.each(["", " ", "5", "m", "-5m", "5 minutes", "5m5m", "30m1h", "1e3s", "5M", `${"1".repeat(80)}s`])(
    "%j is none",
    (text) => expect(parseDuration(text)).toBeUndefined(),
  );
});

test.each<[number, string]>([
  [0, "0 s"],
  [0.25, "0.3 s"],
  [9.96, "10 s"],
  [45, "45 s"],
  [90, "1 min 30 s"],
  [300, "5 min"],
  [3599.6, "1 h"],
  [5430, "1 h 31 min"],
  [7200, "2 h"],
  [183_600, "2 d 3 h"],
  [-90, "-1 min 30 s"],
])("%d seconds read %s", (secs, text) => {
  expect(durationText(secs)).toBe(text);
});
