// A house in which the commands of the documents can be run as they are printed: its hub on ports of its own, the devices, rules and
// accounts that the documents speak of, and a shell with the programs that they use.
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { MqttClient } from "mqtt";
import { COORDINATOR, LAMP } from "../house/discovery/zigbee2mqtt-house.ts";
import { freePort } from "../support/free-port.ts";
import { createHubPlace, type HubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { until } from "../support/wait.ts";
import { blocksOf } from "./printed-commands.ts";

export interface DocumentedHouse extends AsyncDisposable {
  readonly place: HubPlace;
  readonly hub: HubProcess;
  /** Where commands are run: with `bin/hub` and `home/`, as in a checkout. */
  readonly folder: string;
  readonly key: string;
  stop(): Promise<void>;
  start(): Promise<void>;
  openShell(): Promise<Shell>;
}

export interface Ran {
  code: number;
  output: string;
}

export interface Shell extends Disposable {
  run(command: string): Promise<Ran>;
}

const CAPABILITIES = {
  type: "object",
  properties: {
    on: { type: "boolean" },
    brightness_pct: { type: "number", minimum: 0, maximum: 100 },
    color_temp_k: { type: "integer", minimum: 2000, maximum: 6500 },
    color_rgb: { type: "string" },
    position: { type: "number", minimum: 0, maximum: 100 },
    target_temperature: { type: "number", minimum: 5, maximum: 30 },
    locked: { type: "boolean" },
    open: { type: "boolean" },
  },
};
const DEVICES = ["hall_lamp", "blind", "radiator", "front_door", "desk_lamp", "bed_lamp", "hall_plug", "porch_lamp"];
const DOORBELL = `name = "Doorbell"
[trigger]
type = "webhook_received"
path = "doorbell"
secret = "change-me-to-24-characters"
[[actions]]
type = "log_message"
message = "somebody is at the door"
`;
const CALENDAR = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//a//b\r\nEND:VCALENDAR\r\n";

const tomlOf = (folder: string, inbox: string): string => `
[discovery]
approve = "ask"
accept = ["zigbee2mqtt:*", "mqtt:*"]
[[mqtt.users]]
username = "garage"
password = "garage secret"
[[mqtt.users]]
username = "you"
password = "secret"
publish = ["#"]
subscribe = ["#"]
[[mqtt.users]]
username = "bridge"
password = "of the bridge"
[[notify.channels]]
name = "phone"
type = "webhook"
url = "${inbox}"
allow_local = true
[[calendars]]
id = "family"
file = "config/family.ics"
[backup]
passphrase = "four words of our own"
[[backup.targets]]
type = "folder"
name = "cloud"
directory = "${folder}/cloud"
`;

export async function startDocumentedHouse(): Promise<DocumentedHouse> {
  const place = createHubPlace(null);
  const folder = dirname(place.home);
  const inbox = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const [port, mqttPort] = [freePort(), freePort()];
  await place.run(["init"]);
  const hubToml = place
    .read("config", "hub.toml")
    .replace(/^host = "0.0.0.0"/m, 'host = "127.0.0.1"')
    .replace(/^port = 8080/m, `port = ${port}`)
    .replace(/^port = 1883/m, `port = ${mqttPort}`)
    // The sections that the template has are given whole below.
    .replace(/^\[(discovery|backup)\]$/gm, "# [$1]");
  place.put("config/hub.toml", hubToml + tomlOf(folder, `http://127.0.0.1:${inbox.port}/`), 0o600);
  place.put("config/family.ics", CALENDAR);
  place.put("config/modes.toml", '[[modes]]\nid = "away"\nname = "Nobody at home"\nkind = "manual"\n');
  place.put("rules/door-light.ron", blocksOf("README.md").find(({ language }) => language === "ron")?.text ?? "");
  place.put("rules/doorbell.toml", DOORBELL);
  for (const name of ["cloud", "bin", "tools", "opt"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "cloud", ".hub-backup-target"), "");
  for (const name of ["bin/hub", "hub-linux-arm64", "tools/hub"]) symlinkSync(place.binary, join(folder, name));
  layOutTools(join(folder, "tools"), mqttPort);
  let hub = await place.start();
  const clients = await furnish(hub);
  const body = { label: "documents", role: "admin" };
  const { key } = (await hub.request("POST", "/auth/api-keys", { body })).json<{ key: string }>();
  return {
    ...{ place, folder, key },
    get hub() {
      return hub;
    },
    stop: () => hub.end(),
    async start() {
      hub = await place.start();
    },
    openShell: async () => openShell({ folder, home: place.home, api: hub.api, token: await hub.adminToken() }),
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.end(true);
      await inbox.stop(true);
      await place[Symbol.asyncDispose]();
    },
  };
}

/** Refusals of the API become those of curl, which asks this machine alone; MQTT goes to the house's own port; nobody becomes root. */
function layOutTools(folder: string, mqttPort: number): void {
  const tools = {
    curl: `case "$*" in *://127.0.0.1:*) ;; *) echo "not on this machine: $*"; exit 97 ;; esac\nexec "${Bun.which("curl")}" --fail-with-body --max-time 60 "$@"`,
    mosquitto_pub: `exec "${Bun.which("mosquitto_pub")}" -p ${mqttPort} "$@"`,
    mosquitto_sub: `exec "${Bun.which("mosquitto_sub")}" -p ${mqttPort} "$@"`,
    sudo: 'exec "$@"',
  };
  for (const [name, line] of Object.entries(tools)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${line}\n`);
    chmodSync(join(folder, name), 0o755);
  }
}

/** The devices of the documents: of a plugin that does as it is commanded, of Zigbee2MQTT, and two that wait for a yes. */
async function furnish(hub: HubProcess): Promise<MqttClient[]> {
  const all = await hub.mqtt({ username: "you", password: "secret" });
  const say = (topic: string, payload: unknown, retain = false): Promise<unknown> =>
    all.publishAsync(topic, typeof payload === "string" ? payload : JSON.stringify(payload), { qos: 1, retain });
  const bridge = await hub.mqtt({ username: "bridge", password: "of the bridge" });
  await actAsPlugin(bridge);
  for (const device_id of DEVICES) {
    const device = {
      device_id,
      plugin_id: "bridge",
      name: device_id,
      device_type: "light",
      capabilities: CAPABILITIES,
    };
    await bridge.publishAsync("hub/plugins/bridge/register", JSON.stringify(device), { qos: 1 });
    await bridge.publishAsync(`hub/devices/${device_id}/availability`, "online", { qos: 1 });
    await bridge.publishAsync(`hub/devices/${device_id}/state`, '{"on":false,"open":true}', { qos: 1 });
  }
  await say("zigbee2mqtt/bridge/state", { state: "online" }, true);
  await say("zigbee2mqtt/bridge/info", { version: "2.1.0", permit_join: false, config: {} }, true);
  await say("zigbee2mqtt/bridge/devices", [COORDINATOR, LAMP], true);
  await say(`zigbee2mqtt/${LAMP.friendly_name}/availability`, { state: "online" }, true);
  await hub.request("POST", "/areas", { body: { id: "kitchen", name: "The kitchen" } });
  for (const name of ["one", "two"]) {
    const device = { identifiers: [name], name: `Neighbour ${name}` };
    const config = { name: "Heat", unique_id: name, state_topic: `n/${name}`, device };
    await say(`homeassistant/sensor/${name}/config`, config, true);
  }
  const ids = [...DEVICES, LAMP.ieee_address, "zigbee2mqtt_bridge", "sysmon_cpu"];
  await until("the devices are there", async () => {
    const found = await hub.get<{ id: string }[]>("/devices");
    return ids.every((id) => found.some((one) => one.id === id));
  });
  await until("two wait for a yes", async () => {
    const found = await hub.get<{ state: string }[]>("/discovery");
    return found.filter(({ state }) => state === "waiting").length === 2;
  });
  return [all, bridge];
}

async function actAsPlugin(bridge: MqttClient): Promise<void> {
  const report = (topic: string, payload: unknown, retain = false): void =>
    void bridge.publishAsync(`hub/plugins/bridge/${topic}`, JSON.stringify(payload), { qos: 1, retain });
  bridge.on("message", (topic, payload) => {
    const said = JSON.parse(payload.toString()) as { _hc?: unknown; request_id?: string; action?: string };
    if (topic.startsWith("hub/devices/")) {
      const { _hc, ...wanted } = said;
      const state = topic.replace(/cmd$/, "state/partial");
      void bridge.publishAsync(state, JSON.stringify(wanted), { qos: 1 });
      return;
    }
    const { request_id, action } = said;
    report("manage/response", { request_id, status: action === "pair" ? "accepted" : "ok" });
    if (action === "pair") report(`commands/${request_id}/events`, { stage: "awaiting_user", request_id }, true);
  });
  await bridge.subscribeAsync(["hub/devices/+/cmd", "hub/plugins/bridge/manage/cmd"], { qos: 1 });
  const pair = { id: "pair", label: "Pair", params: { type: "object" }, stream: true, cancelable: true };
  report("capabilities", { spec: "1", plugin_id: "bridge", actions: [{ ...pair, requires_role: "admin" }] }, true);
  report("heartbeat", { version: "1.0.0", device_count: DEVICES.length });
}

const END = "@@ended with ";

interface ShellOptions {
  folder: string;
  home: string;
  api: string;
  token: string;
}

/** One shell for a document, so that what it sets stays set; each command has its own end and exit code. */
function openShell({ folder, home, api, token }: ShellOptions): Shell {
  const scratch = join(folder, "user");
  rmSync(scratch, { recursive: true, force: true });
  // As fish makes it when it runs for the first time.
  mkdirSync(join(scratch, ".config/fish/completions"), { recursive: true });
  const child = Bun.spawn(["bash", "--norc", "-o", "pipefail"], {
    cwd: folder,
    env: {
      ...{ HOME: scratch, PATH: `${join(folder, "tools")}:${process.env.PATH ?? ""}`, TERM: "dumb" },
      ...{ HUB_HOME: home, API: api, TOKEN: token },
    },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  let output = "";
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const bytes of child.stdout) output += decoder.decode(bytes, { stream: true });
  })();
  return {
    async run(command) {
      output = "";
      child.stdin.write(`{ ${command}\n} 2>&1; printf '\\n${END}%s@@\\n' $?\n`);
      child.stdin.flush();
      const ended = await until(`it ends: ${command}`, () => new RegExp(`${END}(\\d+)@@`).exec(output), {
        timeoutMs: 60_000,
      });
      return { code: Number(ended[1]), output: output.slice(0, ended.index).trim() };
    },
    [Symbol.dispose]() {
      child.kill("SIGKILL");
      void reading;
    },
  };
}
