// Forms that change one line of hub.toml: everything else stays to the letter.
import { describe, expect, test } from "bun:test";
import template from "../../config/hub.template.toml" with { type: "text" };
import { checkConfig } from "../../src/config/load.ts";
import { parseToml } from "../../src/core/toml.ts";
import { type PlainValue, plainValueOf, withValue } from "../../src/web/page/state/toml-line.ts";

const TEXT = String(template);

const read = (text: string, section: string, key: string): unknown => {
  const parsed = parseToml(text);
  if (!parsed.ok) throw new Error(parsed.flaw.message);
  return (parsed.table[section] as Record<string, unknown> | undefined)?.[key];
};

describe("a key of the template", () => {
  const cases: [string, string, PlainValue][] = [
    ["server", "port", 9090],
    ["location", "latitude", -33.9],
    ["location", "timezone", 'Europe/"Berlin'],
    ["backup", "schedule", "0 30 3 * * *"],
    ["mqtt", "host", "0.0.0.0"],
    ["log", "level", "debug"],
    ["nowhere", "made", true],
  ];
  for (const [section, key, value] of cases)
    test(`${section}.${key} is set, read and taken out again`, () => {
      const set = withValue(TEXT, section, key, value);
      expect(read(set, section, key)).toBe(value);
      expect(plainValueOf(set, section, key)).toBe(value);
      const lines = TEXT.split("\n");
      const changed = set.split("\n").filter((line) => !lines.includes(line));
      expect(changed.length).toBeLessThanOrEqual(2);
      const out = withValue(set, section, key, undefined);
      expect(read(out, section, key)).toBeUndefined();
      expect(plainValueOf(out, section, key)).toBeUndefined();
    });

  test("keeps its comment, and the key of another section", () => {
    expect(withValue(TEXT, "server", "port", 1)).toContain("port = 1\n");
    expect(withValue(TEXT, "mqtt", "port", 2)).toContain("port = 8080");
    expect(withValue(TEXT, "log", "level", "debug")).toContain(
      'level = "debug"            # debug, info, warning or error',
    );
  });
});

test("a list that spans lines is left alone", () => {
  const text = "[auth]\nwhitelist = [\n  '10.0.0.1',\n]\n";
  expect(plainValueOf(text, "auth", "whitelist")).toBeUndefined();
  expect(checkConfig(text).problems.length).toBeGreaterThan(0);
});
