// bun test/bench/soak.ts [HOURS]: a house's day in some minutes, on a clock that is moved on by hand, and whether the memory
// of the hub grows (in a campaign: until its time is up): 100 devices, rules that wait, notifications that fail and succeed, streams that come and go, logins,
// plugins that are restarted, history, backups. Ends with 1 where it grows by a megabyte an hour. By hand only.
import { heapStats } from "bun:jsc";
import { writeFileSync } from "node:fs";
import { connectAsync } from "mqtt";
import { rounds, SEED, tried } from "../support/campaign.ts";
import { servePushes } from "../support/push-server.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { slope } from "./support/slope.ts";
import { type SoakHub, startSoakHub } from "./support/soak-hub.ts";

const HOURS = Number(process.argv[2] ?? 24);
const DEVICES = 100;
const TICK_SECS = 30;
const SAMPLES_AN_HOUR = 4;
const TICKS_A_SAMPLE = 3600 / TICK_SECS / SAMPLES_AN_HOUR;
/** Rings, caches and the code's own compilation fill up first. */
const MAX_WARM_UP_HOURS = 6;
/** What devices report, and what people visit. */
const FIRST_TICK = SEED % 10_000;
const MAX_MB_AN_HOUR = 1;
/**
 * What may come and go however short the time is. RSS alone comes and goes by up to 20 MB (collections, pages that the allocator keeps): in
 * less than this many hours its slope says nothing yet.
 */
const MAX_MB = 8;
const HOURS_FOR_RSS = 8;
const MB = 1_048_576;
const print = (text: string): void => void process.stdout.write(`${text}\n`);

const rule = (id: string, trigger: object, actions: object[], more: object = {}) => ({
  ...{ id, name: id, trigger, actions },
  ...more,
});
const RULES = [
  ...Array.from({ length: 10 }, (_, n) =>
    rule(
      `wait-${n}`,
      { type: "device_state_changed", device_id: `d${n}`, attribute: "on" },
      [
        { type: "delay", duration_secs: 45 },
        { type: "set_device_state", device_id: `d${n + 10}`, state: { on: true } },
      ],
      { run_mode: "restart" },
    ),
  ),
  rule("bell", { type: "periodic", every_secs: 300 }, [
    { type: "notify", channel: "phone", message: "it is {{now}}, {{devices.d1.power}} W" },
  ]),
  rule("oven", { type: "periodic", every_secs: 120 }, [
    { type: "set_device_state", device_id: "oven", state: { command: "start", duration_secs: 60 } },
  ]),
  rule("baked", { type: "timer_state_changed", device_id: "oven", state: "expired" }, [
    { type: "set_hub_variable", name: "baked", value: 1 },
    { type: "fire_event", event_type: "cake" },
  ]),
];

const toml = (push: string): string => `
[server]
host = "127.0.0.1"
port = 0
[auth]
jwt_secret = "the soak signs with this and nobody else does"
[mqtt]
port = 0
[[mqtt.users]]
username = "house"
password = "a password of the house"
publish = ["#"]
subscribe = ["#"]
[backup]
schedule = "0 30 */3 * * *"
keep = 2
[[notify.channels]]
name = "phone"
type = "push_app"
api_key = "application"
user_key = "somebody"
api_url = "${push}"
[[plugins]]
id = "sleeper"
binary = "plugins/sleeper/run"
heartbeat_timeout_secs = 86400
`;

type Ask = (method: string, path: string, body?: unknown) => Promise<Response>;

interface House {
  hub: SoakHub;
  ask: Ask;
  /** Logs in: a token ends after a day. */
  login(): Promise<void>;
}

async function enter(hub: SoakHub): Promise<House & { token: () => string }> {
  let token = "";
  const ask: Ask = async (method, path, body) => {
    const response = await fetch(hub.url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    await response.arrayBuffer();
    if (response.status >= 500) throw new Error(`${method} ${path} answers ${response.status}`);
    return response;
  };
  async function login(): Promise<void> {
    const response = await fetch(`${hub.url}/auth/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(hub.admin),
    });
    ({ token } = (await response.json()) as { token: string });
  }
  await login();
  return { hub, ask, login, token: () => token };
}

async function furnish({ ask }: House): Promise<void> {
  await ask("POST", "/timers", { id: "oven" });
  for (const one of RULES) {
    const { status } = await ask("POST", "/rules", one);
    if (status !== 201) throw new Error(`the rule ${one.id} is refused: ${status}`);
  }
}

/** What people and their pages do, some of it every minute. */
async function visit({ ask, login, hub }: House, tick: number): Promise<void> {
  if (tick % 2 === 0) await ask("GET", `/devices/d${tick % DEVICES}/history?attribute=power`);
  if (tick % 4 === 0)
    await Promise.all(["/devices", "/events?limit=100", "/system/status", "/rules"].map((path) => ask("GET", path)));
  if (tick % 10 === 0) {
    await ask("PATCH", `/devices/d${tick % DEVICES}`, { name: `Device ${tick}` });
    await ask("PUT", `/variables/v${tick % 7}`, { value: tick });
    await ask("PUT", `/rules/wait-${tick % 9}`, { ...RULES[tick % 9], name: `Rule ${tick}` });
  }
  if (tick % 30 === 0) {
    await login();
    await ask("POST", "/auth/login", { username: hub.admin.username, password: "something else" });
    await ask("POST", "/scenes", { id: `s${tick % 90}`, name: "Scene", states: { d1: { on: true } } });
    await ask("DELETE", `/scenes/s${(tick + 30) % 90}`);
  }
}

/** Readers of the stream; each goes after a while and another one comes. */
function readers(hub: SoakHub, token: () => string) {
  const open: WebSocket[] = [];
  let frames = 0;
  return {
    frames: () => frames,
    turn(): void {
      const socket = new WebSocket(`${hub.url.replace("http", "ws")}/events/stream?token=${token()}`);
      socket.addEventListener("message", () => frames++);
      open.push(socket);
      if (open.length > 4) open.shift()?.close();
    },
  };
}

interface Sample {
  rss: number;
  heap: number;
  objects: number;
}

/** After everything that can be collected is. */
async function measure(): Promise<Sample> {
  for (let turn = 0; turn < 3; turn++) {
    Bun.gc(true);
    await Bun.sleep(50);
  }
  const { heapSize, objectCount } = heapStats();
  return { rss: process.memoryUsage().rss / MB, heap: heapSize / MB, objects: objectCount };
}

async function main(): Promise<number> {
  using folder = createTemporaryFolder();
  using pushes = servePushes();
  const clock = createVirtualClock();
  await Bun.$`mkdir -p ${folder.at("plugins/sleeper")}`;
  writeFileSync(folder.at("plugins/sleeper/run"), "#!/bin/sh\nexec sleep 10000\n", { mode: 0o755 });
  await using hub = await startSoakHub(folder, clock, toml(pushes.url));
  const house = await enter(hub);
  const client = await connectAsync({
    ...{ host: "127.0.0.1", port: hub.mqttPort, username: "house", password: "a password of the house" },
    ...{ keepalive: 0, reconnectPeriod: 0 },
  });
  await furnish(house);
  const streams = readers(hub, house.token);
  const samples: Sample[] = [];
  const began = performance.now();
  const live = async (tick: number): Promise<void> => {
    for (let n = 0; n < DEVICES; n++) {
      const state = { power: (tick * 37 + n * 13) % 2000, on: (tick + n) % 8 < 4, text: `tick ${tick % 50}` };
      const sent = client.publishAsync(`hub/devices/d${n}/state`, JSON.stringify(state), { qos: n === 99 ? 1 : 0 });
      if (n === 99) await sent;
    }
    if (tick % 12 === 0) pushes.up = (tick / 12) % 3 !== 0;
    if (tick % 15 === 0) streams.turn();
    // Answers take real time: a clock that ran on meanwhile would make them late.
    await visit(house, tick);
    if (tick % 20 === 0) await house.ask("POST", "/plugins/sleeper/restart");
    await clock.advance(TICK_SECS * 1000);
  };
  for (const before of rounds(HOURS * SAMPLES_AN_HOUR)) {
    for (let tick = 1; tick <= TICKS_A_SAMPLE; tick++) await live(FIRST_TICK + before * TICKS_A_SAMPLE + tick);
    const sample = await measure();
    samples.push(sample);
    const { rss, heap, objects } = sample;
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    print(
      `${samples.length / SAMPLES_AN_HOUR} hours: RSS ${rss.toFixed(1)} MB, heap ${heap.toFixed(1)} MB, ${objects} objects; ${seconds} s`,
    );
  }
  client.end(true);
  print(`stream frames: ${streams.frames()}, pushes taken: ${[...pushes.taken.values()].reduce((a, b) => a + b, 0)}`);
  for (const [line, times] of [...hub.complaints].sort((a, b) => b[1] - a[1]).slice(0, 20))
    print(`  ${times} × ${line}`);
  return judge(samples);
}

function judge(samples: readonly Sample[]): number {
  const hours = samples.length / SAMPLES_AN_HOUR;
  const warmUp = Math.floor(Math.min(MAX_WARM_UP_HOURS, hours / 3) * SAMPLES_AN_HOUR);
  const settled = samples.slice(warmUp);
  const measured = settled.length / SAMPLES_AN_HOUR;
  const [first, last] = [settled[0], settled.at(-1)];
  const growthOf = (key: "rss" | "heap"): number => slope(settled.map((one) => one[key])) * SAMPLES_AN_HOUR;
  const [rss, heap] = [growthOf("rss"), growthOf("heap")];
  const growth =
    `the last ${measured} of ${hours} hours: RSS ${first?.rss.toFixed(1)} → ${last?.rss.toFixed(1)} MB, ${rss.toFixed(2)} MB/h; ` +
    `heap ${first?.heap.toFixed(1)} → ${last?.heap.toFixed(1)} MB, ${heap.toFixed(3)} MB/h`;
  const most = Math.max(MAX_MB_AN_HOUR, MAX_MB / measured);
  const flat = heap < most && (rss < most || measured < HOURS_FOR_RSS);
  tried(growth);
  print(flat ? `flat: ${growth}` : `NOT FLAT, as ${most.toFixed(1)} MB/h is the most: ${growth}`);
  return flat ? 0 : 1;
}

process.exit(await main());
