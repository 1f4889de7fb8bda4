// One compiled hub in a home of its own, with an account for the load and an administrator's token.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Child, startChild } from "./child.ts";

export interface HubUnderTest extends AsyncDisposable {
  readonly pid: number;
  readonly port: number;
  readonly mqttPort: number;
  readonly child: Child;
  /** Logs in; not done before, so that its cost shows where it is asked for. */
  login(): Promise<string>;
}

export interface HubUnderTestOptions {
  binary: string;
  folder: string;
  /** sysmon, as in a new home; off where it would only be noise. */
  sysmon?: boolean;
  httpPort?: number;
  /** Keys of [server]. */
  server?: string;
  /** Behind the rest of hub.toml. */
  toml?: string;
  /** The account for the load may publish and read everything. */
  mayAll?: boolean;
  /** The port of a broker that is another program, on this machine. */
  brokerPort?: number;
  /** With the limits on guests that a new home has; else none on messages a second, which is what most benches measure. */
  asShipped?: boolean;
}

export const MQTT_USER = "bench";
export const MQTT_PASSWORD = "a password for the load";
// Else what is reported at the speed of a bench is recorded in part only.
const NO_ALLOWANCE = "\n[storage]\nmax_write_mb_per_day = 0\n";
const SYSMON = `
[[plugins]]
id = "sysmon"
binary = "plugins/sysmon/bin/sysmon.js"
config = "plugins/sysmon/config/config.toml"
enabled = true
`;

/** Lays out a home that `startHub` can use. */
export function writeHome({
  folder,
  sysmon = false,
  httpPort = 0,
  server = "",
  toml = "",
  mayAll = false,
  asShipped = false,
  brokerPort,
}: Omit<HubUnderTestOptions, "binary">): void {
  mkdirSync(join(folder, "config"), { recursive: true });
  writeFileSync(
    join(folder, "config", "hub.toml"),
    `[server]\nhost = "127.0.0.1"\nport = ${httpPort}\n${server}\n
[auth]\njwt_secret = "${crypto.randomUUID()}${crypto.randomUUID()}"\n
[mqtt]\nhost = "127.0.0.1"\nport = 0\n${brokerPort === undefined ? "" : `mode = "external"\nurl = "mqtt://127.0.0.1:${brokerPort}"\n`}${asShipped ? "" : "max_messages_per_second = 1000000\nmax_mb_per_second = 4096\nmax_deliveries_per_second = 10000000"}

[[mqtt.users]]\nusername = "${MQTT_USER}"\npassword = "${MQTT_PASSWORD}"\n${mayAll ? 'publish = ["#"]\nsubscribe = ["#"]\n' : ""}${sysmon ? SYSMON : ""}${toml}${asShipped || toml.includes("[storage]") ? "" : NO_ALLOWANCE}`,
    { mode: 0o600 },
  );
}

export async function startHub(options: HubUnderTestOptions): Promise<HubUnderTest> {
  writeHome(options);
  const child = startChild([options.binary, "serve", "--home", options.folder]);
  const [port, mqttPort, password] = await child
    .printed(
      /the API answers .*port=(\d+)/,
      options.brokerPort === undefined
        ? /the MQTT broker listens .*port=(\d+)/
        : /connected to the MQTT broker url=\S+:(\d+)/,
      /^password: (\S+)/m,
    )
    .catch(async (error: unknown) => {
      await child[Symbol.asyncDispose]();
      throw error;
    });
  return {
    pid: child.pid,
    port: Number(port),
    mqttPort: Number(mqttPort),
    child,
    async login() {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/auth/login`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ username: "admin", password }),
      });
      if (!answer.ok) throw new Error(`login: ${answer.status} ${await answer.text()}`);
      return ((await answer.json()) as { token: string }).token;
    },
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}
