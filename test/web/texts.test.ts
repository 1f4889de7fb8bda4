// The texts of the page: every language has them all, with the same places for values, and they are written out as data says.
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { cp, symlink } from "node:fs/promises";
import { join } from "node:path";
import { Glob } from "bun";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import "./browser.ts";
import { argumentsOf, compileMessage } from "../../src/page/texts/compile.ts";
import german from "../../src/page/texts/de.json";
import english from "../../src/page/texts/en.json";
import { formatAge, formatNumber, LANGUAGES, loadLater, setLanguage, t, textFor } from "../../src/page/texts/index.ts";

const PAGE = join(import.meta.dir, "..", "..", "src", "page");
const en: Readonly<Record<string, string>> = english;
const de: Readonly<Record<string, string>> = german;
/** Each once: a plural may name its number in each of its forms. */
const placesIn = (key: string, text = ""): string[] => [...new Set(argumentsOf(compileMessage(key, text)))].sort();

describe("both languages", () => {
  test("have the same texts, none empty", () => {
    expect(Object.keys(de).sort()).toEqual(Object.keys(en).sort());
    for (const [key, text] of [...Object.entries(en), ...Object.entries(de)])
      expect([key, text.trim()]).toEqual([key, expect.stringMatching(/\S/)]);
  });

  test("put the same values into them", () => {
    for (const key of Object.keys(en)) expect([key, placesIn(key, de[key])]).toEqual([key, placesIn(key, en[key])]);
  });

  test.each(["en", "de"])("say no text twice under one key: %s", (language) => {
    const lines = readFileSync(join(PAGE, "texts", `${language}.json`), "utf8").matchAll(/^ {2}("[^"]+"): /gm);
    const keys = [...lines].map(([, key]) => key);
    expect(keys.length).toBe(Object.keys(en).length);
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

describe("a message", () => {
  const rows: [string, string][] = [
    ["{name", "unclosed"],
    ["{count, plural, one {one}}", "no other"],
    ["{at, date, short}", "a date"],
    ["{count, selectordinal, other {#th}}", "an ordinal"],
  ];
  test.each(rows)("that the page cannot say is refused by its key: %s (%s)", (text) => {
    expect(() => compileMessage("some.key", text)).toThrow(/the text some\.key: /);
  });

  test("chooses its form by the number, and writes that as the language does", async () => {
    await loadLater();
    expect([1, 1234].map((count) => t("replay.fired", { count }))).toEqual([
      "It would have run once.",
      "It would have run 1,234 times.",
    ]);
    await setLanguage("de");
    expect([1, 1234].map((count) => t("replay.fired", { count }))).toEqual([
      "Sie wäre einmal gelaufen.",
      "Sie wäre 1.234-mal gelaufen.",
    ]);
    await setLanguage("en");
  });
});

test("no place for a value is forgotten where a text is asked for by name", () => {
  const forgotten = [...new Glob("**/*.{ts,tsx}").scanSync(PAGE)].flatMap((file) =>
    [...readFileSync(join(PAGE, file), "utf8").matchAll(/\bt\("([^"]+)"(?:, \{([^{}]*)\})?\)/g)].flatMap(
      ([, key = "", given]) => {
        const names = (given ?? "").split(",").map((one) => one.split(":")[0]?.trim() ?? "");
        if (/\.\.\./.test(given ?? "")) return [];
        return placesIn(key, en[key]).flatMap((name) => (names.includes(name) ? [] : [`${file}: ${key} {${name}}`]));
      },
    ),
  );
  expect(forgotten).toEqual([]);
});

/** As the browser gets it: what the build makes of a folder of texts. */
async function builtFrom(page: string): Promise<typeof import("../../src/page/texts/index.ts")> {
  const { bundleTexts } = await import(join(page, "texts", "bundle-texts.ts"));
  const outdir = join(page, "built");
  const built = await Bun.build({
    entrypoints: [join(page, "texts", "index.ts")],
    plugins: [bundleTexts(join(page, "texts"))],
    outdir,
    splitting: true,
    target: "browser",
  });
  expect(built.success).toBe(true);
  return import(join(outdir, "index.js"));
}

/** Until it is disposed of, the browser speaks this. */
function inBrowserOf(language: string): Disposable {
  const before = Object.getOwnPropertyDescriptor(navigator, "language");
  Object.defineProperty(navigator, "language", { value: language, configurable: true });
  return {
    [Symbol.dispose]() {
      if (before) Object.defineProperty(navigator, "language", before);
      else Reflect.deleteProperty(navigator, "language");
    },
  };
}

test("a third language is one file: it can be chosen, and what it lacks is English", async () => {
  expect(LANGUAGES).toEqual({ de: "Deutsch", en: "English" });
  using home = createTemporaryFolder();
  const page = home.at("page");
  await cp(PAGE, page, { recursive: true });
  await symlink(join(PAGE, "..", "..", "node_modules"), home.at("node_modules"));
  const french = {
    "language.name": "Français",
    "sign_in.title": "Connexion",
    "replay.fired": "{count, plural, one {# fois} other {# fois, au moins}}",
  };
  await Bun.write(join(page, "texts", "fr.json"), JSON.stringify(french));
  const brazilian = { "language.name": "Português (Brasil)", "sign_in.title": "Entrar" };
  await Bun.write(join(page, "texts", "pt-BR.json"), JSON.stringify(brazilian));
  for (const texts of [await builtFrom(page), await import(join(page, "texts", "index.ts"))]) {
    const four = { de: "Deutsch", en: "English", fr: "Français", "pt-BR": "Português (Brasil)" };
    expect(texts.LANGUAGES).toEqual(four);
    await texts.setLanguage("fr");
    await texts.loadLater();
    expect([texts.t("sign_in.title"), texts.t("nav.home")]).toEqual(["Connexion", en["nav.home"]]);
    // French counts nothing as one.
    expect([0, 2].map((count) => texts.t("replay.fired", { count }))).toEqual(["0 fois", "2 fois, au moins"]);
    await texts.setLanguage("de");
    expect(texts.t("nav.home")).toBe(de["nav.home"]);
    for (const [browser, title] of [
      ["pt-BR", "Entrar"],
      ["fr-CA", "Connexion"],
      ["pt-PT", en["sign_in.title"]],
    ]) {
      using _ = inBrowserOf(browser ?? "");
      await texts.startLanguage();
      expect([browser, texts.t("sign_in.title")]).toEqual([browser, title]);
    }
  }
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
