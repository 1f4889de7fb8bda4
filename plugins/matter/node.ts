// The bridge as a node of Matter networks: started on the hub's storage, paired by a code, with its own log level.
import { Environment, Logger, LogLevel, ServerNode, StorageService, SubscriptionsServer, VendorId } from "@matter/main";
import { AggregatorEndpoint } from "@matter/main/endpoints/aggregator";
import type { Log } from "../sdk/index.ts";
import type { Config } from "./config.ts";
import type { Storage } from "./hub.ts";
import { keepIn } from "./storage.ts";

export interface NodeOptions {
  config: Pick<Config, "name" | "port" | "interface">;
  storage: Storage;
  /** Of the hub; shown by other apps. */
  serial: string;
  version: string;
  log: Log;
}

// For tests and for what nobody has certified: other homes ask before they take it.
const TEST_VENDOR = VendorId(0xfff1);
const PRODUCT = 0x8000;

export async function createNode({ config, storage, serial, version, log }: NodeOptions): Promise<ServerNode> {
  const environment = Environment.default;
  logTo(log);
  if (config.interface !== undefined) environment.vars.set("mdns.networkInterface", config.interface);
  await keepIn(storage, environment.get(StorageService), log);
  const node = await ServerNode.create({
    id: "bridge",
    network: { port: config.port },
    productDescription: { name: config.name, deviceType: AggregatorEndpoint.deviceType },
    basicInformation: {
      vendorName: "hub",
      vendorId: TEST_VENDOR,
      productName: "Home-automation hub",
      productId: PRODUCT,
      productLabel: "Hub",
      nodeLabel: config.name,
      serialNumber: serial,
      uniqueId: serial,
      softwareVersionString: version,
    },
  });
  // Otherwise it begins to remember who follows the bridge only after its first restart.
  await node.act((agent) => agent.load(SubscriptionsServer));
  return node;
}

/** What matter.js has to say, in the hub's log. Its notices have the pairing code in them, which is nobody's but an administrator's. */
function logTo(log: Log): void {
  Logger.level = LogLevel.WARN;
  const { default: destination } = Logger.destinations;
  if (!destination) throw new Error("matter.js has no place to log to");
  destination.write = (text, { level, facility }) => {
    const line = Bun.stripANSI(text).split("\n", 1)[0] ?? "";
    if (level >= LogLevel.ERROR) log.warn(line, { of: facility });
    else log.debug(line, { of: facility });
  };
}
