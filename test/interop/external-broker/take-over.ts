// Another program with the hub's client id at mosquitto, for a hub that speaks MQTT 5 and one that speaks 3.1.1. With a lease it is
// the other machine, and whoever has lost the lease steps down; without one the hub says that another program has its client id.
import { createServer, connect as dial } from "node:net";
import type { MqttClient } from "mqtt";
import { systemClock } from "../../../src/kit/time/clock.ts";
import { startExternalHub } from "../../reach/mqtt/external/rig.ts";
import { createTestStanding } from "../../support/fake-standing.ts";
import type { TemporaryFolder } from "../../support/temporary-folder.ts";
import { until } from "../../support/wait.ts";
import { check } from "../checks.ts";
import { assert, CONNECTED, client, mosquitto, place, problems, retained } from "./rig.ts";

const ID = "the-hub";
const VERSIONS = [
  { name: "MQTT 5", protocolVersion: 5 },
  { name: "MQTT 3.1.1", protocolVersion: 4 },
] as const;
// CONNACK of MQTT 5: unsupported protocol version.
const REFUSES_5 = Buffer.from([0x20, 3, 0, 0x84, 0]);

/** A port that leads to another, and there is no MQTT 5 there. */
async function withoutMqtt5(port: number): Promise<Disposable & { port: number }> {
  const server = createServer((near) => {
    near.on("error", () => near.destroy());
    near.once("data", (connect: Buffer) => {
      // Type, length of one or two bytes, "MQTT" with its length, the version.
      if (connect[8] === 5 || connect[9] === 5) {
        near.end(REFUSES_5);
        return;
      }
      const far = dial(port, "127.0.0.1");
      far.on("error", () => far.destroy());
      far.on("close", () => near.destroy());
      near.on("close", () => far.destroy());
      far.write(connect);
      near.pipe(far);
      far.pipe(near);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" ? (address?.port ?? 0) : 0,
    [Symbol.dispose]: () => void server.close(),
  };
}

export async function takeOver(folder: TemporaryFolder): Promise<void> {
  for (const { name, protocolVersion } of VERSIONS) {
    await using broker = await mosquitto(
      folder,
      `taken-${protocolVersion}`,
      "allow_anonymous true\npersistence false\n",
    );
    using way = await withoutMqtt5(broker.port);
    const port = protocolVersion === 5 ? broker.port : way.port;
    const url = `mqtt://127.0.0.1:${port}`;
    const other = (): Promise<MqttClient> => client({ port: broker.port, clientId: ID, protocolVersion });

    await check(
      `${name}, a lease: the hub that has it connects again; the one that has lost it steps down`,
      async () => {
        const standing = createTestStanding(systemClock, { epoch: 5 });
        await using hub = await startExternalHub(url, { toml: `client_id = "${ID}"\n`, standing });
        await hub.connected();
        assert(
          hub.platform.stdout.text.includes(`version=${protocolVersion === 5 ? "5" : "3.1.1"}`),
          hub.platform.stdout.text,
        );
        const first = await other();
        await hub.connected();
        assert(standing.steps.length === 0, standing.steps.join());
        await until("the other one is out", () => !first.connected);
        standing.lease.until = 0;
        const second = await other();
        await until("it steps down", () => standing.steps.length === 1);
        await hub.troubled("no longer the hub");
        assert(second.connected, "the hub that has lost the lease took the session of the other one");
        second.end(true);
      },
    );

    await check(`${name}, a person decides: the note of a later hub keeps this one out`, async () => {
      const watcher = await client({ port: broker.port });
      const standing = createTestStanding(systemClock, { epoch: 6, leased: false });
      await using hub = await startExternalHub(url, { toml: `client_id = "${ID}"\n`, standing });
      await hub.connected();
      const note = { epoch: 7, machine: "machine-b", name: "cellar", house: ID };
      // As the other machine does: it connects, which ends this session, then it reports its epoch.
      const later = await other();
      await later.publishAsync("hub/epoch", JSON.stringify(note), retained);
      await until("it steps down", () => standing.steps.length === 1);
      await hub.troubled("no longer the hub");
      assert(later.connected, "the older hub took the session of the later one");
      await watcher.publishAsync("hub/epoch", "", retained);
      later.end(true);
      watcher.end(true);
    });

    await check(`${name}, alone: another program with the client id is said, with the client id`, async () => {
      await using home = place(`url = "${url}"\nclient_id = "${ID}"`);
      const hub = await home.start();
      await hub.said(CONNECTED);
      const connections = (): number => hub.output.split(CONNECTED).length;
      const isSaid = (): boolean => /again and again|no longer tries/.test(hub.output);
      for (let round = 0; round < 5 && !isSaid(); round++) {
        const before = connections();
        (await other()).end(true);
        await until("the hub notices", () => connections() > before || isSaid());
      }
      const said = await problems(hub);
      assert(said.includes(`client id \\"${ID}\\"`), said);
    });
  }
}
