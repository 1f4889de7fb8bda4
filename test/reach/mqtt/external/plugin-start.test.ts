// A plugin that the hub runs at a broker of others: what it says first is seen, however long the hub takes to subscribe there.
import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTemporaryFolder } from "../../../support/temporary-folder.ts";
import { until } from "../../../support/wait.ts";
import { startBroker, startExternalHub } from "./rig.ts";

setDefaultTimeout(60_000);

const PLUGIN = `
import { runPlugin } from ${JSON.stringify(join(import.meta.dir, "../../../../plugins/sdk/index.ts"))};
runPlugin({ version: "1.0.0", start: (plugin) => void plugin.device({ id: "gauge", name: "Gauge" }) });
`;
const TOML = `[[plugins]]
id = "gauges"
binary = "plugins/gauges/bin/gauges.ts"
confine = "off"
`;

interface Plugin {
  status: string;
  pid: number | null;
  restarts: number;
}

test("its registration is not lost where the hub is still about to subscribe, nor after the broker was gone", async () => {
  using folder = createTemporaryFolder();
  mkdirSync(folder.at("plugins", "gauges", "bin"), { recursive: true });
  writeFileSync(folder.at("plugins", "gauges", "bin", "gauges.ts"), PLUGIN);
  await using broker = await startBroker({ held: "#" });
  const client = await broker.client();
  await client.subscribeAsync("hub/plugins/+/register");
  await using hub = await startExternalHub(`mqtt://127.0.0.1:${broker.port}`, { folder, toml: TOML });
  const plugin = () => hub.get<Plugin>("/plugins/gauges");
  // Either it runs already, and its registration comes before the hub's subscription; or it waits.
  await until("it is about to start", async () => {
    const { status, pid } = await plugin();
    return client.messages.length > 0 || (status === "starting" && pid === null);
  });
  await client.publishAsync("grant", "", { qos: 1 });
  await hub.connected();
  await until("its device is there", async () => (await hub.device("gauge"))?.plugin_id === "gauges", {
    timeoutMs: 20_000,
  });

  // One that is started while there is no broker.
  await hub.request("POST", "/plugins/gauges/stop", { token: hub.adminToken });
  await until("its end has come through the broker", async () => (await hub.device("gauge"))?.available === false);
  await hub.request("DELETE", "/devices/gauge", { token: hub.adminToken });
  expect(await hub.device("gauge")).toBeUndefined();
  await broker.kill();
  await hub.troubled("is gone");
  await hub.request("POST", "/plugins/gauges/start", { token: hub.adminToken });
  expect(await plugin()).toMatchObject({ status: "starting", pid: null });
  await using _again = await startBroker({ port: broker.port });
  await hub.connected();
  await until("its device is there again", async () => (await hub.device("gauge"))?.plugin_id === "gauges");
  await until("it is active", async () => (await plugin()).status === "active");
  expect((await plugin()).restarts).toBe(0);
});
