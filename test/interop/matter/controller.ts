// Another home: matter.js's own controller, in memory. It finds a bridged device by its name.
import { config as runtime } from "@matter/nodejs/config";
import { until } from "../../support/wait.ts";

type Values = Record<string, unknown>;

export interface Controller extends AsyncDisposable {
  /** Commissions the bridge. */
  pair(code: string): Promise<void>;
  /** The clusters' attributes of a device, or of one of its parts. */
  read(label: string, cluster: string): Promise<Values>;
  invoke(label: string, cluster: string, command: string, args?: Values): Promise<void>;
  write(label: string, cluster: string, values: Values): Promise<void>;
  /** Undefined for a device that is not there. */
  reachable(label: string): boolean | undefined;
  /** The names of the devices behind the bridge. */
  labels(): string[];
  /** The endpoint's number by the device's name. */
  numbers(): Record<string, number>;
}

/** Before the first controller: matter.js must not read this process's arguments, nor end it. */
export function prepareMatter(): void {
  const off = { loadProcessEnv: false, loadProcessArgv: false, loadConfigFile: false, trapProcessSignals: false };
  Object.assign(runtime, off);
}

/** `id`: another one for a second home in this process. */
export async function createController(id: string): Promise<Controller> {
  const { Environment, Logger, LogLevel, MemoryStorageDriver, ServerNode, StorageService } = await import(
    "@matter/main"
  );
  Logger.level = process.env.MATTER_DEBUG ? LogLevel.INFO : LogLevel.FATAL;
  const environment = new Environment(id, Environment.default);
  const storage = new StorageService(environment);
  storage.registerDriver(MemoryStorageDriver);
  storage.configuredDriver = storage.defaultDriver = MemoryStorageDriver.id;
  const node = await ServerNode.create(ServerNode.RootEndpoint, {
    id,
    environment,
    network: { port: 0 },
    commissioning: { enabled: false },
  });
  await node.start();
  let bridge: Awaited<ReturnType<typeof node.peers.commission>> | undefined;

  function endpoints() {
    const found: {
      label: string;
      endpoint: {
        number: number;
        stateOf(id: string): Values;
        maybeStateOf(id: string): Values | undefined;
        commandsOf(id: string): Record<string, (args?: Values) => Promise<unknown>>;
        setStateOf(id: string, values: Values): Promise<void>;
      };
    }[] = [];
    const visit = (parent: { parts: Iterable<unknown> }, label: string): void => {
      for (const part of parent.parts as Iterable<never>) {
        const endpoint = part as (typeof found)[number]["endpoint"] & { parts: Iterable<unknown> };
        const own = endpoint.maybeStateOf("bridgedDeviceBasicInformation")?.nodeLabel;
        const name = typeof own === "string" ? own : label;
        if (name !== "") found.push({ label: name, endpoint });
        visit(endpoint, name);
      }
    };
    if (bridge) visit(bridge as never, "");
    return found;
  }
  function having(label: string, cluster: string) {
    const one = endpoints().find(
      ({ label: own, endpoint }) => own === label && endpoint.maybeStateOf(cluster) !== undefined,
    );
    if (!one)
      throw new Error(`no ${cluster} of ${label} among ${JSON.stringify(endpoints().map((each) => each.label))}`);
    return one.endpoint;
  }

  return {
    async pair(code) {
      bridge = await node.peers.commission({ pairingCode: code.replaceAll("-", ""), timeout: 60_000 } as never);
      await until("the bridge's parts are known", () => endpoints().length > 0);
    },
    read: async (label, cluster) => having(label, cluster).stateOf(cluster),
    async invoke(label, cluster, command, args) {
      await having(label, cluster).commandsOf(cluster)[command]?.(args);
    },
    write: (label, cluster, values) => having(label, cluster).setStateOf(cluster, values),
    reachable: (label) =>
      endpoints()
        .find((one) => one.label === label)
        ?.endpoint.maybeStateOf("bridgedDeviceBasicInformation")?.reachable as boolean | undefined,
    labels: () => [...new Set(endpoints().map(({ label }) => label))].sort(),
    numbers: () =>
      Object.fromEntries(
        endpoints()
          .filter(({ endpoint }) => endpoint.maybeStateOf("bridgedDeviceBasicInformation"))
          .map(({ label, endpoint }) => [label, endpoint.number]),
      ),
    async [Symbol.asyncDispose]() {
      await node.close();
    },
  };
}
