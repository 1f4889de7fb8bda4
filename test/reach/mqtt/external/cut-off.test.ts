// A hub that is cut off in the middle of a rule: its command may have arrived, and the message behind it is not lost.
import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { systemClock } from "../../../../src/kit/time/clock.ts";
import { createTestStanding } from "../../../support/fake-standing.ts";
import { standStill } from "../../../support/processes.ts";
import { createTemporaryFolder } from "../../../support/temporary-folder.ts";
import { until } from "../../../support/wait.ts";
import { retained, startBroker, startExternalHub } from "./rig.ts";

setDefaultTimeout(60_000);

const CHANNEL = `[[notify.channels]]
name = "phone"
type = "webhook"
url = "http://127.0.0.1:9/"
allow_local = true
body = '{"text": "{{message}}"}'
`;
const RULE = `(
  id: "bell", name: "Bell", trigger: ManualTrigger,
  actions: [
    SetDeviceState(device_id: "lamp", state: (on: true)),
    Notify(channel: "phone", message: "somebody is at the door"),
  ],
)`;

test("the message of a rule whose command nobody acknowledged is in the outbox when the hub has stopped", async () => {
  using folder = createTemporaryFolder();
  mkdirSync(folder.at("rules"));
  writeFileSync(folder.at("rules", "bell.ron"), RULE);
  await using broker = await startBroker();
  const lamp = await broker.client();
  await lamp.publishAsync("hub/devices/lamp/availability", "online", retained);
  const standing = createTestStanding(systemClock);
  {
    await using hub = await startExternalHub(`mqtt://127.0.0.1:${broker.port}`, { folder, standing, toml: CHANNEL });
    await until("the lamp is there", async () => (await hub.device("lamp"))?.available);
    await standStill(broker.pid);
    const ran = await hub.request("POST", "/rules/bell/run", { token: hub.adminToken });
    expect(ran.status).toBe(202);
    await until("the command is under way", async () => (await hub.get<unknown[]>("/rules/bell/runs")).length === 1);
    standing.lease.lose("the lease has ended");
    await until("it steps down", () => standing.steps.length === 1);
  }
  process.kill(broker.pid, "SIGCONT");
  using db = new Database(folder.at("data", "state.redb"), { readonly: true });
  expect(db.query("SELECT message FROM outbox").all()).toEqual([{ message: "somebody is at the door" }]);
});
