// Every mistake of the tables, given to `hub check` itself: it names the file, the line and the key, and says what to do.
import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { check } from "../../../src/app/cli/check.ts";
import type { Io } from "../../../src/app/cli/command.ts";
import { createTestPlatform, type TestPlatform } from "../../support/platform.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";
import { CONFIGURATION } from "./configuration.ts";
import { expectedOf, isReported } from "./mistake.ts";
import { PROFILES } from "./profiles.ts";
import { RULES } from "./rules.ts";

const HUB_TOML =
  '[auth]\njwt_secret = "0123456789abcdef0123456789abcdef"\n[location]\nlatitude = 52.5\nlongitude = 13.4\n';

/** What `hub check` writes about a home with these files; `code` is that of the error it ends with. */
async function checked(files: Record<string, string>): Promise<{ code: string | undefined; stderr: string }> {
  using home = createTemporaryFolder();
  for (const folder of ["config/profiles", "data", "rules"]) mkdirSync(home.at(folder), { recursive: true });
  for (const [path, text] of Object.entries({ "config/hub.toml": HUB_TOML, ...files }))
    writeFileSync(home.at(path), text, { mode: 0o600 });
  const platform = createTestPlatform(createVirtualClock());
  const code = await check.run({ positionals: [], options: { home: home.path }, io: ioOf(platform) }).then(
    () => undefined,
    (error: { code?: string }) => error.code,
  );
  return { code, stderr: platform.stderr.text };
}

function ioOf(platform: TestPlatform): Io {
  const unused = (): never => {
    throw new Error("`hub check` needs no such thing");
  };
  return {
    platform,
    execPath: "",
    compiled: false,
    isRoot: false,
    readStdin: unused,
    stopRequested: unused,
    onCrash: unused,
  };
}

test("a home without mistakes is valid", async () => {
  expect(await checked({})).toEqual({ code: undefined, stderr: "" });
});

const tables = Object.entries({ ...CONFIGURATION, ...RULES, ...PROFILES });

test("there are sixty in the configuration, forty in rules and twenty in profiles", () => {
  const count = (table: Record<string, readonly unknown[]>): number => Object.values(table).flat().length;
  expect(count(CONFIGURATION)).toBeGreaterThanOrEqual(60);
  expect(count(RULES)).toBeGreaterThanOrEqual(40);
  expect(count(PROFILES)).toBeGreaterThanOrEqual(20);
});

describe.each(tables)("%s", (file, mistakes) => {
  test.each(mistakes.map((mistake) => [mistake[0], mistake] as const))("%j", async (_, mistake) => {
    const expected = expectedOf(file, mistake);
    expect(expected.mend).not.toBe("");
    const { code, stderr } = await checked({ [file]: expected.text });
    expect({ stderr, reported: isReported(stderr, expected) }).toEqual({ stderr, reported: true });
    expect(code).toBe("config");
    expect(stderr).not.toMatch(/undefined|\[object|\bat \S+ \(/);
  });
});

test("all mistakes of a file are reported at once", async () => {
  const modes = '[[modes]]\nid = "a/b"\nkind = "manual"\n[[modes]]\nid = "c"\nx = 1\n';
  const { stderr } = await checked({
    "config/hub.toml": `${HUB_TOML}[server]\nprot = 1\nhost = 5\n[log]\nlevel = 3\n`,
    "config/modes.toml": modes,
    "rules/a.toml": "nam = 1\npriority = true\n",
    "rules/b.ron": '(name: 1, "x": 2, enabled: True)',
  });
  const of = (file: string): number => stderr.split("\n").filter((line) => line.includes(`${file}:`)).length;
  expect([of("hub.toml"), of("modes.toml"), of("a.toml"), of("b.ron")]).toEqual([3, 3, 3, 2]);
});
