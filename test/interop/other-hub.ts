// Compiles a hub of another version, for upgrades: bun test/interop/other-hub.ts OUT VERSION [KIND]. A `broken` one says its version and
// ends when it is to serve; a `converting` one changes the layout of the state database; a `late` one does that, and ends when it was
// all but up; a `slow` one needs twelve seconds to be up; an `overwriting` one writes over the state database and dies; an `emptying` one
// removes users and devices and is up; a `hanging` and a `confused` one are up, and two seconds later answer nothing, or something else.
// A `curious` one looks around in its home when it is asked for its version.
// With PAGE_PACK in its environment it has that page.
import { join } from "node:path";
import { Glob, type PluginBuilder } from "bun";

const root = join(import.meta.dir, "..", "..");
const [outfile = "hub", version = "9.9.9", kind] = process.argv.slice(2);

const addMigration = (text: string): string =>
  text.replace(
    "  // A new one goes here",
    '  "CREATE TABLE of_another_version (id INTEGER)",\n  // A new one goes here',
  );
const READY = "late.ready = true;";
/** What a version does instead of being ready. */
const INSTEAD: Readonly<Record<string, string>> = {
  late: 'throw new Error("this hub is broken on purpose");',
  slow: `await Bun.sleep(12_000); ${READY}`,
  overwriting: 'await Bun.write(options.home.stateDb, "this was a database"); process.abort();',
  emptying: `stores.db.durable.run("DELETE FROM users"); stores.db.durable.run("DELETE FROM devices"); ${READY}`,
  hanging: `${READY} setTimeout(() => Bun.sleepSync(600_000), 2000);`,
};
const beConfused = (text: string): string =>
  text.replace('isWhole ? "ok" : "degraded"', 'clock.mono() - begun > 2000 ? "confused" : "ok"');

/** Says, instead of its version, what it can see of the home it lies in, and leaves a mark there. */
const SPY = `const { readFileSync, writeFileSync } = await import("node:fs");
    const home = process.execPath.replace(/[/]bin[/][^/]*$/, "");
    const tries = [() => readFileSync(home + "/config/hub.toml"), () => writeFileSync(home + "/data/spied", "")];
    const done = tries.filter((one) => { try { one(); return true; } catch { return false; } });
    process.stderr.write("saw " + (done.length || "nothing"));
    return 1;`;
const beCurious = (text: string): string => text.replace("const { stdout } = io.edge;", SPY);

function alter(build: PluginBuilder, path: string, change: (text: string) => string): void {
  build.onLoad({ filter: new RegExp(`/src/${RegExp.escape(path)}$`) }, async (file) => {
    const before = await Bun.file(file.path).text();
    const contents = change(before);
    if (contents === before) throw new Error(`nothing to change in ${path}`);
    return { loader: "ts", contents };
  });
}

const built = await Bun.build({
  entrypoints: ["src/main.ts", ...new Glob("src/**/*worker.ts").scanSync(root)].map((path) => join(root, path)),
  target: "bun",
  minify: { whitespace: true, syntax: true, identifiers: false },
  plugins: [
    {
      name: "another version",
      setup(build) {
        build.onLoad({ filter: /\/package\.json$/ }, async ({ path }) => {
          const described = await Bun.file(path).json();
          const ours = path === join(root, "package.json");
          return { loader: "json", contents: JSON.stringify(ours ? { ...described, version } : described) };
        });
        const page = process.env.PAGE_PACK;
        if (page !== undefined) build.onResolve({ filter: /\/page\.pack$/ }, () => ({ path: page }));
        if (kind === "converting" || kind === "late") alter(build, "db/migrations/index.ts", addMigration);
        const instead = INSTEAD[kind ?? ""];
        if (instead !== undefined) alter(build, "hub.ts", (text) => text.replace(READY, instead));
        if (kind === "curious") alter(build, "cli/version.ts", beCurious);
        if (kind === "confused") alter(build, "system/status.ts", beConfused);
        if (kind !== "broken") return;
        build.onLoad({ filter: /\/src\/hub\.ts$/ }, () => ({
          loader: "ts",
          contents: 'export async function createHub() { throw new Error("this hub is broken on purpose"); }',
        }));
      },
    },
  ],
  compile: {
    outfile,
    autoloadDotenv: false,
    autoloadBunfig: false,
    autoloadTsconfig: false,
    autoloadPackageJson: false,
  },
});
if (!built.success) throw new AggregateError(built.logs, `compiling ${outfile} failed`);
