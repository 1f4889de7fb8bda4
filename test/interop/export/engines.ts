// Debian's PostgreSQL, VictoriaMetrics and InfluxDB 1, each in a folder of its own, on free ports of this machine.
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../support/free-port.ts";
import { until } from "../../support/wait.ts";

export interface Engine extends AsyncDisposable {
  readonly url: string;
  stop(): Promise<void>;
  start(): Promise<void>;
}

const PASSWORD = "the password of the hub";
export const POSTGRES = { username: "hub", password: PASSWORD } as const;

interface EngineOptions {
  command: readonly string[];
  url: string;
  answers: () => Promise<boolean>;
  /** Ends it, where its process does not pass signals on. */
  end?: readonly string[];
}

function createEngine({ command, url, answers, end }: EngineOptions): Engine {
  let child: Bun.Subprocess | undefined;
  const engine: Engine = {
    url,
    async start() {
      child = Bun.spawn([...command], { stdin: "ignore", stdout: "ignore", stderr: "ignore" });
      await until(`${command[0]} answers`, () => answers().catch(() => false), { everyMs: 100 });
    },
    async stop() {
      if (end && child) await Bun.spawn([...end], { stdout: "ignore" }).exited;
      else child?.kill("SIGINT");
      await child?.exited;
      child = undefined;
    },
    [Symbol.asyncDispose]: () => engine.stop(),
  };
  return engine;
}

/** PostgreSQL refuses to run as root: then it runs as the user that its package made. */
export async function startPostgres(folder: string): Promise<Engine> {
  const versions = existsSync("/usr/lib/postgresql") ? readdirSync("/usr/lib/postgresql") : [];
  const bin = join("/usr/lib/postgresql", versions.sort((a, b) => Number(b) - Number(a))[0] ?? "", "bin");
  const as = process.getuid?.() === 0 ? ["runuser", "-u", "postgres", "--"] : [];
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  const [data, passwords] = [join(folder, "data"), join(folder, "password")];
  writeFileSync(passwords, PASSWORD);
  const init = [join(bin, "initdb"), "-D", data, "-U", "hub", "-A", "scram-sha-256", "--pwfile", passwords];
  const made = Bun.spawnSync([...as, ...init]);
  if (made.exitCode !== 0) throw new Error(`initdb: ${made.stderr}`);
  const port = freePort();
  const url = `postgres://127.0.0.1:${port}/postgres`;
  const settings = [`port=${port}`, "listen_addresses=127.0.0.1", `unix_socket_directories=${folder}`];
  const command = [...as, join(bin, "postgres"), "-D", data, ...settings.flatMap((setting) => ["-c", setting])];
  const ready = [join(bin, "pg_isready"), "-q", "-h", "127.0.0.1", "-p", `${port}`];
  const engine = createEngine({
    ...{ command, url },
    answers: async () => (await Bun.spawn(ready).exited) === 0,
    end: [...as, join(bin, "pg_ctl"), "-D", data, "-m", "fast", "-w", "stop"],
  });
  await engine.start();
  return engine;
}

export async function startVictoriaMetrics(folder: string): Promise<Engine> {
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  const options = [`-storageDataPath=${folder}`, `-httpListenAddr=127.0.0.1:${port}`, "-dedup.minScrapeInterval=1ms"];
  const command = ["victoria-metrics", ...options, "-retentionPeriod=100y", "-search.latencyOffset=0s"];
  const engine = createEngine({ command, url, answers: async () => (await fetch(`${url}/health`)).ok });
  await engine.start();
  return engine;
}

export async function startInflux(folder: string): Promise<Engine> {
  const [port, rpc] = [freePort(), freePort()];
  const url = `http://127.0.0.1:${port}`;
  mkdirSync(folder);
  const config = join(folder, "influxdb.conf");
  const sections = [
    ["meta", `dir = "${folder}/meta"`],
    ["data", `dir = "${folder}/data"\nwal-dir = "${folder}/wal"`],
    ["http", `bind-address = "127.0.0.1:${port}"`],
  ];
  const text = sections.map(([name, keys]) => `[${name}]\n${keys}\n`).join("");
  writeFileSync(config, `bind-address = "127.0.0.1:${rpc}"\nreporting-disabled = true\n${text}`);
  const command = ["influxd", "-config", config];
  const engine = createEngine({ command, url, answers: async () => (await fetch(`${url}/ping`)).ok });
  await engine.start();
  return engine;
}
