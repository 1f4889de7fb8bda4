// A house for the Matter bridge: a compiled hub, and devices that do what they are commanded, over MQTT.
import type { MqttClient } from "mqtt";
import { createHubPlace, type HubPlace } from "../../support/hub-place.ts";
import type { HubProcess } from "../../support/hub-process.ts";
import { until } from "../../support/wait.ts";
import { type Furniture, furniture } from "./devices.ts";

type State = Record<string, unknown>;

export interface House extends AsyncDisposable {
  hub: HubProcess;
  /** What the devices were commanded, the latest last. */
  readonly commands: { id: string; command: State; atMs: number }[];
  publishState(id: string, state: State): Promise<void>;
  /** Further devices. */
  add(devices: Record<string, Furniture>): Promise<void>;
  /** As its plugin says it. */
  reachable(id: string, isReachable: boolean): Promise<void>;
  /** What the plugin's action answers. */
  act<T>(action: string, params?: State): Promise<T>;
  /** As on the plugin's page; waits until it works with it. */
  configure(config: State): Promise<void>;
  restart(): Promise<void>;
  /** To a new home, by a backup; plugins' settings are copied by hand. */
  move(): Promise<void>;
}

/** The rights of the account that the devices use are those of the tester of system tests. */
const TOML = `
[[plugins]]
id = "matter"
binary = "plugins/matter/bin/matter.js"
config = "plugins/matter/config/config.toml"
api = "user"
`;
const LOCK = 'devices = ["front.door"]\nareas = ["House"]\n';

export async function furnish(binary: string): Promise<House> {
  let place = createHubPlace({ toml: TOML }, undefined, binary);
  const olds: HubPlace[] = [];
  await place.run(["init"]);
  place.put("plugins/matter/config/config.toml", LOCK);
  const devices = furniture();
  const commands: House["commands"] = [];
  let client: MqttClient | undefined;

  async function startHub(): Promise<HubProcess> {
    const hub = await place.start();
    client?.end(true);
    client = await hub.mqtt();
    client.on("message", (topic, payload) => {
      const id = topic.split("/")[2] ?? "";
      const { _hc, ...command } = JSON.parse(payload.toString());
      commands.push({ id, command, atMs: performance.now() });
      const device = devices[id];
      if (!device) return;
      if (device.refuses !== undefined) {
        const { correlation_id } = _hc.command;
        const refusal = { device_id: id, correlation_id, reason: device.refuses };
        client?.publish("hub/events/command_refused", JSON.stringify(refusal), { qos: 1 });
        return;
      }
      device.state = { ...device.state, ...command };
      client?.publish(`hub/devices/${id}/state`, JSON.stringify(device.state), { qos: 1, retain: true });
    });
    await client.subscribeAsync("hub/devices/+/cmd", { qos: 1 });
    return hub;
  }

  /** All of them: after a restart, a device that nobody has seen is not available. */
  async function report(): Promise<void> {
    for (const [id, { state }] of Object.entries(devices))
      await client?.publishAsync(`hub/devices/${id}/state`, JSON.stringify(state), { qos: 1, retain: true });
  }

  async function register(all: Record<string, Furniture>): Promise<void> {
    for (const [id, { type, name = id, properties }] of Object.entries(all)) {
      const about = {
        device_id: id,
        plugin_id: "tester",
        name,
        device_type: type,
        area: "House",
        capabilities: { type: "object", properties },
      };
      await client?.publishAsync("hub/plugins/tester/register", JSON.stringify(about), { qos: 1 });
    }
    await report();
  }

  const hub = await startHub();
  await register(devices);
  const house: House = {
    hub,
    commands,
    async publishState(id, state) {
      const device = devices[id];
      if (!device) throw new Error(`no device ${id}`);
      device.state = { ...device.state, ...state };
      await client?.publishAsync(`hub/devices/${id}/state`, JSON.stringify(device.state), { qos: 1, retain: true });
    },
    async add(more) {
      Object.assign(devices, more);
      await register(more);
    },
    async reachable(id, isReachable) {
      const text = isReachable ? "online" : "offline";
      await client?.publishAsync(`hub/devices/${id}/availability`, text, { qos: 1, retain: true });
    },
    async act<T>(action: string, params: State = {}) {
      const answer = await house.hub.request("POST", `/plugins/matter/actions/${action}`, { body: params });
      const { data, error } = answer.json<{ data: T; error?: string }>();
      if (answer.status !== 200 || error) throw new Error(answer.text);
      return data;
    },
    async configure(config) {
      const answer = await house.hub.request("PUT", "/plugins/matter/config", { body: config });
      if (answer.status !== 200) throw new Error(answer.text);
    },
    async restart() {
      await house.hub.end();
      house.hub = await startHub();
      await report();
      await active(house);
    },
    async move() {
      const archive = place.at("..", "house.zip");
      const ran = await place.run(["backup", archive]);
      if (ran.code !== 0) throw new Error(ran.stderr);
      await house.hub.end();
      const before = place;
      place = createHubPlace({ toml: TOML }, undefined, binary);
      await place.run(["init"]);
      place.put("plugins/matter/config/config.toml", LOCK);
      const restored = await place.run(["restore", archive]);
      if (restored.code !== 0) throw new Error(restored.stderr);
      place.admin = before.admin;
      olds.push(before);
      house.hub = await startHub();
      await report();
      await active(house);
    },
    async [Symbol.asyncDispose]() {
      client?.end(true);
      for (const old of olds) await old[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
  await active(house);
  return house;
}

/** Until the bridge is there. */
async function active({ hub }: House): Promise<void> {
  await until(
    "the bridge is active",
    async () =>
      /devices are bridged/.test(hub.output) &&
      (await hub.get<{ status: string }>("/plugins/matter")).status === "active",
    { timeoutMs: 60_000 },
  );
}
