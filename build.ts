// Compiles bin/hub for this machine, or with --release every target into dist/release with SHA256SUMS; with --release and
// names of targets, those alone.
// `--embedded` makes only what the sources embed: the plugin bundles and the page.
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { bundlePage } from "./src/web/bundle.ts";

const TARGETS = ["linux-x64", "linux-x64-baseline", "linux-arm64", "linux-x64-musl", "darwin-arm64"] as const;
type Target = (typeof TARGETS)[number];
const PLUGINS = {
  sysmon: "plugins/sysmon/main.ts",
  virtual: "plugins/virtual/main.ts",
  sdk: "plugins/sdk/index.ts",
  // Not a plugin: it starts a confined one.
  launcher: "src/plugins/confine/launcher.ts",
};

const root = import.meta.dir;
const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function bundlePlugins(): Promise<void> {
  for (const [name, entry] of Object.entries(PLUGINS)) {
    const built = await Bun.build({
      entrypoints: [join(root, entry)],
      target: "bun",
      minify: { whitespace: true, syntax: true },
    });
    const [bundle] = built.outputs;
    if (!built.success || !bundle) throw new AggregateError(built.logs, `bundling ${entry} failed`);
    await Bun.write(join(root, "dist", "plugins", `${name}.bundle.js`), bundle);
  }
}

async function compile(outfile: string, target?: string): Promise<void> {
  const built = await Bun.build({
    // Workers are entry points of their own; `new Worker` finds them by their path under src/.
    entrypoints: [
      "main.ts",
      "history/worker.ts",
      "backup/worker.ts",
      "calendars/worker.ts",
      "rules/replay/worker.ts",
    ].map((entry) => join(root, "src", entry)),
    target: "bun",
    // Names stay: class names are read in logs, and libraries rely on theirs.
    minify: { whitespace: true, syntax: true, identifiers: false },
    bytecode: true,
    sourcemap: "none",
    compile: {
      outfile,
      ...(target ? { target: `bun-${target}` as Bun.Build.CompileTarget } : {}),
      // The folder it is started in must not change what it does.
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
    },
  });
  if (!built.success) throw new AggregateError(built.logs, `compiling ${outfile} failed`);
  chmodSync(outfile, 0o755);
}

/** Starts what was built once, from an empty folder: a binary that cannot say its version is no build. */
async function tryOut(binary: string): Promise<void> {
  const empty = mkdtempSync(join(tmpdir(), "hub-build-"));
  try {
    const child = Bun.spawn([binary, "version"], {
      cwd: empty,
      env: { PATH: process.env.PATH ?? "" },
      stdout: "pipe",
      stderr: "inherit",
    });
    const text = await new Response(child.stdout).text();
    if ((await child.exited) !== 0 || !text.startsWith("hub ")) throw new Error(`${binary} does not start`);
    say(`${binary}: ${text.trim()}`);
  } finally {
    rmSync(empty, { recursive: true, force: true });
  }
}

async function release(targets: readonly Target[]): Promise<void> {
  const folder = join(root, "dist", "release");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const sums: string[] = [];
  for (const target of targets) {
    const outfile = join(folder, `hub-${target}`);
    await compile(outfile, target);
    const hash = new Bun.CryptoHasher("sha256").update(await Bun.file(outfile).arrayBuffer()).digest("hex");
    sums.push(`${hash}  ${basename(outfile)}\n`);
    say(`built ${outfile}`);
  }
  await Bun.write(join(folder, "SHA256SUMS"), sums.join(""));
  const startable = targets.includes("linux-x64-baseline") && process.platform === "linux" && process.arch === "x64";
  if (startable) await tryOut(join(folder, "hub-linux-x64-baseline"));
}

function targetsNamed(names: readonly string[]): readonly Target[] {
  const unknown = names.filter((name) => !TARGETS.some((target) => target === name));
  if (unknown.length > 0) throw new Error(`no target ${unknown.join(", ")}: there are ${TARGETS.join(", ")}`);
  return names.length === 0 ? TARGETS : TARGETS.filter((target) => names.includes(target));
}

async function build([flag, ...names]: readonly string[]): Promise<void> {
  const targets = targetsNamed(names);
  await bundlePlugins();
  await bundlePage(root);
  if (flag === "--embedded") return;
  if (flag === "--release") return release(targets);
  if (flag !== undefined) throw new Error(`no option ${flag}: there are --embedded and --release [TARGET…]`);
  mkdirSync(join(root, "bin"), { recursive: true });
  // Not over a file that may be running: a new one takes its name.
  const outfile = join(root, "bin", "hub");
  rmSync(outfile, { force: true });
  await compile(outfile);
  await tryOut(outfile);
}

await build(process.argv.slice(2));
