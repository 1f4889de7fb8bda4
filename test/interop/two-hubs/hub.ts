// A hub on a machine of the house: its home, and the process that is killed and started again.
import { existsSync, mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SECRET } from "../../support/hub-place.ts";
import { until } from "../../support/wait.ts";
import { createMachine } from "../machines/network.ts";
import { createServer, type Server } from "../machines/server.ts";
import { lastWriteOf } from "./last-write.ts";

export interface Hub {
  readonly server: Server;
  readonly url: string;
  /** Writes its configuration, and a rule for each of so many sensors. */
  furnish(settings: HubSettings, sensors: number): void;
  /** What it says it is: `hub`, `standby`, `waiting`; undefined where it does not answer. */
  role(): Promise<string | undefined>;
  /** As the standby: a whole one, of a hub that it seen a moment ago. */
  hasCopy(): Promise<boolean>;
  /** Three such deaths in a row do not make the next start a safe one, as if they were the machine's. */
  kill(death: Death): Promise<void>;
  /** What it had as the hub, and the one that took over has not asked for or got yet. */
  hasUnsyncedTail(): boolean;
  /** See `lastWriteOf`. */
  lastWrite(): number;
  /** One command of the command line, on its machine. Throws where it fails. */
  run(args: string[], env?: Record<string, string>): Promise<string>;
  /** A token for the administrator of its first start. */
  login(): Promise<string>;
  /** The numbers that it has recorded of a sensor. */
  history(token: string, sensor: string): Promise<Sample[]>;
}

/** Of the process alone, or with what the machine has in its memory. */
export type Death = "process" | "power";

export interface Sample {
  /** ISO 8601, with milliseconds. */
  timestamp: string;
  value: number;
}

interface StandbyStatus {
  copy: { whole: boolean; history_whole: boolean };
  hub: { heard_secs_ago: number | null };
}

export interface HubSettings {
  brokers: readonly string[];
  channel: string;
  victoria: string;
  /** With its login; undefined where there is none. */
  postgres: { url: string; username: string; password: string } | undefined;
  /** Further tables. */
  more: string;
}

const PORT = 8080;
/** Nothing that a hub has taken is only in its memory for longer. */
export const FLUSH_SECS = 1;
const EXPORT_SECS = 1;
/** What a killed hub had not written yet, and its export had not sent; a second for the doing. */
export const LOST_MS = (FLUSH_SECS + EXPORT_SECS + 1) * 1000;
/** What a hub wrote down, and could not send before it was gone, or could not report to its standby that it had. */
export const LOST_MESSAGES_MS = 10_000;
/** Of the history, where the standby takes over. */
export const LOST_COPY_MS = 20_000;

function configText({ brokers: [url, ...moreUrls], channel, victoria, postgres, more }: HubSettings): string {
  return `[server]
host = "0.0.0.0"
port = ${PORT}
[auth]
jwt_secret = "${SECRET}"
[mqtt]
mode = "external"
url = "${url}"
more_urls = ${JSON.stringify(moreUrls)}
[storage]
flush_secs = ${FLUSH_SECS}
max_write_mb_per_day = 0
[[notify.channels]]
name = "counter"
type = "webhook"
url = "${channel}"
body = '{"message": "{{message}}"}'
[[history.export]]
name = "victoria"
kind = "line_protocol"
url = "${victoria}"
interval_secs = ${EXPORT_SECS}
${postgres ? postgresText(postgres) : ""}
${more}`;
}

const postgresText = ({ url, username, password }: NonNullable<HubSettings["postgres"]>): string =>
  `[[history.export]]
name = "postgres"
kind = "postgres"
url = "${url}"
username = "${username}"
password = "${password}"
interval_secs = ${EXPORT_SECS}
`;

const ruleText = (n: number): string => `(
  id: "forward_${n}", name: "Sensor ${n} to its lamp",
  run_mode: "queued", max_queued: 100,
  trigger: DeviceStateChanged(device_id: "sensor_${n}", attribute: "n"),
  actions: [
    SetDeviceState(device_id: "lamp_${n}", expression: "{'n': trigger.value}"),
    Notify(channel: "counter", message: "sensor_${n} {{trigger.value}}"),
  ],
)
`;

/** Where readings wait to be written: see src/server/db/reading-draft.ts. */
function memoryOf(home: string): string {
  const folder = join(realpathSync(join(home, "data")), "readings");
  return `/dev/shm/hub-readings-${Bun.hash(folder).toString(16)}`;
}

export function createHub(binary: string, name: string, host: number, folder: string): Hub {
  const machine = createMachine(name, host);
  const home = join(folder, name);
  const url = `http://${machine.address}:${PORT}`;
  const env = { HUB_HOME: home };
  const server = createServer({
    ...{ machine, env, log: join(folder, `${name}.log`) },
    command: [binary, "serve"],
    answers: () => server.isRunning(),
  });
  return {
    ...{ server, url },
    async role() {
      const answer = await fetch(`${url}/api/v1/health`, { signal: AbortSignal.timeout(2000) }).catch(() => undefined);
      if (!answer) return undefined;
      const { role = "hub" } = (await answer.json()) as { role?: string };
      return role;
    },
    async hasCopy() {
      const { exitCode, stdout } = Bun.spawnSync(machine.on([binary, "standby", "status", "--json"]), { env });
      const { copy, hub } = (exitCode === 0 ? JSON.parse(`${stdout}`) : {}) as Partial<StandbyStatus>;
      return copy?.whole === true && copy.history_whole && (hub?.heard_secs_ago ?? 60) < 10;
    },
    async kill(death) {
      await server.kill();
      if (death === "power") rmSync(memoryOf(home), { force: true });
      rmSync(join(home, "data", "starts.json"), { force: true });
    },
    hasUnsyncedTail: () => existsSync(join(home, "data", "before-standby", "leftovers.json")),
    lastWrite: () => lastWriteOf(home),
    furnish(settings, sensors) {
      mkdirSync(join(home, "config"), { recursive: true });
      mkdirSync(join(home, "rules"), { recursive: true });
      writeFileSync(join(home, "config", "hub.toml"), configText(settings), { mode: 0o600 });
      for (let n = 1; n <= sensors; n++) writeFileSync(join(home, "rules", `forward_${n}.ron`), ruleText(n));
    },
    async run(args, more = {}) {
      const child = Bun.spawn(machine.on([binary, ...args]), {
        env: { PATH: process.env.PATH ?? "", ...env, ...more },
        stdio: ["ignore", "pipe", "pipe"],
      });
      const [stdout, stderr] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ]);
      if ((await child.exited) !== 0) throw new Error(`hub ${args.join(" ")}: ${stdout}${stderr}`);
      return stdout;
    },
    async login() {
      const reported = /^username: (\S+)\npassword: (\S+)$/m;
      const [, username = "", password = ""] = await until("the login is reported", () =>
        reported.exec(server.output()),
      );
      const answer = await fetch(`${url}/api/v1/auth/login`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ username, password }),
      });
      return ((await answer.json()) as { token: string }).token;
    },
    async history(token, sensor) {
      const query = new URLSearchParams({ attribute: "n", limit: "10000", initial: "false" });
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${url}/api/v1/devices/${sensor}/history?${query}`, { headers });
      if (!answer.ok) throw new Error(`the history of ${sensor}: ${answer.status} ${await answer.text()}`);
      return (await answer.json()) as Sample[];
    },
  };
}
