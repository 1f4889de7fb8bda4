// Whatever bytes hub.toml and modes.toml hold: they are read, and every problem has its place.
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import fc from "fast-check";
import { checkConfig } from "../../../src/app/config/load.ts";
import { readModes } from "../../../src/house/state/virtual/modes-file.ts";
import { readToml } from "../../../src/kit/schema/toml.ts";
import { examples } from "../../support/examples.ts";
import { exchangedValue, mutatedBytes, mutatedText } from "../../support/mutated-text.ts";

const root = resolve(import.meta.dir, "../../..");
const uncommented = (text: string): string => text.replaceAll(/^# (?=[\w.]+ = |\[)/gm, "");
const hubToml = readFileSync(`${root}/config/hub.template.toml`, "utf8").replace("@JWT_SECRET@", "x".repeat(40));
const modesToml = readFileSync(`${root}/config/modes.toml`, "utf8");
const TEXTS = [hubToml, uncommented(hubToml), modesToml, uncommented(modesToml)];

const anyBytes = fc.oneof(
  mutatedBytes(TEXTS),
  fc.oneof(mutatedText(TEXTS), exchangedValue(TEXTS), fc.string({ unit: "binary" })).map((text) => Buffer.from(text)),
);

describe("any bytes", () => {
  test("as hub.toml are a configuration, or problems that say what keeps the hub from starting", () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        const { config, problems } = checkConfig(bytes);
        const lines = bytes.toString().split("\n").length;
        for (const { line, message } of problems) {
          expect(message).not.toBe("");
          if (line !== undefined) expect(line >= 1 && line <= lines).toBe(true);
        }
        const fatal = problems.filter(({ warning, confined }) => !warning && !confined);
        expect(config === undefined).toBe(fatal.length > 0);
        expect(config?.faults ?? []).toEqual(config ? (problems.filter(({ confined }) => confined) as never) : []);
      }),
      { numRuns: examples(1500) },
    );
  }, 120_000);

  test("as modes.toml are modes with ids of their own, and problems", () => {
    fc.assert(
      fc.property(anyBytes, fc.boolean(), (bytes, located) => {
        const { modes, problems, broken } = readModes(bytes, { located });
        if (!modes) expect(problems.length).toBe(1);
        const ids = (modes ?? []).map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        if (broken !== "unknown") for (const id of broken) expect(ids).not.toContain(id);
      }),
      { numRuns: examples(1500) },
    );
  }, 120_000);
});

test("a file that can be read finds a line in the text for any path, or none", () => {
  fc.assert(
    fc.property(anyBytes, fc.string(), (bytes, path) => {
      const read = readToml(bytes);
      if (!read.ok) return;
      const lines = bytes.toString().split("\n").length;
      for (const one of [path, "server.port", "plugins[0].id", "modes[3]", "__proto__", "constructor.x", ""]) {
        const line = read.locate(one);
        if (line !== undefined) expect(line >= 1 && line <= lines).toBe(true);
      }
    }),
    { numRuns: examples(1000) },
  );
}, 120_000);

test("every key at the top of a file that can be read has the line it is written on", () => {
  fc.assert(
    fc.property(fc.oneof(exchangedValue(TEXTS), mutatedText(TEXTS)), (text) => {
      const read = readToml(text);
      if (!read.ok) return;
      expect(read.problems.filter(({ warning }) => warning)).toEqual([]);
      const lines = text.split("\n");
      for (const key of Object.keys(read.table).filter((name) => /^[a-z_]+$/.test(name)))
        expect(lines[(read.locate(key) ?? 0) - 1]).toContain(key);
    }),
    { numRuns: examples(1000) },
  );
}, 120_000);
