// A Zigbee network over MQTT: announces its devices, says how they are, and does what it is commanded, but for those that are mute.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { MqttClient } from "mqtt";
import { modelsOf } from "../../interop/corpus/lines.ts";
import type { HubProcess } from "../../support/hub-process.ts";
import { until } from "../../support/wait.ts";
import { type Member, madeUp } from "./zigbee-devices.ts";

export const ZIGBEE_ACCOUNT = { username: "zigbee", password: "a password for the network" };
const CORPUS = join(import.meta.dir, "..", "..", "..", "..", "shared", "corpus", "z2m.jsonl.xz");
// The whole list is one message.
const MAX_BYTES = 400_000;

export interface ZigbeeNetwork {
  members: readonly Member[];
  /** Says something of one device, as it does by itself. */
  report(name: string, state: Record<string, unknown>): void;
  /** What devices were commanded. */
  readonly commanded: { name: string; payload: Record<string, unknown> }[];
  /** Announces all again: after a restart of the hub, or with other devices. */
  announce(members?: readonly Member[]): Promise<void>;
}

/** Real models where the corpus is at hand, made-up ones otherwise. */
export async function zigbeeHouse(count: number): Promise<Member[]> {
  if (!existsSync(CORPUS) || Bun.which("xz") === null) return madeUp(count);
  const members: Member[] = [];
  let bytes = 0;
  for (const { bridgeDevice, states, ieee, model } of await modelsOf(CORPUS)) {
    const size = JSON.stringify(bridgeDevice).length;
    if (members.length === count || bytes + size > MAX_BYTES) break;
    if (size > MAX_BYTES / 100) continue;
    bytes += size;
    const what = String(bridgeDevice.definition.description ?? model).replace(/[/+#]/g, " ");
    const named = { ieee_address: ieee, type: "Router", friendly_name: `${what} ${members.length + 1}` };
    const device = { ...bridgeDevice, ...named };
    members.push({ device: device as unknown as Member["device"], state: states[0]?.payload ?? {} });
  }
  return [...members, ...madeUp(count - members.length)];
}

/** `mute`: names of devices that do nothing of what they are commanded. */
export async function startNetwork(
  hub: HubProcess,
  members: readonly Member[],
  mute: readonly string[] = [],
): Promise<ZigbeeNetwork> {
  const client: MqttClient = await hub.mqtt(ZIGBEE_ACCOUNT);
  const commanded: ZigbeeNetwork["commanded"] = [];
  const isOf = (name: string) => (topic: string) => topic === `zigbee2mqtt/${name}/set`;
  const say = (topic: string, payload: unknown) =>
    client.publishAsync(`zigbee2mqtt/${topic}`, JSON.stringify(payload), { qos: 1 });
  client.on("message", (topic, payload) => {
    const member = network.members.find(({ device }) => isOf(device.friendly_name)(topic));
    if (!member) return;
    const { friendly_name: name } = member.device;
    const wanted = JSON.parse(payload.toString()) as Record<string, unknown>;
    commanded.push({ name, payload: wanted });
    if (!mute.includes(name)) network.report(name, wanted);
  });
  await client.subscribeAsync("zigbee2mqtt/+/set");
  const network: ZigbeeNetwork = {
    members,
    commanded,
    report(name, state) {
      const member = network.members.find(({ device }) => device.friendly_name === name);
      client.publish(`zigbee2mqtt/${name}`, JSON.stringify(Object.assign(member?.state ?? {}, state)));
    },
    async announce(next = network.members) {
      network.members = next;
      const coordinator = { ieee_address: "0x01", type: "Coordinator", friendly_name: "Coordinator", definition: null };
      await say("bridge/devices", [coordinator, ...next.map(({ device }) => device)]);
      const isThere = async (): Promise<boolean> => {
        const known = new Set((await hub.get<{ id: string }[]>("/devices")).map(({ id }) => id));
        return next.every(({ device }) => known.has(device.ieee_address));
      };
      await until("all devices of the network are there", isThere, { everyMs: 100 });
      await Promise.all(next.map(({ device, state }) => say(device.friendly_name, state)));
    },
  };
  await network.announce();
  return network;
}
