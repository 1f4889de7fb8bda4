// Another home: Home Assistant's python-matter-server, which is the Matter project's own controller (its SDK in C++) behind a WebSocket.
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { until } from "../../support/wait.ts";

export interface PythonHome extends AsyncDisposable {
  pair(code: string): Promise<void>;
  /** Attribute `cluster/attribute`, by their numbers, of each of a device's endpoints that has it. */
  read(label: string, path: string): unknown[];
  /** Command `name` of a cluster, by its number, to the device's endpoint that has it. Throws with what the SDK says of the answer. */
  invoke(label: string, cluster: number, name: string, payload?: object): Promise<void>;
  /** Sets attribute `cluster/attribute` of the device's endpoint that has it. */
  write(label: string, path: string, value: unknown): Promise<void>;
  /** What has happened: by the numbers of the cluster and its events. */
  readonly events: readonly { cluster: number; event: number; data: unknown }[];
  labels(): string[];
  readonly log: string;
}

interface Answer {
  message_id?: string;
  result?: unknown;
  error_code?: number;
  details?: string;
  event?: string;
  data?: unknown;
}

const NODE_LABEL = "57/5";
const PARTS = "29/3";
const FEATURES = 65_532;
const PORT = 5580;

/** `program` is pip's `matter-server`; `link`, the network interface that it speaks on. */
export async function startPythonHome(program: string, link: string): Promise<PythonHome> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(createTemporaryFolder());
  for (const name of ["store", "paa"]) mkdirSync(folder.at(name));
  writeFileSync(join(folder.at("paa"), "test.der"), testAuthority());
  // Without this it deletes what is there, and asks the internet.
  writeFileSync(join(folder.at("paa"), ".version"), "1");
  const child = Bun.spawn(
    [
      ...[program, "--storage-path", folder.at("store"), "--paa-root-cert-dir", folder.at("paa")],
      ...["--listen-address", "127.0.0.1", "--port", String(PORT), "--primary-interface", link],
    ],
    { stdin: "ignore", stdout: Bun.file(folder.at("out")), stderr: Bun.file(folder.at("log")) },
  );
  stack.defer(async () => {
    child.kill("SIGKILL");
    await child.exited;
  });
  const attributes = new Map<string, unknown>();
  const socket = await connected(() => child.exitCode !== null);
  stack.defer(() => socket.close());
  const events: { cluster: number; event: number; data: unknown }[] = [];
  let nodeId: number | undefined;
  const ask = asker(socket, ({ event, data }) => {
    if (event === "attribute_updated" && Array.isArray(data)) attributes.set(String(data[1]), data[2]);
    if (event !== "node_event") return;
    const { cluster_id, event_id, data: payload } = data as { cluster_id: number; event_id: number; data: unknown };
    events.push({ cluster: cluster_id, event: event_id, data: payload });
  });

  const endpoint = (path: string): string => path.split("/")[0] ?? "";
  const labelled = (): [string, string][] =>
    [...attributes].flatMap(([path, value]) =>
      path.endsWith(`/${NODE_LABEL}`) ? [[String(value), endpoint(path)]] : [],
    );

  /** Its own one, and those within. */
  function endpointsOf(label: string): string[] {
    const [, whole] = labelled().find(([one]) => one === label) ?? [];
    if (whole === undefined) throw new Error(`no ${label} among ${labelled().map(([one]) => one)}`);
    const within = attributes.get(`${whole}/${PARTS}`);
    return [whole, ...(Array.isArray(within) ? within : [])].map(String);
  }
  function having(label: string, cluster: number | string): number {
    const found = endpointsOf(label).find((one) => attributes.has(`${one}/${cluster}/${FEATURES}`));
    if (found === undefined) throw new Error(`${label} has no cluster ${cluster}`);
    return Number(found);
  }

  const parts = stack.move();
  return {
    events,
    async invoke(label, cluster, name, payload = {}) {
      const of = { node_id: nodeId, endpoint_id: having(label, cluster), cluster_id: cluster };
      await ask("device_command", { ...of, command_name: name, payload });
    },
    async write(label, path, value) {
      const attribute_path = `${having(label, path.split("/")[0] ?? "")}/${path}`;
      const answers = await ask("write_attribute", { node_id: nodeId, attribute_path, value });
      const [{ Status = 0 } = {}] = answers as { Status?: number }[];
      if (Status !== 0) throw new Error(`(0x${Status.toString(16)})`);
    },
    async pair(code) {
      const args = { code: code.replaceAll("-", ""), network_only: true };
      const node = (await ask("commission_with_code", args)) as {
        node_id: number;
        attributes: Record<string, unknown>;
      };
      nodeId = node.node_id;
      for (const [path, value] of Object.entries(node.attributes)) attributes.set(path, value);
      await ask("start_listening");
    },
    read(label, path) {
      return endpointsOf(label).flatMap((one) => {
        const value = attributes.get(`${one}/${path}`);
        return value === undefined ? [] : [value];
      });
    },
    labels: () => labelled().map(([label]) => label),
    get log() {
      return Bun.spawnSync(["tail", "-n", "60", folder.at("log")]).stdout.toString();
    },
    [Symbol.asyncDispose]: () => parts[Symbol.asyncDispose](),
  };
}

/** The authority that the bridge's test certificate is from; a controller that knows only the real ones takes no bridge of this kind. */
function testAuthority(): Uint8Array {
  const require = createRequire(import.meta.resolve("@matter/main"));
  const { TestCert_PAA_NoVID_Cert: certificate } = require(
    join(require.resolve("@matter/protocol"), "..", "certificate", "ChipPAAuthorities.js"),
  );
  return certificate;
}

async function connected(hasEnded: () => boolean): Promise<WebSocket> {
  let open: WebSocket | undefined;
  const tried = async (): Promise<boolean> => {
    if (hasEnded()) throw new Error("it has ended");
    open = await new Promise((resolve) => {
      const socket = new WebSocket(`ws://127.0.0.1:${PORT}/ws`);
      socket.onopen = () => resolve(socket);
      socket.onerror = () => resolve(undefined);
    });
    return open !== undefined;
  };
  // It asks the internet for names of makers first, and is refused after some seconds.
  await until("python-matter-server answers", tried, { timeoutMs: 120_000, everyMs: 500 });
  return open as unknown as WebSocket;
}

function asker(socket: WebSocket, onMessage: (message: Answer) => void) {
  const waiting = new Map<string, (answer: Answer) => void>();
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(String(data)) as Answer;
    if (message.message_id === undefined) onMessage(message);
    else waiting.get(message.message_id)?.(message);
  };
  return async (command: string, args: object = {}): Promise<unknown> => {
    const id = String(waiting.size + 1);
    const answer = new Promise<Answer>((resolve) => waiting.set(id, resolve));
    socket.send(JSON.stringify({ message_id: id, command, args }));
    const { result, error_code, details } = await answer;
    if (error_code !== undefined) throw new Error(`${command}: ${details}`);
    return result;
  };
}
