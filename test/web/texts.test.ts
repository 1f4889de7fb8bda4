// The texts of the page: every language has them all, with the same places for values, and they are written out as data says.
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import "./browser.ts";
import { catalogueOf } from "../../src/page/texts/catalogue.ts";
import { parts as germanParts } from "../../src/page/texts/de/index.ts";
import { later as germanLater } from "../../src/page/texts/de/later.ts";
import { parts as englishParts } from "../../src/page/texts/en/index.ts";
import { later as englishLater } from "../../src/page/texts/en/later.ts";
import { formatAge, formatNumber, setLanguage, t, textFor } from "../../src/page/texts/index.ts";

const PAGE = join(import.meta.dir, "..", "..", "src", "page");
const en: Readonly<Record<string, string>> = catalogueOf(englishParts, englishLater);
const de: Readonly<Record<string, string>> = catalogueOf(germanParts, germanLater);
const placesIn = (text = ""): string[] => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "").sort();

describe("both languages", () => {
  test("have the same texts, none empty", () => {
    expect(Object.keys(de).sort()).toEqual(Object.keys(en).sort());
    for (const [key, text] of [...Object.entries(en), ...Object.entries(de)])
      expect([key, text.trim()]).toEqual([key, expect.stringMatching(/\S/)]);
  });

  test("put the same values into them", () => {
    for (const key of Object.keys(en)) expect([key, placesIn(de[key])]).toEqual([key, placesIn(en[key])]);
  });

  test("say no text twice under one key", () => {
    const keys = Object.values({ ...englishParts, ...englishLater }).flatMap((part) => Object.keys(part));
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
  });
});

test("every text that the page asks for by name is there", () => {
  const wanted = [...new Glob("**/*.{ts,tsx}").scanSync(PAGE)].flatMap((file) =>
    [...readFileSync(join(PAGE, file), "utf8").matchAll(/\bt\("([^"]+)"/g)].map(([, key]) => key ?? ""),
  );
  expect(wanted.length).toBeGreaterThan(10);
  expect(wanted.filter((key) => !Object.hasOwn(en, key))).toEqual([]);
});

test("values are put in, and what is missing stays visible", () => {
  expect(t("live.offline", { time: "14:02" })).toBe("Offline since 14:02");
  expect(t("live.offline")).toBe("Offline since {time}");
  expect(t("live.offline", { time: "{time} <b>" })).toBe("Offline since {time} <b>");
});

test("a text for what is not known is none", () => {
  expect(textFor("error.no_such_code")).toBeUndefined();
  expect(textFor("constructor")).toBeUndefined();
});

describe("an age", () => {
  const now = Date.parse("2026-11-22T12:00:00Z");
  const rows: [string, string, string][] = [
    ["2026-11-22T12:00:00Z", "now", "jetzt"],
    ["2026-11-22T11:59:30Z", "30 sec. ago", "vor 30 Sek."],
    ["2026-11-22T11:51:00Z", "9 min. ago", "vor 9 Min."],
    ["2026-11-22T09:00:00Z", "3 hr. ago", "vor 3 Std."],
    ["2026-11-21T12:00:00Z", "yesterday", "gestern"],
    ["2026-11-22T12:05:00Z", "in 5 min.", "in 5 Min."],
  ];
  test.each(rows)("of %s", async (at, inEnglish, inGerman) => {
    expect(formatAge(at, now)).toBe(inEnglish);
    await setLanguage("de");
    try {
      expect(formatAge(at, now)).toBe(inGerman);
    } finally {
      await setLanguage("en");
    }
  });
});

test("numbers are written as people write them", async () => {
  expect([formatNumber(1234.567, 1), formatNumber(21.4), formatNumber(-0)]).toEqual(["1,234.6", "21.4", "-0"]);
  await setLanguage("de");
  expect([formatNumber(1234.567, 1), formatNumber(21.4)]).toEqual(["1.234,6", "21,4"]);
  await setLanguage("en");
});
