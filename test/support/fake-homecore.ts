// A homeCore to move from: its REST API on a real socket, as version 0.1.39 answers, with a small house.
import { Database } from "bun:sqlite";
import { rmSync } from "node:fs";
import { type Entry, makeZip } from "./archives.ts";

export const HOMECORE_TOKEN = "eyJhbGciOiJIUzI1NiJ9.an-administrator-of-homecore.signature";

export interface OldHouseData {
  devices: Record<string, unknown>[];
  areas: unknown[];
  scenes: unknown[];
  rules: { id: string; name: string; enabled: boolean; ron: string | null }[];
  groups: unknown[];
  modes: unknown[];
  users: unknown[];
  calendars: unknown[];
}

export interface FakeHomecore extends Disposable {
  readonly url: string;
  readonly house: OldHouseData;
  /** Paths with their queries, in the order in which they were asked for. */
  readonly asked: readonly string[];
  /** Path → what it answers instead. */
  readonly instead: Map<string, () => Response | Promise<Response>>;
}

export const LIGHT_RULE = "5f8c5f0e-0000-4000-8000-000000000001";
export const SCRIPT_RULE = "5f8c5f0e-0000-4000-8000-000000000002";
export const SCENE = "7d4d5a10-0000-4000-8000-000000000001";

export function startFakeHomecore(house: OldHouseData = smallHouse()): FakeHomecore {
  const asked: string[] = [];
  const instead: FakeHomecore["instead"] = new Map();
  const own = (plugin: string) => house.devices.filter(({ plugin_id }) => plugin_id === plugin);
  const lists: Record<string, () => unknown> = {
    "/areas": () => house.areas,
    "/scenes/export": () => house.scenes,
    "/automations": () => house.rules.map(({ ron: _, ...rule }) => rule),
    "/automations/groups": () => house.groups,
    "/modes": () => house.modes,
    "/timers": () => own("core.timer"),
    "/switches": () => [
      ...own("core.switch"),
      ...own("core.glue").filter(({ device_type }) => device_type === "switch"),
    ],
    "/glue": () => ["core.glue", "core.timer", "core.switch"].flatMap(own),
    "/auth/users": () => house.users,
    "/auth/api-keys": () => [{ id: "k1", label: "wall tablet" }],
    "/calendars": () => house.calendars,
    "/dashboards": () => [{ id: "d1", name: "Home" }],
  };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const url = new URL(request.url);
      const path = url.pathname.replace(/^\/api\/v1/, "");
      asked.push(path + url.search);
      if (request.headers.get("authorization") !== `Bearer ${HOMECORE_TOKEN}`)
        return Response.json({ error: "invalid token" }, { status: 401 });
      const other = instead.get(path);
      if (other) return other();
      if (path === "/devices") return devicePage(house.devices, url.searchParams);
      const ron = /^\/automations\/([^/]+)\/ron$/.exec(path)?.[1];
      if (ron !== undefined) {
        const text = house.rules.find(({ id }) => id === ron)?.ron;
        return text ? new Response(text) : Response.json({ error: "rule has no .ron file backing" }, { status: 404 });
      }
      const list = lists[path];
      return list ? Response.json(list()) : Response.json({ error: "not found" }, { status: 404 });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    house,
    asked,
    instead,
    [Symbol.dispose]: () => void server.stop(true),
  };
}

/** homeCore's default page has 100. */
function devicePage(devices: readonly unknown[], query: URLSearchParams): Response {
  const [limit, offset] = [Number(query.get("limit") ?? 100), Number(query.get("offset") ?? 0)];
  return Response.json(devices.slice(offset, offset + Math.min(limit, 100)), {
    headers: { "X-Total-Count": String(devices.length) },
  });
}

export function device(device_id: string, name: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    ...{ device_id, name, plugin_id: "plugin.hue", available: true, attributes: {}, area: null },
    ...{ last_seen: "2026-11-20T10:00:00.123456789Z", ...more },
  };
}

export function smallHouse(): OldHouseData {
  return {
    devices: [
      device("hue_1", "Extended color light 1", {
        name_override: "Kitchen lamp",
        canonical_name: "kitchen.lamp",
        device_type: "light",
        attributes: { on: true, brightness: 128 },
        manufacturer: "Signify",
        model: "LCA001",
        schema: { attributes: { on: { kind: "bool", writable: true } } },
        status_icon: "mdi:lamp",
      }),
      device("yolink_door", "Back door", { plugin_id: "plugin.yolink", area: "Deck", attributes: { open: false } }),
      device("odd", "Bell\u001b[31m\u0007 tower", { attributes: { ring: 1 } }),
      device("bad/id", "Not possible here"),
      device("timer_bath", "Bathroom fan", {
        plugin_id: "core.timer",
        device_type: "timer",
        attributes: { state: "running", duration_secs: 3600, remaining_secs: 1800, repeat: false },
      }),
      device("timer_tea", "Tea", { plugin_id: "core.timer", device_type: "timer", attributes: { state: "finished" } }),
      device("timer_odd", "Odd", {
        plugin_id: "core.timer",
        device_type: "timer",
        attributes: { state: "running", duration_secs: -1, remaining_secs: 1e300 },
      }),
      device("switch_vacation", "Vacation", {
        plugin_id: "core.switch",
        device_type: "switch",
        attributes: { on: true },
      }),
      device("mode_guests", "Guests", { plugin_id: "core.mode", device_type: "mode", attributes: { on: true } }),
      device("counter_door", "Door opened", {
        plugin_id: "core.glue",
        device_type: "counter",
        attributes: { count: 42 },
      }),
      device("group_doors", "Doors", { plugin_id: "core.glue", device_type: "group", attributes: { on: false } }),
    ],
    areas: [
      { id: "a1f0c1de-0000-4000-8000-000000000001", name: "Kitchen", device_ids: ["hue_1"] },
      { id: "a1f0c1de-0000-4000-8000-000000000002", name: "Living Room", device_ids: [] },
    ],
    scenes: [{ id: SCENE, name: "Movie night", states: { hue_1: { on: true, brightness: 20 } } }],
    rules: [
      { id: LIGHT_RULE, name: "Kitchen light", enabled: true, ron: lightRule() },
      { id: SCRIPT_RULE, name: "Scripted", enabled: true, ron: scriptRule() },
      { id: "5f8c5f0e-0000-4000-8000-000000000003", name: "Without a file", enabled: true, ron: null },
    ],
    groups: [{ id: "g1", name: "While on holiday", rule_ids: [LIGHT_RULE] }],
    modes: [
      {
        config: {
          id: "mode_night",
          name: "Night Mode",
          kind: "solar",
          on_event: "Sunset",
          off_event: "CivilDawn",
          on_offset_minutes: 15,
        },
        state: null,
      },
      {
        config: { id: "mode_guests", name: "Guests", kind: "manual" },
        state: device("mode_guests", "Guests", { plugin_id: "core.mode", attributes: { on: true } }),
      },
    ],
    users: [
      { id: "u1", username: "admin", role: "admin", created_at: "2026-01-01T00:00:00Z" },
      { id: "u2", username: "anna", role: "device_operator", created_at: "2026-01-01T00:00:00Z" },
      { id: "u3", username: "grandma", role: "observer", created_at: "2026-01-01T00:00:00Z" },
      { id: "u4", username: "two words", role: "user", created_at: "2026-01-01T00:00:00Z" },
    ],
    calendars: [],
  };
}

function lightRule(): string {
  return `Rule(id: "${LIGHT_RULE}", name: "Kitchen light", enabled: true, priority: 10, tags: [], trigger: DeviceStateChanged(device_id: "yolink_door", attribute: Some("open"), to: Some(true)), conditions: [], actions: [RuleAction(enabled: true, action: SetDeviceState(device_id: "hue_1", state: {"on": true}))])\n`;
}

function scriptRule(): string {
  return `Rule(id: "${SCRIPT_RULE}", name: "Scripted", enabled: true, priority: 1, tags: [], trigger: ManualTrigger, conditions: [], actions: [RuleAction(enabled: true, action: RunScript(script: "1 + 1"))])\n`;
}

export interface OldBackup {
  /** How many samples of hue_1's brightness, one a second until `until`. */
  samples?: number;
  /** Epoch ms. */
  until?: number;
  extra?: Entry[];
}

/** A backup as homeCore makes it. Its secrets: see the test that looks for them. */
export function makeHomecoreBackup(
  path: string,
  { samples = 100, until = Date.now(), extra = [] }: OldBackup = {},
): void {
  const history = `${path}.history`;
  writeHistory(history, samples, until);
  makeZip(path, [
    { name: "state.redb", content: "redb\u001a\n and pages" },
    { name: "history.db", from: history },
    { name: "config/homecore.toml", content: HOMECORE_TOML },
    { name: "config/mode_definitions.json", content: '[{"mode_id":"mode_movie","on_condition":{}}]' },
    { name: "rules/kitchen_light.ron", content: lightRule() },
    { name: "plugins/plugin.hue/config.toml", content: PLUGIN_TOML },
    ...extra,
  ]);
  rmSync(history, { force: true });
}

function writeHistory(path: string, samples: number, until: number): void {
  using db = new Database(path, { create: true });
  db.run(`CREATE TABLE state_history (id INTEGER PRIMARY KEY AUTOINCREMENT, device_id TEXT NOT NULL,
    attribute TEXT NOT NULL, value TEXT NOT NULL, recorded_at TEXT NOT NULL)`);
  db.run("CREATE INDEX idx_history_device_time ON state_history (device_id, recorded_at)");
  const insert = db.query("INSERT INTO state_history (device_id, attribute, value, recorded_at) VALUES (?, ?, ?, ?)");
  const at = (ms: number) => `${new Date(ms).toISOString().slice(0, -1)}456789+00:00`;
  db.transaction(() => {
    for (let n = samples - 1; n >= 0; n--) insert.run("hue_1", "brightness", String(n), at(until - n * 1000));
    insert.run("yolink_door", "open", "true", at(until - 5000));
    insert.run("yolink_door", "open", "false", at(until - 5000));
    insert.run("yolink_door", "open", "true", at(until - 90 * 86_400_000));
    insert.run("yolink_door", "open", "no json", at(until - 4000));
  })();
}

const HOMECORE_TOML = `
[server]
host = "127.0.0.1"
port = 8080
[location]
latitude = 52.52
longitude = 13.4
timezone = "Europe/Berlin"
[auth]
jwt_secret = "the-old-secret-of-homecore-stays-there"
token_expiry_hours = 12
whitelist = ["127.0.0.1/32"]
[battery]
threshold_pct = 15.0
recover_band_pct = 5.0
notify_channel = "phone"
[broker]
host = "0.0.0.0"
port = 1884
v5_port = 1885
[[broker.clients]]
id = "plugin.hue"
password = "password-of-the-hue-plugin"
allow_pub = ["homecore/#"]
allow_sub = ["homecore/#"]
[[broker.clients]]
id = "zigbee2mqtt"
password = "password-of-zigbee"
allow_pub = ["zigbee2mqtt/#"]
allow_sub = ["zigbee2mqtt/#"]
[[notify.channels]]
name = "phone"
type = "pushover"
api_token = "pushover-application-token"
user_key = "pushover-user-key"
[[notify.channels]]
name = "family"
type = "telegram"
bot_token = "123456:telegram-bot-token"
chat_id = "-100123"
markdown = true
[[plugins]]
id = "plugin.hue"
binary = "plugins/plugin.hue/bin/hc-hue"
config = "plugins/plugin.hue/config/config.toml"
enabled = false
[influx]
enabled = true
`;

const PLUGIN_TOML = `[homecore]
broker_host = "127.0.0.1"
broker_port = 1884
plugin_id = "plugin.hue"
password = "password-of-the-hue-plugin"
`;
