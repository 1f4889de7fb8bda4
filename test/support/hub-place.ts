// Where a system test's hub lives: the binary alone in an empty foreign folder, a home of its own beside it.
import { copyFileSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { draftPath } from "../../src/db/reading-draft.ts";
import { type HubProcess, MQTT_ACCOUNT, type StartOptions, spawnHub, type Whereabouts } from "./hub-process.ts";
import { processesOf } from "./processes.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";
import { soon, until } from "./wait.ts";

export const SECRET = "system-tests-sign-with-this-and-nobody-else-does";
const HUB_BINARY = resolve(process.env.HUB_BINARY ?? join(import.meta.dir, "..", "..", "bin", "hub"));

export interface HubSettings {
  /** Keys of [server], of [auth], of [mqtt], and whole sections behind them. */
  server?: string;
  auth?: string;
  mqtt?: string;
  toml?: string;
}

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** `cwd` is the foreign folder; it holds the binary and nothing else. */
export interface HubPlace extends Whereabouts, AsyncDisposable {
  at(...parts: string[]): string;
  read(...parts: string[]): string;
  /** Puts a file into the home. */
  put(path: string, content: string, mode?: number): void;
  configure(settings: HubSettings): void;
  /** One command of the command line, to its end. */
  run(args: string[], options?: { stdin?: string; env?: Record<string, string>; uid?: number }): Promise<Ran>;
  /** Starts the hub and waits until it is up. */
  start(options?: StartOptions): Promise<HubProcess>;
  /** The same with the executable in the home, as a service does. The home must be laid out. */
  startFromHome(): Promise<HubProcess>;
}

export function configText({ server = "", auth = "", mqtt = "", toml = "" }: HubSettings = {}): string {
  const { username, password } = MQTT_ACCOUNT;
  return `[server]
host = "127.0.0.1"
port = 0
${server}
[auth]
jwt_secret = "${SECRET}"
${auth}
[mqtt]
port = 0
${mqtt}
[[mqtt.users]]
username = "${username}"
password = "${password}"
publish = ["#"]
subscribe = ["#"]
[[mqtt.users]]
username = "lamps"
password = "mqtt-password-of-lamps"
${toml}`;
}

/** A new place. With `null` its home does not exist yet; `elsewhere` puts it somewhere else; `source`: the binary. */
export function createHubPlace(
  settings: HubSettings | null = {},
  elsewhere?: string,
  source: string = HUB_BINARY,
): HubPlace {
  const folder = createTemporaryFolder();
  const home = elsewhere ?? folder.at("home");
  const cwd = folder.at("elsewhere");
  mkdirSync(cwd);
  const binary = join(cwd, "hub");
  placeBinary(source, binary);
  const started: HubProcess[] = [];

  const place: HubPlace = {
    home,
    cwd,
    binary,
    admin: undefined,
    at: (...parts) => join(home, ...parts),
    read: (...parts) => readFileSync(join(home, ...parts), "utf8"),
    put(path, content, mode = 0o644) {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), content, { mode });
    },
    configure: (edited) => place.put("config/hub.toml", configText(edited), 0o600),
    async run(args, { stdin = "", env = {}, uid } = {}) {
      const as = uid === undefined ? [] : ["setpriv", `--reuid=${uid}`, "--clear-groups", `--regid=${uid}`];
      const child = Bun.spawn([...as, binary, ...args], {
        cwd,
        env: { PATH: process.env.PATH ?? "", HUB_HOME: home, ...env },
        stdin: new TextEncoder().encode(stdin),
        stdout: "pipe",
        stderr: "pipe",
      });
      const both = Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
      try {
        const code = await soon(`hub ${args.join(" ")} ends`, child.exited);
        const [stdout, stderr] = await both;
        return { code, stdout, stderr };
      } finally {
        child.kill("SIGKILL");
      }
    },
    async start(options) {
      const hub = spawnHub(place, options);
      started.push(hub);
      await hub.up();
      return hub;
    },
    async startFromHome() {
      const hub = spawnHub({ ...place, binary: place.at("bin", "hub") });
      started.push(hub);
      await hub.up();
      return hub;
    },
    async [Symbol.asyncDispose]() {
      try {
        await Promise.all(started.map((hub) => hub.end()));
        await until(`nothing of ${home} runs any more`, () => processesOf(home).length === 0);
      } finally {
        for (const pid of processesOf(home)) process.kill(pid, "SIGKILL");
        // Of a hub that was killed, and never started again.
        rmSync(draftPath(join(home, "data", "readings")) ?? "", { force: true });
        folder[Symbol.dispose]();
      }
    },
  };
  if (settings) place.configure(settings);
  return place;
}

// A hard link to one copy: the tree's own binary may be built anew meanwhile.
function placeBinary(source: string, target: string): void {
  if (!existsSync(source)) throw new Error(`${source} is missing: bun run build`);
  try {
    linkSync(source, target);
  } catch {
    rmSync(target, { force: true });
    copyFileSync(source, target);
  }
}
