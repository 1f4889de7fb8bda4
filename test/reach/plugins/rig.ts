// The plugins of a home in a temporary folder, and a record of what they did.
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LimitReached } from "../../../src/kit/lifecycle/limits.ts";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import { checkValue } from "../../../src/kit/schema/schema.ts";
import { type Clock, systemClock } from "../../../src/kit/time/clock.ts";
import { type PluginEntry, PluginsSection } from "../../../src/reach/plugins/config.ts";
import { type Landlock, probeLandlock } from "../../../src/reach/plugins/confine/landlock.ts";
import { type Namespaces, probeNamespaces } from "../../../src/reach/plugins/confine/namespaces.ts";
import type { ManageChannel } from "../../../src/reach/plugins/requests/remote.ts";
import { createPlugins, type Plugins } from "../../../src/reach/plugins/supervisor.ts";
import type { HubEvent } from "../../../src/server/events/catalog.ts";
import { type Home, homeAt } from "../../../src/server/home/paths.ts";

export const PASSWORD = "s3cret-Pass_word-0123456789";

export interface Rig extends AsyncDisposable {
  plugins: Plugins;
  home: Home;
  events: HubEvent[];
  issued: string[];
  revoked: string[];
  keysRevoked: string[];
  /** Plugins that gave a sign of life. */
  seen: string[];
  unavailable: string[];
  reached: LimitReached[];
  warned: string[];
  types(): string[];
  statuses(id?: string): string[];
}

export interface RigOptions {
  /** Ids of plugins that connected to an earlier run. */
  known?: string[];
  clock?: Clock;
  env?: Record<string, string | undefined>;
  broker?: { host: string; port: number; prefix: string };
  /** A kernel's support of Landlock; this machine's own when absent. */
  landlock?: () => Landlock;
  /** Whether it lets the hub make namespaces; as this machine does when absent. */
  namespaces?: () => Namespaces;
  /** Whether its kernel filters system calls; as this one when absent. */
  filtersCalls?: () => boolean;
  secrets?: string[];
  /** The MQTT messages to plugins; they go nowhere when absent. */
  channel?: ManageChannel;
}

/** Files are written below the home; those beginning with `#!` are made executable. */
export function createRig(entries: object[], files: Record<string, string>, options: RigOptions = {}): Rig {
  const home = homeAt(mkdtempSync(join(tmpdir(), "hub-plugins-")));
  for (const [path, text] of Object.entries(files)) {
    const file = home.resolve(path);
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, text);
    if (text.startsWith("#!")) chmodSync(file, 0o755);
  }
  const events: HubEvent[] = [];
  const issued: string[] = [];
  const revoked: string[] = [];
  const keysRevoked: string[] = [];
  const seen: string[] = [];
  const unavailable: string[] = [];
  const { known = [] } = options;
  const reached: LimitReached[] = [];
  const warned: string[] = [];
  const plugins = createPlugins({
    entries: entriesOf(entries),
    home,
    execPath: process.execPath,
    env: options.env ?? { PATH: process.env.PATH },
    clock: options.clock ?? systemClock,
    log: { ...silentLog, warn: (text, details) => void warned.push(`${text} ${JSON.stringify(details)}`) },
    // No jitter in pauses, but unique marks, as these tests may run twice at the same time.
    random: (bytes) => (bytes < 16 ? new Uint8Array(bytes) : crypto.getRandomValues(new Uint8Array(bytes))),
    emit: (event) => void events.push(event),
    broker: () => options.broker ?? { host: "127.0.0.1", port: 1883, prefix: "hub" },
    keys: {
      issue: (id) => ({ url: "http://127.0.0.1:8080/api/v1", token: `key-of-${id}` }),
      revoke: (id) => void keysRevoked.push(id),
    },
    accounts: {
      issue(id) {
        issued.push(id);
        return PASSWORD;
      },
      revoke: (id) => void revoked.push(id),
    },
    channel: options.channel ?? { async send() {}, async clearEvents() {} },
    devices: { count: () => 2, markSeen: (id) => void seen.push(id), unavailable: (id) => void unavailable.push(id) },
    known: { load: () => known, save: (ids) => void known.splice(0, known.length, ...ids) },
    limits: { reached: (limit) => void reached.push(limit) },
    landlock: options.landlock ?? probeLandlock,
    namespaces: options.namespaces ?? probeNamespaces,
    filtersCalls: options.filtersCalls,
    secrets: options.secrets ?? [],
  });
  return {
    plugins,
    home,
    events,
    issued,
    revoked,
    keysRevoked,
    seen,
    unavailable,
    reached,
    warned,
    types: () => events.map(({ type }) => type),
    statuses: (id) =>
      events.flatMap((event) =>
        event.type === "plugin_status_changed" && (id === undefined || event.plugin_id === id)
          ? [String((event as { status: unknown }).status)]
          : [],
      ),
    async [Symbol.asyncDispose]() {
      await plugins[Symbol.asyncDispose]();
      rmSync(home.root, { recursive: true, force: true });
    },
  };
}

export function entriesOf(entries: object[]): PluginEntry[] {
  const checked = checkValue(PluginsSection, entries);
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
  return checked.value;
}

type Truthy<T> = Exclude<T, false | null | undefined>;

/** Polls until `condition` gives something truthy, and returns it. */
export async function until<T>(what: string, condition: () => T, deadlineMs = 45_000): Promise<Truthy<T>> {
  const end = performance.now() + deadlineMs;
  for (;;) {
    const result = condition();
    if (result) return result as Truthy<T>;
    if (performance.now() > end) throw new Error(`not in time: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Whether the process runs; false for a zombie. */
export function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const state = Bun.spawnSync(["ps", "-o", "stat=", "-p", String(pid)])
    .stdout.toString()
    .trim();
  return state !== "" && !state.startsWith("Z");
}

/** A process id that a script wrote into a file, once it is complete. */
export function pidIn(path: string): number | undefined {
  const text = textOf(path);
  return text?.endsWith("\n") ? Number(text) : undefined;
}

export function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
