// matter: devices of the hub in Apple Home, Google Home, Alexa and every other Matter home. It reads and commands them over the hub's API.
import type { ServerNode } from "@matter/main";
import { config as runtime } from "@matter/nodejs/config";
import { runPlugin } from "../sdk/index.ts";
import type { Bridge } from "./bridge.ts";
import { chooser } from "./chosen.ts";
import { type Config, configSchema, type MatterPlugin } from "./config.ts";
import { connectHub, type HubClient } from "./hub.ts";

// The hub decides what it reads and when it ends. Before matter.js is loaded.
Object.assign(runtime, {
  loadProcessEnv: false,
  loadProcessArgv: false,
  loadConfigFile: false,
  trapProcessSignals: false,
});

const VERSION = "1.0.0";
/** No event says that a device was removed, or got another area, tag or ability. */
const REFRESH_MS = 60_000;

/** The bridge in the networks of other homes. It stays while only what is bridged is changed: nobody loses it for that. */
interface Running extends AsyncDisposable {
  config: Config;
  hub: HubClient;
  node: ServerNode;
  bridge: Bridge;
}

let kept: Running | undefined;

runPlugin({
  version: VERSION,
  configSchema,
  async start(plugin) {
    const { config, log } = plugin;
    const running = kept ?? (await open(plugin));
    const { hub, node, bridge } = running;
    // Where this fails, the configuration before is tried with it.
    kept = running;
    const report = (error: unknown) => log.error("the hub's devices cannot be read", { error: String(error) });
    await bridge.choose(chooser(config));
    if (!node.lifecycle.isOnline) await node.start();
    kept = undefined;
    log.info("devices are bridged", { devices: bridge.size, port: config.port });
    hub.follow({
      changed: (id) => void bridge.changed(id).catch(report),
      pressed: (id, action) => void bridge.pressed(id, action).catch(report),
      lost: () => void bridge.refresh().catch(report),
    });
    plugin.every(REFRESH_MS, bridge.refresh);
    const { addPairing } = await import("./pairing.ts");
    const endPairing = addPairing(plugin, node);
    return async () => {
      endPairing();
      hub.unfollow();
      // Stopped for another configuration, which is there by now, and not for good.
      const isChange = plugin.config !== config;
      if (isChange && isSameNode(plugin.config, running.config)) kept = running;
      else await running[Symbol.asyncDispose]();
    };
  },
});

async function open({ id, config, log }: MatterPlugin): Promise<Running> {
  const hub = connectHub(process.env, id, log);
  const [{ createNode }, { createBridge }] = await Promise.all([import("./node.ts"), import("./bridge.ts")]);
  const node = await createNode({ config, storage: hub.storage, serial: id, version: VERSION, log });
  const bridge = await createBridge({ node, hub, log });
  return {
    ...{ config, hub, node, bridge },
    [Symbol.asyncDispose]: () => node.close(),
  };
}

function isSameNode(a: Config, b: Config): boolean {
  return a.name === b.name && a.port === b.port && a.interface === b.interface;
}
