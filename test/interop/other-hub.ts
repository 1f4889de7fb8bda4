// Compiles a hub of another version, for upgrades: bun test/interop/other-hub.ts OUT VERSION [KIND]. Without a version OUT can become any
// of them: bun test/interop/other-hub.ts OUT VERSION KIND ANY makes one out of it, without compiling (test/support/stamped-hub.ts).
// A `broken` one says its version and ends when it is to serve; a `converting` one changes the layout of the state database; a `late`
// one does that, and ends when it was all but up; a `slow` one needs twelve seconds to be up; an `overwriting` one writes over the
// state database and dies; an `emptying` one removes users and devices and is up; a `hanging` and a `confused` one are up, and two
// seconds later answer nothing, or something else. A `curious` one looks around in its home when it is asked for its version.
// With PAGE_PACK in its environment it has that page.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { Glob, type PluginBuilder } from "bun";
import { markedText, stampHub } from "../support/stamped-hub.ts";

const root = join(import.meta.dir, "..", "..");
const [outfile = "hub", version, kind = "plain", any = `${outfile}.any`] = process.argv.slice(2);
const KIND = `(${markedText("kind")})`;

const addMigration = (text: string): string =>
  changed(
    text,
    "  // A new one goes here",
    `  ...(["converting", "late"].includes(${KIND}) ? ["CREATE TABLE of_another_version (id INTEGER)"] : []),\n  // A new one goes here`,
  );
const READY = "reportTimes(options, times);";
/** What a version does when it is all but ready. */
const INSTEAD: Readonly<Record<string, string>> = {
  late: 'throw new Error("this hub is broken on purpose");',
  slow: "await Bun.sleep(12_000);",
  overwriting: 'await Bun.write(options.home.stateDb, "this was a database"); process.abort();',
  emptying: 'stores.db.durable.run("DELETE FROM users"); stores.db.durable.run("DELETE FROM devices");',
  hanging: "setTimeout(() => Bun.sleepSync(600_000), 2000);",
};
const BEGIN = "export async function createHub(given: HubOptions): Promise<Hub> {";
const beOther = (text: string): string => {
  const acts = Object.entries(INSTEAD).map(([name, act]) => `if (${KIND} === "${name}") { ${act} }`);
  const broken = `if (${KIND} === "broken") throw new Error("this hub is broken on purpose");`;
  return changed(changed(text, READY, `${acts.join(" ")} ${READY}`), BEGIN, `${BEGIN} ${broken}`);
};
const beConfused = (text: string): string =>
  changed(
    text,
    'isWhole ? "ok" : "degraded"',
    `${KIND} === "confused" && clock.mono() - begun > 2000 ? "confused" : isWhole ? "ok" : "degraded"`,
  );

/** Says, instead of its version, what it can see of the home it lies in, and leaves a mark there. */
const SPY = `const { readFileSync, writeFileSync } = await import("node:fs");
    const home = process.execPath.replace(/[/]bin[/][^/]*$/, "");
    const tries = [() => readFileSync(home + "/config/hub.toml"), () => writeFileSync(home + "/data/spied", "")];
    const done = tries.filter((one) => { try { one(); return true; } catch { return false; } });
    process.stderr.write("saw " + (done.length || "nothing"));
    return 1;`;
const beCurious = (text: string): string =>
  changed(
    text,
    "const { stdout } = io.platform;",
    `if (${KIND} === "curious") { ${SPY} }\n    const { stdout } = io.platform;`,
  );

function changed(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`nothing to change: ${from}`);
  return text.replace(from, () => to);
}

function alter(build: PluginBuilder, path: string, change: (text: string) => string): void {
  build.onLoad({ filter: new RegExp(`/src/${RegExp.escape(path)}$`) }, async (file) => ({
    loader: "ts",
    contents: change(await Bun.file(file.path).text()),
  }));
}

/** The one that can become any. */
async function compile(file: string): Promise<void> {
  const built = await Bun.build({
    entrypoints: ["src/main.ts", ...new Glob("src/**/*worker.ts").scanSync(root)].map((path) => join(root, path)),
    target: "bun",
    minify: { whitespace: true, syntax: true, identifiers: false },
    plugins: [
      {
        name: "another version",
        setup(build) {
          build.onLoad({ filter: new RegExp(`^${RegExp.escape(join(root, "package.json"))}$`) }, () => ({
            loader: "ts",
            contents: `export const version = ${markedText("version")};`,
          }));
          const page = process.env.PAGE_PACK;
          if (page !== undefined) build.onResolve({ filter: /\/page\.pack$/ }, () => ({ path: page }));
          alter(build, "server/db/migrations/index.ts", addMigration);
          alter(build, "app/hub.ts", beOther);
          alter(build, "app/cli/version.ts", beCurious);
          alter(build, "server/system/status.ts", beConfused);
        },
      },
    ],
    compile: {
      outfile: file,
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
    },
  });
  if (!built.success) throw new AggregateError(built.logs, `compiling ${file} failed`);
}

if (version === undefined) await compile(outfile);
else {
  const isThere = process.argv.length > 5;
  if (!isThere) await compile(any);
  stampHub(any, outfile, { version, kind });
  if (!isThere) rmSync(any);
}
