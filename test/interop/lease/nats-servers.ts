// NATS servers of this machine with JetStream, alone or as one cluster, to be killed, paused and emptied.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePorts } from "../../support/free-port.ts";
import { standStill } from "../../support/processes.ts";
import { until } from "../../support/wait.ts";

export interface NatsServer extends AsyncDisposable {
  readonly name: string;
  readonly url: string;
  start(): Promise<void>;
  /** Its process stands still until `goOn`. */
  pause(): Promise<void>;
  goOn(): void;
  kill(): Promise<void>;
  /** Of a server that was killed. */
  empty(): void;
}

interface Ports {
  client: number;
  route: number;
}

/** More than one are a cluster. `more` goes into the configuration of each. */
export async function startNats(folder: string, count: number, more = ""): Promise<NatsServer[]> {
  const ports = freePorts(count * 2);
  const nodes = Array.from({ length: count }, (_, n) => ({ client: ports[2 * n] ?? 0, route: ports[2 * n + 1] ?? 0 }));
  mkdirSync(folder, { recursive: true });
  const servers = nodes.map((_, n) => createNatsServer(folder, nodes, n, more));
  await Promise.all(servers.map((server) => server.start()));
  return servers;
}

function createNatsServer(folder: string, nodes: Ports[], n: number, more: string): NatsServer {
  const { client, route } = nodes[n] ?? { client: 0, route: 0 };
  const [name, store, file] = [`node-${n}`, join(folder, `store-${n}`), join(folder, `node-${n}.conf`)];
  const routes = nodes.map((node) => `nats://127.0.0.1:${node.route}`).join(", ");
  const cluster = `cluster { name: house, listen: "127.0.0.1:${route}", routes: [${routes}] }`;
  const jetstream = `jetstream { store_dir: "${store}" }`;
  const lines = [`server_name: ${name}`, `listen: "127.0.0.1:${client}"`, jetstream, more];
  writeFileSync(file, [...lines, ...(nodes.length > 1 ? [cluster] : [])].join("\n"));
  let child: Bun.Subprocess | undefined;
  const server: NatsServer = {
    name,
    url: `nats://127.0.0.1:${client}`,
    async start() {
      child = Bun.spawn(["nats-server", "-c", file], { stdin: "ignore", stdout: "ignore", stderr: "ignore" });
      await until(`${name} answers`, () => greets(client), { everyMs: 50 });
    },
    pause: async () => child && standStill(child.pid),
    goOn: () => child?.kill("SIGCONT"),
    async kill() {
      child?.kill("SIGKILL");
      await child?.exited;
      child = undefined;
    },
    empty: () => rmSync(store, { recursive: true, force: true }),
    [Symbol.asyncDispose]: () => server.kill(),
  };
  return server;
}

async function greets(port: number): Promise<boolean> {
  const greeted = Promise.withResolvers<boolean>();
  try {
    const socket = await Bun.connect({
      ...{ hostname: "127.0.0.1", port },
      socket: {
        data: (_, data) => greeted.resolve(data.toString().startsWith("INFO")),
        close: () => greeted.resolve(false),
      },
    });
    const isThere = await greeted.promise;
    socket.end();
    return isThere;
  } catch {
    return false;
  }
}
