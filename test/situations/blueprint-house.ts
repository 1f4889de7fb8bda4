// A house with rules made of blueprints: the whole hub on a virtual clock, and devices on MQTT that do what they are commanded
// and say so.
import { mkdirSync, writeFileSync } from "node:fs";
import { connectAsync, type MqttClient } from "mqtt";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { startTestHub, type TestHub } from "../support/test-hub.ts";
import { createVirtualClock, type VirtualClock } from "../support/virtual-clock.ts";
import { until } from "../support/wait.ts";

const MODES = ["night", "film", "away"]
  .map((id) => `[[modes]]\nid = "${id}"\nname = "${id}"\nkind = "manual"\n`)
  .join("\n");
const BARRIER = "hub/devices/barrier/state";

export interface BlueprintHouse extends AsyncDisposable {
  readonly clock: VirtualClock;
  /** A device reports; resolves when everything that follows at once has happened. */
  report(device: string, attributes: object): Promise<void>;
  available(device: string, available: boolean): Promise<void>;
  /** What devices of others say on topics of their own, and the broker keeps. */
  announce(messages: readonly { topic: string; payload: unknown }[]): Promise<void>;
  /** Somebody turns a thing on or off, at the thing or with the page. */
  byHand(device: string, attributes: object): Promise<void>;
  mode(id: string, on: boolean): Promise<void>;
  /** Lets time pass, in small steps, so that devices answer in time. */
  pass(secs: number): Promise<void>;
  /** Commands that devices got since the last call: `12:00:05 lamp {"on":true}`. */
  takeCommands(): string[];
  /** Messages since the last call: `12:00:05 text`. */
  messages(): string[];
  /** The hub is off for a while. */
  restart(offSecs: number): Promise<void>;
  /** The hub is off until a later time. */
  jumpTo(time: string): Promise<void>;
  state(device: string): Promise<Record<string, unknown>>;
  ask(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
}

const STEP_SECS = 10;

/** `files`: rules. The house is in Berlin; it is noon, UTC. */
export async function openBlueprintHouse(
  files: Record<string, string>,
  start = "2026-11-21T12:00:00Z",
): Promise<BlueprintHouse> {
  const folder = createTemporaryFolder();
  const clock = createVirtualClock(Date.parse(start));
  mkdirSync(folder.at("rules"));
  mkdirSync(folder.at("config"));
  for (const [name, text] of Object.entries(files)) writeFileSync(folder.at("rules", name), text);
  writeFileSync(folder.at("config", "modes.toml"), MODES);
  const toml = `[location]\nlatitude = 52.52\nlongitude = 13.405\ntimezone = "Europe/Berlin"\n[discovery]\nanonymous = true\n`;
  let hub: TestHub;
  let devices: MqttClient;
  let log = "";
  let shownMessages = 0;
  const commands: string[] = [];
  let barriers = 0;
  const passed = new Set<string>();
  const gone = new Set<string>();

  async function open(admin?: TestHub["admin"]): Promise<void> {
    hub = await startTestHub({ folder, clock, toml, ...(admin ? { admin } : {}) });
    devices = await connectAsync({
      host: "127.0.0.1",
      port: hub.mqttPort,
      reconnectPeriod: 0,
      keepalive: 0,
      clientId: "devices",
    });
    devices.on("message", (topic, payload) => {
      if (topic === BARRIER) passed.add(payload.toString());
      else obey(topic.split("/")[2] ?? "", payload.toString());
    });
    await devices.subscribeAsync(["hub/devices/+/cmd", BARRIER], { qos: 1 });
  }

  function obey(device: string, command: string): void {
    if (gone.has(device)) return;
    const { _hc, ...wanted } = JSON.parse(command) as Record<string, unknown>;
    commands.push(`${timeNow()} ${device} ${JSON.stringify(wanted)}`);
    devices.publish(`hub/devices/${device}/state/partial`, JSON.stringify(wanted), { qos: 1 });
  }

  const timeNow = (): string => new Date(clock.now()).toISOString().slice(11, 19);

  /** What was sent before has arrived, and what it set off as well: commands, and the devices' answers to them. */
  async function settle(): Promise<void> {
    let before = -1;
    while (before !== commands.length) {
      before = commands.length;
      for (let round = 0; round < 2; round++) {
        const barrier = JSON.stringify({ round: ++barriers });
        await devices.publishAsync(BARRIER, barrier, { qos: 1 });
        await until("the barrier is back", () => passed.has(barrier), { everyMs: 1 });
        await clock.advance(0);
      }
    }
  }

  async function publish(topic: string, payload: string): Promise<void> {
    await devices.publishAsync(`hub/devices/${topic}`, payload, { qos: 1 });
    await settle();
  }

  async function ask(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    const answer = await hub.request(method, path, {
      token: await hub.login(),
      ...(body === undefined ? {} : { body }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
  }

  async function stop(): Promise<void> {
    devices.end(true);
    await hub[Symbol.asyncDispose]();
    log += hub.platform.stdout.text;
  }

  async function restart(offMs: number): Promise<void> {
    const { admin } = hub;
    await stop();
    await clock.advance(offMs);
    await open(admin);
    await settle();
  }

  await open();
  return {
    clock,
    ask,
    report: (device, attributes) => publish(`${device}/state/partial`, JSON.stringify(attributes)),
    async available(device, available) {
      if (available) gone.delete(device);
      else gone.add(device);
      await publish(`${device}/availability`, available ? "online" : "offline");
    },
    async announce(messages) {
      for (const { topic, payload } of messages) {
        const text = typeof payload === "string" ? payload : JSON.stringify(payload);
        await devices.publishAsync(topic, text, { qos: 1, retain: true });
      }
      await settle();
    },
    byHand: (device, attributes) => publish(`${device}/state/partial`, JSON.stringify(attributes)),
    async mode(id, on) {
      await ask("PUT", `/modes/${id}`, { on });
      await settle();
    },
    async pass(secs) {
      for (let left = secs; left > 0; left -= STEP_SECS) {
        await clock.advance(Math.min(STEP_SECS, left) * 1000);
        await settle();
      }
    },
    takeCommands: () => commands.splice(0),
    messages() {
      const all = (log + hub.platform.stdout.text).split("\n").flatMap((line) => {
        const [, time, message] = /^\S+ (\S+)\.\d+ .*?(sent: [^"]*)/.exec(line) ?? [];
        return message ? [`${time} ${message.slice(6)}`] : [];
      });
      const fresh = all.slice(shownMessages);
      shownMessages = all.length;
      return fresh;
    },
    restart: (offSecs) => restart(offSecs * 1000),
    jumpTo: (time) => restart(Date.parse(time) - clock.now()),
    state: async (device) => (await ask("GET", `/devices/${device}`)).attributes as Record<string, unknown>,
    async [Symbol.asyncDispose]() {
      await stop();
      folder[Symbol.dispose]();
    },
  };
}
