// Where a system test's hub lives: the binary alone in an empty foreign folder, a home of its own beside it.
import { copyFileSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { draftPath } from "../../src/server/db/reading-draft.ts";
import {
  HERE,
  type HubProcess,
  MQTT_ACCOUNT,
  type OtherMachine,
  type StartOptions,
  spawnHub,
  type Whereabouts,
} from "./hub-process.ts";
import { copyPreparedHome } from "./prepared-home.ts";
import { processesOf } from "./processes.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";
import { soon, until } from "./wait.ts";

export const SECRET = "system-tests-sign-with-this-and-nobody-else-does";
const HUB_BINARY = resolve(process.env.HUB_BINARY ?? join(import.meta.dir, "..", "..", "bin", "hub"));

export interface HubSettings {
  /** Keys of [server], of [auth], of [mqtt], and whole sections behind them. */
  server?: string;
  /** 127.0.0.1, and any free port, without them. */
  host?: string | undefined;
  port?: number | undefined;
  auth?: string;
  mqtt?: string;
  toml?: string;
}

export interface PlaceSettings extends HubSettings {
  /** Its first start makes the administrator and lays out the files; otherwise it finds both. */
  isEmpty?: boolean;
}

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** `cwd` is the foreign folder; it holds the binary and nothing else. */
export interface HubPlace extends Whereabouts, AsyncDisposable {
  readonly machine: OtherMachine;
  at(...parts: string[]): string;
  read(...parts: string[]): string;
  /** Puts a file into the home. */
  put(path: string, content: string, mode?: number): void;
  configure(settings: HubSettings): void;
  /** One command of the command line, to its end. */
  run(args: string[], options?: { stdin?: string; env?: Record<string, string>; uid?: number }): Promise<Ran>;
  /** Starts the hub and waits until it is up. In a new home, which is not to be empty, it starts as after a first start. */
  start(options?: StartOptions): Promise<HubProcess>;
  /** Makes the home what a first start leaves of it. */
  layOut(): Promise<void>;
  /** The same with the executable in the home, as a service does. */
  startFromHome(): Promise<HubProcess>;
}

export function configText({
  server = "",
  host = "127.0.0.1",
  port = 0,
  auth = "",
  mqtt = "",
  toml = "",
}: HubSettings = {}): string {
  const { username, password } = MQTT_ACCOUNT;
  return `[server]
host = "${host}"
port = ${port}
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

/** A new place. With `null` its home does not exist yet; `elsewhere` puts it somewhere else; `source`: the binary; `machine`: what runs it. */
export function createHubPlace(
  settings: PlaceSettings | null = {},
  elsewhere?: string,
  source: string = HUB_BINARY,
  machine: OtherMachine = HERE,
): HubPlace {
  const folder = createTemporaryFolder();
  const home = elsewhere ?? folder.at("home");
  const cwd = folder.at("elsewhere");
  mkdirSync(cwd);
  const binary = join(cwd, "hub");
  placeBinary(source, binary);
  const started: HubProcess[] = [];
  /** Answers whether the home is as after a start. */
  const prepare = async (): Promise<boolean> => {
    if (existsSync(place.at("data"))) return true;
    if (settings === null || settings.isEmpty) return false;
    // Another version may not know what is in it, and with another secret the token is none.
    if (source !== HUB_BINARY || !place.read("config", "hub.toml").includes(SECRET)) return false;
    place.admin = await copyPreparedHome(home, { binary: source, secret: SECRET, firstStart });
    return true;
  };

  const place: HubPlace = {
    home,
    cwd,
    binary,
    machine,
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
      const child = Bun.spawn(machine.on([...as, binary, ...args]), {
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
      await prepare();
      const hub = spawnHub(place, options);
      started.push(hub);
      await hub.up();
      return hub;
    },
    async layOut() {
      if (!(await prepare())) await (await place.start()).end();
      mkdirSync(place.at("bin"), { recursive: true });
      if (!existsSync(place.at("bin", "hub"))) placeBinary(binary, place.at("bin", "hub"));
    },
    async startFromHome() {
      await place.layOut();
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

async function firstStart(home: string): Promise<{ username: string; password: string; token: string }> {
  await using place = createHubPlace({ isEmpty: true }, home);
  const hub = await place.start();
  if (!place.admin) throw new Error(`no administrator was made:\n${hub.output}`);
  return { ...place.admin, token: await hub.adminToken() };
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
