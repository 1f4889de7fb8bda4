// What the house runs on besides its hubs: a broker or a cluster of three, PostgreSQL for the lease, VictoriaMetrics for Grafana.
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { createMachine } from "./network.ts";
import { createServer, listens, type Server } from "./server.ts";

export interface Brokers {
  servers: Server[];
  /** For [mqtt] url and more_urls. */
  urls: string[];
  /** For [standby] lease, where they have JetStream. */
  lease: string | undefined;
}

export type BrokerKind = "mosquitto" | "nats";

const MQTT = 1883;
const NATS = 4222;

export function createBrokers(kind: BrokerKind, folder: string): Brokers {
  return kind === "nats" ? createNats(folder) : createMosquitto(folder);
}

/** Keeps sessions over a kill, as far as its last save of a second ago. */
function createMosquitto(folder: string): Brokers {
  const machine = createMachine("broker", 11);
  const data = join(folder, "broker");
  mkdirSync(data);
  const file = join(folder, "broker.conf");
  const save = "autosave_interval 1\nautosave_on_changes true\nmax_inflight_messages 1000\nmax_queued_messages 0\n";
  const where = `user root\nlistener ${MQTT} ${machine.address}\nallow_anonymous true\n`;
  writeFileSync(file, `${where}persistence true\npersistence_location ${data}/\n${save}`);
  const answers = () => listens(machine.address, MQTT);
  const server = createServer({
    ...{ machine, answers, log: join(folder, "broker.log") },
    command: ["mosquitto", "-c", file],
  });
  return { servers: [server], urls: [`mqtt://${machine.address}:${MQTT}`], lease: undefined };
}

function createNats(folder: string): Brokers {
  const machines = [11, 12, 13].map((host, index) => createMachine(`nats${index + 1}`, host));
  const routes = machines.map(({ address }) => `nats://${address}:6222`).join(", ");
  const servers = machines.map((machine) => {
    const { name, address } = machine;
    const file = join(folder, `${name}.conf`);
    writeFileSync(
      file,
      `server_name: ${name}\nhost: ${address}\nport: ${NATS}\njetstream { store_dir: "${join(folder, name)}" }
mqtt { host: ${address}, port: ${MQTT} }\ncluster { name: house, host: ${address}, port: 6222, routes: [${routes}] }\n`,
    );
    const answers = () => listens(address, MQTT);
    return createServer({
      ...{ machine, answers, log: join(folder, `${name}.log`) },
      command: ["nats-server", "-c", file],
    });
  });
  const at = (scheme: string, port: number): string[] =>
    machines.map(({ address }) => `${scheme}://${address}:${port}`);
  return { servers, urls: at("mqtt", MQTT), lease: at("nats", NATS).join(",") };
}

export const POSTGRES = { username: "hub", password: "the password of the hub" } as const;

/** Where the history goes, as Grafana would ask it. */
export interface Database {
  server: Server;
  url: string;
  /** For each sensor the numbers that it has. */
  numbers(): Promise<Map<string, Set<number>>>;
}

/** PostgreSQL refuses to run as root: it runs as the user that its package made. */
export function createPostgres(folder: string): Database {
  const machine = createMachine("postgres", 31);
  const versions = readdirSync("/usr/lib/postgresql").sort((a, b) => Number(b) - Number(a));
  const bin = join("/usr/lib/postgresql", versions[0] ?? "", "bin");
  const [at, passwords] = [join(folder, "postgres"), join(folder, "postgres-password")];
  mkdirSync(at);
  chmodSync(at, 0o777);
  writeFileSync(passwords, POSTGRES.password);
  const as = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"];
  const data = join(at, "data");
  const init = [join(bin, "initdb"), "-D", data, "-U", POSTGRES.username, "-A", "scram-sha-256", "--pwfile", passwords];
  const made = Bun.spawnSync([...as, ...init]);
  if (made.exitCode !== 0) throw new Error(`initdb: ${made.stderr}`);
  writeFileSync(join(data, "pg_hba.conf"), "host all all 10.77.0.0/24 scram-sha-256\n");
  const settings = [`listen_addresses=${machine.address}`, `unix_socket_directories=${at}`];
  const command = [...as, join(bin, "postgres"), "-D", data, ...settings.flatMap((setting) => ["-c", setting])];
  const ready = [join(bin, "pg_isready"), "-q", "-h", machine.address];
  const answers = async () => (await Bun.spawn(ready).exited) === 0;
  const url = `postgres://${machine.address}:5432/postgres`;
  return {
    ...{ url, server: createServer({ ...{ machine, command, answers }, log: join(folder, "postgres.log") }) },
    async numbers() {
      await using sql = new SQL({ url, ...POSTGRES, max: 1 });
      const rows: { device: string; value: number }[] =
        await sql`SELECT device, value FROM hub_history WHERE attribute = 'n'`;
      return gathered(rows.map(({ device, value }) => [device, [value]]));
    },
  };
}

function gathered(found: readonly [device: string, values: readonly number[]][]): Map<string, Set<number>> {
  const numbers = new Map<string, Set<number>>();
  for (const [device, values] of found) {
    const known = numbers.get(device) ?? new Set();
    for (const value of values) known.add(value);
    numbers.set(device, known);
  }
  return numbers;
}

export function createVictoria(folder: string): Database {
  const machine = createMachine("victoria", 32);
  const url = `http://${machine.address}:8428`;
  const options = [`-storageDataPath=${join(folder, "victoria")}`, "-dedup.minScrapeInterval=1ms"];
  const command = ["victoria-metrics", ...options, "-retentionPeriod=100y", "-search.latencyOffset=0s"];
  const answers = async () => (await fetch(`${url}/health`, { signal: AbortSignal.timeout(2000) })).ok;
  return {
    ...{ url, server: createServer({ ...{ machine, command, answers }, log: join(folder, "victoria.log") }) },
    async numbers() {
      await fetch(`${url}/internal/force_flush`);
      const query = new URLSearchParams({ "match[]": "hub_n" });
      const text = await (await fetch(`${url}/api/v1/export?${query}`)).text();
      const lines = text.split("\n").filter(Boolean);
      return gathered(
        lines.map((line) => {
          const { metric, values } = JSON.parse(line) as { metric: { device: string }; values: number[] };
          return [metric.device, values];
        }),
      );
    },
  };
}
