// The devices of the house: sensors that publish 1, 2, 3, … with QoS 1, each number until a node of the broker has it, and lamps
// that note every command.
import { connect, type IClientOptions, type MqttClient } from "mqtt";

export interface Reading {
  /** When the broker had acknowledged it, by this program's monotonic clock. */
  at: number;
}

export interface Command {
  at: number;
  correlation: string;
  epoch: number | undefined;
}

export interface Device {
  readonly id: string;
  readonly lampId: string;
  /** What is counted begins with this number: those before made the devices known. */
  first: number;
  /** By number; the broker has them all. */
  readonly readings: Map<number, Reading>;
  readonly commands: Map<number, Command[]>;
  /** The epochs of its commands, in the order in which they came. */
  readonly epochs: number[];
}

export interface Fleet extends AsyncDisposable {
  readonly devices: readonly Device[];
  /** Every `everyMs` the next number of each sensor. */
  begin(everyMs: number): void;
  /** What comes from now on is counted. */
  count(): void;
  /** Until each sensor's last number is with the broker. */
  end(): Promise<void>;
}

/** A broker that takes a message and says nothing is left. */
const TIMEOUT_MS = 10_000;

interface Payload {
  n: number;
  _hc: { command: { correlation_id: string; epoch?: number } };
}

/** `keepsSessions`: the broker does, through its own death; else the lamps listen at each node, so that those that live report them. */
export function createFleet(urls: readonly string[], count: number, keepsSessions: boolean): Fleet {
  const clients: MqttClient[] = [];
  const loops: Promise<void>[] = [];
  let isOver = false;

  function open(clientId: string, at: readonly string[], clean: boolean): MqttClient {
    const servers = at.map((url) => ({ host: new URL(url).hostname, port: Number(new URL(url).port) }));
    const session = { clientId, clean, protocolVersion: 4, keepalive: 5 } as const;
    const client = connect({ ...session, servers, reconnectPeriod: 300, connectTimeout: 3000 } as IClientOptions);
    client.on("error", () => {});
    clients.push(client);
    return client;
  }

  async function publish(client: MqttClient, topic: string, payload: string, retain = false): Promise<void> {
    const sent = client.publishAsync(topic, payload, { qos: 1, retain });
    // The library sends it again with its next connection.
    const timer = setInterval(() => client.stream?.destroy(), TIMEOUT_MS);
    await sent.finally(() => clearInterval(timer));
  }

  const devices: Device[] = Array.from({ length: count }, (_, index) => ({
    id: `sensor_${index + 1}`,
    lampId: `lamp_${index + 1}`,
    first: 1,
    readings: new Map(),
    commands: new Map(),
    epochs: [],
  }));

  const byLamp = new Map(devices.map((device) => [device.lampId, device]));

  /** All lamps, at one node of the broker. */
  function listen(index: number): void {
    const client = open(`lamps_${index}`, [urls[index] ?? ""], !keepsSessions);
    client.subscribe("hub/devices/+/cmd", { qos: keepsSessions ? 1 : 0 });
    client.on("message", (topic, payload) => {
      const device = byLamp.get(topic.split("/")[2] ?? "");
      if (!device) return;
      const { n, _hc } = JSON.parse(`${payload}`) as Payload;
      const { correlation_id: correlation, epoch } = _hc.command;
      const known = device.commands.get(n) ?? [];
      // Each node reports it; QoS 1 may report it twice.
      if (known.some((one) => one.correlation === correlation)) return;
      device.commands.set(n, [...known, { at: performance.now(), correlation, epoch }]);
      if (epoch !== undefined) device.epochs.push(epoch);
      client.publish(`hub/devices/${device.lampId}/state`, JSON.stringify({ n }), { qos: 0 });
    });
  }

  async function measure({ id, lampId, readings }: Device, index: number, everyMs: number): Promise<void> {
    const client = open(id, [...urls.slice(index % urls.length), ...urls.slice(0, index % urls.length)], true);
    await publish(client, `hub/devices/${lampId}/availability`, "online", true);
    await publish(client, `hub/devices/${lampId}/state`, '{"n":0}', true);
    await publish(client, `hub/devices/${id}/availability`, "online", true);
    for (let n = 1; !isOver; n++) {
      const begun = performance.now();
      await publish(client, `hub/devices/${id}/state`, JSON.stringify({ n }));
      readings.set(n, { at: performance.now() });
      await Bun.sleep(Math.max(0, everyMs - (performance.now() - begun)));
    }
  }

  return {
    devices,
    begin(everyMs) {
      for (const index of urls.keys()) listen(index);
      for (const [index, device] of devices.entries()) {
        loops.push(Bun.sleep((everyMs * index) / count).then(() => measure(device, index, everyMs)));
      }
    },
    count() {
      for (const device of devices) device.first = device.readings.size + 1;
    },
    async end() {
      isOver = true;
      await Promise.all(loops);
    },
    async [Symbol.asyncDispose]() {
      isOver = true;
      for (const client of clients) client.end(true);
    },
  };
}
