// Thirty attackers at once for ten minutes, of all the kinds that floods.ts lets loose one by one, and some more, each from a process of
// its own at lower priority: two accounts that flood in nine ways each, seven strangers, five in other ways, and a plugin
// that does its worst where it is. What the house feels of it: the way from another account's state to a rule's command, the
// hub's memory, and what systemd would learn of its watchdog. The twin is the same hub before they come. Only by hand, for an hour of the
// machine's quiet: bun run bench attackers (--brief: one minute). ATTACKERS="retained,searching" lets loose those kinds alone (`wild` is the
// plugin), ATTACKERS_SECONDS=20 for so long: which of them it is.
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openNotifySocket } from "../support/notify-socket.ts";
import { atMost, type Bench, holds } from "./support/bench.ts";
import { FLOODS, type FloodOrder } from "./support/flood-process.ts";
import { watchHealth } from "./support/health-watch.ts";
import { ATTACKS, type AttackOrder } from "./support/other-attacks.ts";
import type { PreparedHub } from "./support/prepared-hub.ts";
import { rssMiB } from "./support/proc.ts";
import { makeDevices, prepareRuleHome } from "./support/rule-home.ts";
import { percentile } from "./support/stats.ts";
import { startNeighbour } from "./support/steady-neighbour.ts";
import { STRANGERS, type StrangerOrder } from "./support/stranger-process.ts";

const MINUTE_MS = 60_000;
const LOOK_EVERY_MS = 100;
const QUIET_MS = 10_000;
const SETTLE_MS = 2000;
const DEVICES = 10;
const NEIGHBOUR = { perSecond: 20, devices: DEVICES };
const HEALTH = { everyMs: 250, withinMs: 3750 };
const WATCHDOG_SECS = 30;
const MAX_COMMAND_MS = 50;
const MAX_WATCHDOG_GAP_SECS = 20;
const MAX_RSS_MIB = 400;
const PASSWORD = "a password of the flood";
const ONLY = process.env.ATTACKERS?.split(",").map((kind) => kind.trim());
const SECONDS = Number(process.env.ATTACKERS_SECONDS ?? 0);
const isLetLoose = (kind: string): boolean => !ONLY || ONLY.includes(kind);
const ALL = 30;
const GUESTS = ["guest", "guest-2"] as const;
const ANNOUNCER = "announcer";
const CUT_OFF = "was cut off";
const WILD = "wild";
const WILD_PROGRAM = `
import { spawn } from "node:child_process";
const children = new Set();
setInterval(() => {
  console.log("y".repeat(10_000));
  if (children.size > 50) return;
  const child = spawn("true");
  children.add(child);
  child.on("exit", () => children.delete(child));
  child.on("error", () => children.delete(child));
}, 1);
`;

export const attackers: Bench = {
  name: "attackers",
  async run(context) {
    const ms = SECONDS > 0 ? SECONDS * 1000 : (context.brief ? 1 : 10) * MINUTE_MS;
    const home = prepareRuleHome({ folder: context.folder, answering: DEVICES, others: 0, asShipped: true });
    letIn(context.folder);
    using systemd = openNotifySocket(join(context.folder, "notify"));
    const watched = watchdogOf(systemd.lines);
    const env = { NOTIFY_SOCKET: systemd.name, WATCHDOG_USEC: String(WATCHDOG_SECS * 1e6) };
    await using hub = await home.start(context.binary, env);
    await makeDevices(hub, DEVICES);
    using neighbour = await startNeighbour(hub.mqttPort, NEIGHBOUR);
    await Bun.sleep(Math.min(QUIET_MS, ms));
    const quiet = [...neighbour.spans];
    const memory = [rssMiB(hub.pid)];
    const looking = setInterval(() => {
      memory.push(rssMiB(hub.pid));
      watched.look();
    }, LOOK_EVERY_MS);
    using health = watchHealth({ port: hub.port, ...HEALTH });
    const token = await viewerToken(hub);
    const sent = orders(hub, { ms, token });
    if (!ONLY && sent.length !== ALL) throw new Error(`there are ${sent.length} attackers, not ${ALL}`);
    const unknown = ONLY?.filter((kind) => kind !== WILD && !sent.some(([, order]) => kindOf(order) === kind)) ?? [];
    if (unknown.length > 0) throw new Error(`there is no attacker ${unknown.join(", ")}`);
    const attacking = sent.map(([file, order]) => attack(file, order, ms));
    // Where the plugin is alone.
    const [said] = await Promise.all([Promise.all(attacking), Bun.sleep(ms)]);
    await Bun.sleep(SETTLE_MS);
    clearInterval(looking);
    for (const line of said) context.say(line);
    const spans = neighbour.spans.slice(quiet.length);
    const unanswered = neighbour.isCutOff ? Number.POSITIVE_INFINITY : neighbour.waiting - 1;
    const most = Math.max(...memory);
    context.say(figures({ spans, health: health.spans, missed: health.missed, memory, gap: watched.maxSecs() }));
    return [
      holds(
        `${sent.length} attackers went on to the end`,
        said.every((line) => !line.endsWith(CUT_OFF)),
      ),
      atMost("state to command p99, ms", percentile(spans, 99), percentile(quiet, 99), MAX_COMMAND_MS, "ms"),
      atMost("states never answered", Math.max(0, unanswered), undefined, 0, ""),
      atMost("longest gap of the watchdog, s", watched.maxSecs(), WATCHDOG_SECS / 2, MAX_WATCHDOG_GAP_SECS, "s"),
      atMost("RSS at most, MiB", most, undefined, MAX_RSS_MIB, "MiB"),
      holds("it is the same process", isAlive(hub.pid)),
    ];
  },
};

/** Accounts for those who have one, and the plugin. */
function letIn(folder: string): void {
  const account = (username: string, more = "") =>
    `\n[[mqtt.users]]\nusername = "${username}"\npassword = "${PASSWORD}"\n${more}`;
  const toml = [
    ...GUESTS.map((name) => account(name)),
    account(ANNOUNCER, 'publish = ["homeassistant/#", "flood/#"]\n'),
  ];
  if (isLetLoose(WILD)) toml.push(`\n[[plugins]]\nid = "${WILD}"\nbinary = "plugins/wild/bin/wild.js"\n`);
  appendFileSync(join(folder, "config", "hub.toml"), toml.join(""));
  mkdirSync(join(folder, "plugins", WILD, "bin"), { recursive: true });
  writeFileSync(join(folder, "plugins", WILD, "bin", "wild.js"), WILD_PROGRAM);
}

async function viewerToken(hub: PreparedHub): Promise<string> {
  await hub.post("/auth/users", { username: "viewer", password: PASSWORD, role: "viewer" });
  const answer = await fetch(`http://127.0.0.1:${hub.port}/api/v1/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username: "viewer", password: PASSWORD }),
  });
  return ((await answer.json()) as { token: string }).token;
}

type Order = FloodOrder | StrangerOrder | AttackOrder;

const kindOf = (order: Order): string => ("flood" in order ? order.flood : order.attack);

/** Thirty, beside the plugin; fewer where only some kinds are let loose. */
function orders({ port, mqttPort }: PreparedHub, { ms, token }: { ms: number; token: string }): [string, Order][] {
  const floods = GUESTS.flatMap((username) =>
    FLOODS.map((flood): [string, Order] => [
      "flood-process.ts",
      { flood, port, mqttPort, ms, username, password: PASSWORD },
    ]),
  );
  const strangers = STRANGERS.map((flood): [string, Order] => ["stranger-process.ts", { flood, port, ms }]);
  const account = { username: ANNOUNCER, password: PASSWORD, token };
  const others = ATTACKS.map((kind): [string, Order] => [
    "other-attacks.ts",
    { attack: kind, port, mqttPort, ms, ...account },
  ]);
  return [...floods, ...strangers, ...others].filter(([, order]) => isLetLoose(kindOf(order)));
}

async function attack(file: string, order: Order, ms: number): Promise<string> {
  const script = new URL(`support/${file}`, import.meta.url).pathname;
  const child = Bun.spawn(["nice", "-n", "19", process.execPath, script, JSON.stringify(order)], {
    stdout: "pipe",
    stderr: "ignore",
  });
  const timeout = setTimeout(() => child.kill("SIGKILL"), ms + 10_000);
  const text = await child.stdout.text();
  await child.exited;
  clearTimeout(timeout);
  return `${kindOf(order)}: ${text.trim() || CUT_OFF}`;
}

/** When the hub reported to systemd that it is well. */
function watchdogOf(lines: () => string[]): { look(): void; maxSecs(): number } {
  let seen = 0;
  let last = performance.now();
  let longest = 0;
  const beats = (): number => lines().filter((line) => line === "WATCHDOG=1").length;
  return {
    look() {
      const now = performance.now();
      longest = Math.max(longest, now - last);
      const count = beats();
      if (count > seen) last = now;
      seen = count;
    },
    maxSecs: () => longest / 1000,
  };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

interface Seen {
  spans: readonly number[];
  health: readonly number[];
  missed: number;
  memory: readonly number[];
  gap: number;
}

function figures({ spans, health, missed, memory, gap }: Seen): string {
  const of = (values: readonly number[]) =>
    [50, 95, 99, 100].map((percent) => percentile(values, percent).toFixed(1)).join(" / ");
  return `state to command ${of(spans)} ms (p50 / p95 / p99 / most), /health ${of(health)} ms, ${missed} missed, RSS ${of(memory)} MiB, course ${course(memory)}, watchdog ${gap.toFixed(1)} s`;
}

/** Twenty of them, over the whole time. */
function course(values: readonly number[]): string {
  const every = Math.max(1, Math.floor(values.length / 20));
  return values
    .filter((_, index) => index % every === 0)
    .map((value) => value.toFixed(0))
    .join(" ");
}
