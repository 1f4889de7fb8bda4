// Other people's programs that do a part of what the hub does, where they are installed: mosquitto, and Node-RED beside it.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../support/free-port.ts";
import { type Child, startChild } from "./child.ts";

/** Its path, also where only administrators have its folder in PATH; undefined where it is not installed. */
export const mosquittoPath = (): string | null => Bun.which("mosquitto", { PATH: `${Bun.env.PATH}:/usr/sbin` });
export const nodeRedPath = (): string | null => Bun.which("node-red");

export interface Mosquitto extends AsyncDisposable {
  readonly pid: number;
  readonly port: number;
}

/** Anybody may do anything; nothing is kept. */
export async function startMosquitto(program: string, folder: string): Promise<Mosquitto> {
  const port = freePort();
  mkdirSync(folder, { recursive: true });
  const config = join(folder, "mosquitto.conf");
  // Without a limit on what waits for one client: losing messages would be faster.
  writeFileSync(
    config,
    `listener ${port} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\nset_tcp_nodelay true\nlog_dest none\n`,
  );
  const child = startChild([program, "-c", config]);
  await answers(port, child);
  return { pid: child.pid, port, [Symbol.asyncDispose]: () => child[Symbol.asyncDispose]() };
}

const READY_MS = 30_000;

async function answers(port: number, child: Child): Promise<void> {
  for (const until = performance.now() + READY_MS; performance.now() < until; await Bun.sleep(2)) {
    try {
      (await Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } })).end();
      return;
    } catch {
      // It is not up yet.
    }
  }
  throw new Error(`nothing listens on ${port}:\n${child.output()}`);
}

/** One flow for all devices: each state of a device that is on is answered by a command. */
export async function startNodeRed(program: string, folder: string, brokerPort: number): Promise<Child> {
  mkdirSync(folder, { recursive: true });
  const server = `${freePort()}`;
  const settings = { uiHost: "127.0.0.1", uiPort: Number(server), flowFile: "flows.json", credentialSecret: false };
  writeFileSync(join(folder, "settings.js"), `module.exports = ${JSON.stringify(settings)};\n`);
  writeFileSync(join(folder, "flows.json"), JSON.stringify(flow(brokerPort)));
  const child = startChild([program, "--userDir", folder, "--settings", join(folder, "settings.js")]);
  await child.printed(/(Started flows)/, /(Connected to broker)/);
  return child;
}

const ANSWER = `if (!msg.payload.on) return null;
return { topic: msg.topic.replace(/state$/, "cmd"), payload: { on: true, brightness: 80 } };`;

function flow(port: number): unknown {
  const broker = { id: "broker", type: "mqtt-broker", broker: "127.0.0.1", port: `${port}`, protocolVersion: "4" };
  const common = { z: "tab", broker: "broker", qos: "0", x: 0, y: 0 };
  return [
    { id: "tab", type: "tab", label: "Bench" },
    broker,
    {
      id: "in",
      type: "mqtt in",
      ...common,
      topic: "hub/devices/+/state",
      datatype: "auto-detect",
      wires: [["answer"]],
    },
    { id: "answer", type: "function", z: "tab", x: 0, y: 0, func: ANSWER, outputs: 1, wires: [["out"]] },
    { id: "out", type: "mqtt out", ...common, topic: "", retain: "", wires: [] },
  ];
}
