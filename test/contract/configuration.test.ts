// Run for every key of hub.toml, whoever adds one: docs/configuration.md has a row for it, and where that or the template of a
// new home names a default, it is the one there is.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TSchema } from "@sinclair/typebox";
import { parse } from "smol-toml";
import { HubConfig } from "../../src/app/config/sections.ts";

const root = join(import.meta.dir, "../..");

/** `section.key` and its default, if it has one. The keys of a list's tables count as those of its section. */
function keysOf(section: string, schema: TSchema): [string, unknown][] {
  const properties = (schema.properties ?? schema.items?.properties ?? {}) as Record<string, TSchema>;
  return Object.entries(properties).flatMap(([key, field]): [string, unknown][] =>
    field.items?.properties ? keysOf(section, field) : [[`${section}.${key}`, field.default]],
  );
}

const DEFAULTS = new Map(Object.entries(HubConfig.properties).flatMap(([name, schema]) => keysOf(name, schema)));

interface Named {
  key: string;
  /** As it stands there. */
  value: string | undefined;
}

const codesIn = (cell = ""): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);

/** What the page's tables name: under `## [section]` in the first column, elsewhere as `[section] key`. */
function rowsOf(page: string): Named[] {
  let heading = "";
  return page.split("\n").flatMap((line) => {
    heading = /^## \[+(\w+)/.exec(line)?.[1] ?? heading;
    const [, first, second] = line.split(/(?<!\\)\|/);
    const isLimit = /`\[\w+\] /.test(second ?? "");
    const values = isLimit ? [] : codesIn(second);
    let section = heading;
    return codesIn(isLimit ? second : first).map((code, index) => {
      const [, inBrackets, beforeDot, key] = /^(?:\[(\w+)\] |(\w+)\.)?(.+)$/.exec(code) ?? [];
      section = inBrackets ?? beforeDot ?? section;
      return { key: `${section}.${key}`, value: values.length === 1 ? values[0] : values[index] };
    });
  });
}

/** The keys that the template shows commented out. */
function commentedOut(template: string): Named[] {
  let section = "";
  return template.split("\n").flatMap((line) => {
    section = /^(?:# )?\[+([\w.]+)\]/.exec(line)?.[1] ?? section;
    const [, key, value] = /^# (\w+) = (\S.*?)(?: +#.*)?$/.exec(line) ?? [];
    return key === undefined ? [] : [{ key: `${section}.${key}`, value }];
  });
}

/** Those that name another default than there is. What has none is shown by an example. */
function wrongIn(named: readonly Named[]): object[] {
  return named.flatMap(({ key, value }) => {
    const wanted = DEFAULTS.get(key);
    if (wanted === undefined || value === undefined) return [];
    return Bun.deepEquals(tomlValue(value), wanted) ? [] : [{ key, says: value, default: wanted }];
  });
}

function tomlValue(text: string): unknown {
  try {
    return parse(`value = ${text}`).value;
  } catch {
    return undefined;
  }
}

test("docs/configuration.md has a row for every key, with its default", () => {
  const rows = rowsOf(readFileSync(join(root, "docs/configuration.md"), "utf8"));
  const named = new Set(rows.map(({ key }) => key));
  expect([...DEFAULTS.keys()].filter((key) => !named.has(key))).toEqual([]);
  expect(wrongIn(rows)).toEqual([]);
});

test("the template shows commented out what is so without it", () => {
  const shown = commentedOut(readFileSync(join(root, "config/hub.template.toml"), "utf8"));
  expect(shown.length).toBeGreaterThan(30);
  expect(wrongIn(shown)).toEqual([]);
});
