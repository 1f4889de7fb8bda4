// Compiles bin/hub for this machine, or with --release every target into dist/release with its Debian packages, a recipe for a
// container, the TypeScript client and SHA256SUMS; with --release and names of targets, those alone.
// `--embedded` makes only what the sources embed: the plugin bundles and the page; with names, the bundles of those plugins alone.
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { version } from "./package.json";
import { debName, makeDeb } from "./src/app/release/deb.ts";
import { bundlePage } from "./src/page/bundle.ts";

const TARGETS = ["linux-x64", "linux-x64-baseline", "linux-arm64", "linux-x64-musl", "darwin-arm64"] as const;
type Target = (typeof TARGETS)[number];
/** The Debian packages; for every 64-bit PC the one that needs no AVX. */
const PACKAGES: { [target in Target]?: "amd64" | "arm64" } = { "linux-x64-baseline": "amd64", "linux-arm64": "arm64" };
const PLUGINS = {
  sysmon: "plugins/sysmon/main.ts",
  virtual: "plugins/virtual/main.ts",
  matter: "plugins/matter/main.ts",
  sdk: "plugins/sdk/index.ts",
  // Not a plugin: it starts a confined one.
  launcher: "src/reach/plugins/confine/launcher.ts",
};

const root = import.meta.dir;
const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function bundlePlugins(names: readonly string[] = Object.keys(PLUGINS)): Promise<void> {
  const unknown = names.filter((name) => !Object.hasOwn(PLUGINS, name));
  if (unknown.length > 0) throw new Error(`no plugin ${unknown.join(", ")}`);
  for (const [name, entry] of Object.entries(PLUGINS).filter(([name]) => names.includes(name))) {
    const built = await Bun.build({
      entrypoints: [join(root, entry)],
      target: "bun",
      // matter.js finds out by their names what functions are.
      minify: { whitespace: true, syntax: true, keepNames: true },
    });
    const [bundle] = built.outputs;
    if (!built.success || !bundle) throw new AggregateError(built.logs, `bundling ${entry} failed`);
    await Bun.write(join(root, "dist", "plugins", `${name}.bundle.js`), bundle);
  }
}

/**
 * mqtt-packet traces every packet with `debug`, which loads node:tty for its colours and obeys the environment variable DEBUG:
 * it would print passwords. In the executable it is silent.
 */
const silentTraces: Bun.BunPlugin = {
  name: "silent traces",
  setup(build) {
    build.onResolve({ filter: /^debug$/ }, ({ path }) => ({ path, namespace: "silent" }));
    build.onLoad({ filter: /.*/, namespace: "silent" }, () => ({
      contents: "module.exports = () => () => {};",
      loader: "js",
    }));
  },
};

interface Executable {
  outfile: string;
  target?: Target;
  /** What a start uses, as `recordStart` found it. */
  order?: string | undefined;
}

async function compile({ outfile, target, order }: Executable): Promise<void> {
  const built = await Bun.build({
    // Workers are entry points of their own; `new Worker` finds them by their path under src/.
    entrypoints: [
      "main.ts",
      "house/history/worker.ts",
      "reach/plugins/confine/signals/worker.ts",
      "copies/backup/worker.ts",
      "rules/replay/worker.ts",
      "copies/standby/source/worker.ts",
    ].map((entry) => join(root, "src", entry)),
    target: "bun",
    // Names stay: class names are read in logs, and libraries rely on theirs.
    minify: { whitespace: true, syntax: true, identifiers: false },
    bytecode: true,
    // What is imported when it is needed stays on disk until then; and workers share the code they have in common.
    format: "esm",
    splitting: true,
    sourcemap: "none",
    plugins: [silentTraces],
    compile: {
      outfile,
      ...(target ? { target: `bun-${target}` as Bun.Build.CompileTarget } : {}),
      ...(order === undefined ? {} : { bytecodeOrder: order }),
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

const START_LIMIT_MS = 20_000;
const RECORDED_HOME = `[server]
host = "127.0.0.1"
port = 0
[auth]
jwt_secret = "only for the start that is recorded while the hub is built"
[mqtt]
host = "127.0.0.1"
port = 0
[[plugins]]
id = "sysmon"
binary = "plugins/sysmon/bin/sysmon.js"
config = "plugins/sysmon/config/config.toml"
enabled = true
`;

/** The hub for this machine that `recordStart` compiles. */
const recordedIn = (folder: string): string => join(folder, "recorded-hub");

/**
 * Starts a hub twice in a home of its own, and records which code the second start used: that goes to the front of the executable,
 * where a start reads less of the file. Undefined where no hub can be started here: the executable then does the same, a little slower.
 */
async function recordStart(folder: string): Promise<string | undefined> {
  const binary = recordedIn(folder);
  const home = join(folder, "home");
  const order = join(folder, "start.order");
  await compile({ outfile: binary });
  mkdirSync(join(home, "config"), { recursive: true });
  writeFileSync(join(home, "config", "hub.toml"), RECORDED_HOME, { mode: 0o600 });
  for (const recorded of [{}, { BUN_BYTECODE_ORDER_OUT: order }]) {
    const child = Bun.spawn([binary, "serve", "--home", home], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? "", ...recorded },
      stdout: "pipe",
      stderr: "inherit",
      timeout: START_LIMIT_MS,
    });
    let text = "";
    for await (const chunk of child.stdout) {
      text += Buffer.from(chunk).toString();
      if (text.includes("the hub is up")) child.kill("SIGTERM");
    }
    if ((await child.exited) !== 0) break;
  }
  if (existsSync(order)) return order;
  say("no hub could be started here: the executable is not arranged for a quick start");
  return undefined;
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

/** From the document of a hub that runs here. */
async function makeClient(hub: string, folder: string): Promise<string> {
  const child = Bun.spawn([process.execPath, join("src", "app", "release", "client", "build.ts"), hub], {
    cwd: root,
    stdout: "ignore",
    stderr: "inherit",
  });
  if ((await child.exited) !== 0) throw new Error("the TypeScript client could not be made");
  const packed = join(folder, `hub-client-${version}.tgz`);
  copyFileSync(join(root, "dist", "client", "hub-client.tgz"), packed);
  return packed;
}

interface Recorded {
  order: string | undefined;
  /** A hub that runs on this machine. */
  hub: string;
}

async function release(targets: readonly Target[], { order, hub }: Recorded): Promise<void> {
  const folder = join(root, "dist", "release");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const sums: string[] = [];
  async function built(outfile: string): Promise<void> {
    const hash = new Bun.CryptoHasher("sha256").update(await Bun.file(outfile).arrayBuffer()).digest("hex");
    sums.push(`${hash}  ${basename(outfile)}\n`);
    say(`built ${outfile}`);
  }
  for (const target of targets) {
    const executable = join(folder, `hub-${target}`);
    await compile({ outfile: executable, target, order });
    await built(executable);
    const architecture = PACKAGES[target];
    if (!architecture) continue;
    const deb = join(folder, debName({ version, architecture }));
    await Bun.write(deb, await makeDeb({ root, executable, architecture, version }));
    await built(deb);
  }
  if (order !== undefined) await built(await makeClient(hub, folder));
  copyFileSync(join(root, "src", "app", "release", "Containerfile"), join(folder, "Containerfile"));
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
  if (flag === "--embedded" && names.length > 0) return await bundlePlugins(names);
  const targets = targetsNamed(names);
  await bundlePlugins();
  await bundlePage(root);
  if (flag === "--embedded") return;
  if (flag !== undefined && flag !== "--release")
    throw new Error(`no option ${flag}: there are --embedded and --release [TARGET…]`);
  const folder = mkdtempSync(join(tmpdir(), "hub-build-"));
  try {
    const order = await recordStart(folder);
    if (flag === "--release") await release(targets, { order, hub: recordedIn(folder) });
    else await buildHere(order);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function buildHere(order: string | undefined): Promise<void> {
  mkdirSync(join(root, "bin"), { recursive: true });
  // Not over a file that may be running: a new one takes its name.
  const outfile = join(root, "bin", "hub");
  rmSync(outfile, { force: true });
  await compile({ outfile, order });
  await tryOut(outfile);
}

await build(process.argv.slice(2));
