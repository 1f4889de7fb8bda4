// Compiles a hub of another version, for upgrades: bun test/interop/other-hub.ts OUT VERSION [broken]. A broken one says
// its version and ends when it is to serve. With PAGE_PACK in its environment it has that page.
import { join } from "node:path";
import { Glob } from "bun";

const root = join(import.meta.dir, "..", "..");
const [outfile = "hub", version = "9.9.9", broken] = process.argv.slice(2);

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
        if (!broken) return;
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
