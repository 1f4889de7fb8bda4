// The compiled hub at brokers of others: Debian's mosquitto with TLS and rights, two mosquittos bridged as docs/external-broker.md
// says, another program with the hub's client id, and a cluster of three NATS servers. Needs mosquitto, nats-server and openssl.
// bun test/interop/external-broker.ts [HUB [PART]].
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { createCertificates } from "../reach/notify/certificates.ts";
import { freePorts } from "../support/free-port.ts";
import { createHubPlace } from "../support/hub-place.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../support/temporary-folder.ts";
import { soon, until } from "../support/wait.ts";
import { check, printTotals } from "./checks.ts";
import {
  assert,
  binary,
  block,
  CONNECTED,
  client,
  command,
  device,
  mosquitto,
  only,
  place,
  problems,
  type Row,
  retained,
  serve,
} from "./external-broker/rig.ts";
import { certificates, webSockets } from "./external-broker/secure.ts";
import { takeOver } from "./external-broker/take-over.ts";

async function single(folder: TemporaryFolder): Promise<void> {
  const { authority } = createCertificates(folder);
  const [passwords, rights] = [folder.at("passwords"), folder.at("rights")];
  const plain = { hub: "of the hub", sysmon: "of the monitor", zigbee: "of the bridge" };
  writeFileSync(
    passwords,
    Object.entries(plain)
      .map(([name, text]) => `${name}:${text}\n`)
      .join(""),
  );
  Bun.spawnSync(["mosquitto_passwd", "-U", passwords]);
  writeFileSync(rights, block("user hub"));
  for (const file of [folder.at("key"), folder.at("cert"), passwords, rights]) chmodSync(file, 0o600);
  const tls = `cafile ${authority}\ncertfile ${folder.at("cert")}\nkeyfile ${folder.at("key")}\n`;
  const lines = `allow_anonymous false\npassword_file ${passwords}\nacl_file ${rights}\npersistence true\npersistence_location ${folder.path}/\nautosave_interval 1\nautosave_on_changes true\n${tls}`;
  const broker = await mosquitto(folder, "single", lines);
  await using _broker = broker;
  const secure = { host: "localhost", port: broker.port, protocol: "mqtts", ca: readFileSync(authority) } as const;
  const lamp = await client({ ...secure, username: "zigbee", password: plain.zigbee });
  await lamp.publishAsync("hub/devices/lamp/availability", "online", retained);
  await lamp.publishAsync("hub/devices/lamp/state", '{"on":false}', retained);
  await lamp.subscribeAsync("hub/devices/lamp/cmd", { qos: 1 });
  const plugin = '[[plugins]]\nid = "sysmon"\nbinary = "plugins/sysmon/bin/sysmon.js"\npassword = "of the monitor"\n';
  const login = `client_id = "the-hub"\nca = "${authority}"\nusername = "hub"\npassword = "of the hub"\n`;
  await using home = place(`url = "mqtts://localhost:${broker.port}"\n${login}`, plugin);
  await home.run(["init"]);
  const hub = await home.start();
  await check("mosquitto: TLS, a password, the page's rights: connected with MQTT 5", () =>
    hub.said(/connected to the MQTT broker.*version=5/),
  );
  await check("mosquitto: what is retained is a device", () =>
    until("the lamp is there", async () => (await device(hub, "lamp"))?.available),
  );
  await check("mosquitto: a command arrives once", async () => {
    const { status, text } = await command(hub, "lamp", { on: true });
    assert(status === 202, `${status} ${text}`);
    await until("it arrives", () => lamp.received.length > 0);
    assert(lamp.received.length === 1, lamp.received.join());
  });
  await check("mosquitto: a plugin that the hub runs logs in over TLS with its own account", () =>
    until("it is active", async () => (await hub.get<{ status: string }>("/plugins/sysmon")).status === "active"),
  );
  await check("mosquitto: … and its devices are there", () =>
    until("a device of sysmon", async () =>
      (await hub.get<Row[]>("/devices")).some((row) => row.plugin_id === "sysmon"),
    ),
  );
  await check("mosquitto: killed and back with its data: seen again, and nothing is sent twice", async () => {
    await lamp.publishAsync("hub/devices/lamp/state", '{"on":false,"saved":true}', retained);
    const saved = folder.at("mosquitto.db");
    await until("the broker has saved it", () => existsSync(saved) && readFileSync(saved).includes('"saved":true'));
    const connections = hub.output.split(CONNECTED).length;
    lamp.end(true);
    await broker.kill();
    await hub.said("is gone");
    const { status } = await command(hub, "lamp", { on: false });
    assert(status === 503, `the command is answered ${status}`);
    const again = await mosquitto(folder, "single", lines, broker.port);
    await using _again = again;
    await until("connected again", () => hub.output.split(CONNECTED).length > connections);
    const back = await client({ ...secure, username: "zigbee", password: plain.zigbee });
    await back.subscribeAsync("hub/devices/lamp/cmd", { qos: 1 });
    const next = await command(hub, "lamp", { on: true });
    assert(next.status === 202, `the next command is answered ${next.status} ${next.text}: ${hub.output.slice(-1000)}`);
    await until("the next command arrives", () => back.received.length > 0);
    assert(back.received.length === 1 && (back.received[0] ?? "").includes('"on":true'), back.received.join());
    await check("mosquitto: a second program with the hub's client id is said", async () => {
      for (let round = 0; round < 5; round++) {
        const before = hub.output.split(CONNECTED).length;
        const other = await client({
          ...secure,
          username: "hub",
          password: plain.hub,
          clientId: "the-hub",
          protocolVersion: 5,
        });
        other.end(true);
        await until(
          "the hub notices",
          () => hub.output.split(CONNECTED).length > before || hub.output.includes("again and again"),
        );
      }
      await until("the hub says so", async () => (await problems(hub)).includes("another program with the client id"));
    });
    back.end(true);
  });
}

/** Two houses, each with its broker and its hub. */
async function bridged(folder: TemporaryFolder): Promise<void> {
  const open = "allow_anonymous true\npersistence false\n";
  await using cottage = await mosquitto(folder, "cottage", open);
  const bridge = block("connection cottage").replace(/address .*/, `address 127.0.0.1:${cottage.port}`);
  await using town = await mosquitto(folder, "town", `${open}${bridge}`);
  await using ofTown = place(`url = "mqtt://127.0.0.1:${town.port}"`);
  await using ofCottage = place(`url = "mqtt://127.0.0.1:${cottage.port}"`);
  const [inTown, inCottage] = await Promise.all([ofTown.start(), ofCottage.start()]);
  const lamp = await client({ port: cottage.port });
  // Its own alone: a hub that connects tries the broker out with commands for a device that nobody has.
  await lamp.subscribeAsync("hub/devices/cottage_lamp/cmd", { qos: 1 });
  await check("a bridge of two houses: each hub has a lamp of the cottage", async () => {
    await Promise.all([inTown.said(CONNECTED), inCottage.said(CONNECTED)]);
    await until("the state passes", async () => {
      await lamp.publishAsync("hub/devices/cottage_lamp/state", '{"on":false}', retained);
      return (await device(inTown, "cottage_lamp")) && (await device(inCottage, "cottage_lamp"));
    });
  });
  await check("a bridge of two houses: a command from the other house arrives once", async () => {
    await command(inTown, "cottage_lamp", { on: true });
    await until("it arrives", () => lamp.received.length > 0);
    await command(inCottage, "cottage_lamp", { on: false });
    await until("the next arrives", () => lamp.received.some((text) => text.includes('"on":false')));
    assert(lamp.received.length === 2, lamp.received.join("\n"));
  });
  await check("a bridge of two houses: the answer is the state in both", async () => {
    await lamp.publishAsync("hub/devices/cottage_lamp/state", '{"on":true}', retained);
    for (const hub of [inTown, inCottage])
      await until("it is on", async () => (await device(hub, "cottage_lamp"))?.attributes.on === true);
  });
  lamp.end(true);
}

/** A mosquitto bridged to a hub with its own broker. */
async function bridgedToHub(folder: TemporaryFolder): Promise<void> {
  const rights =
    '[[mqtt.users]]\nusername = "bridge"\npassword = "a-long-one"\npublish = ["hub/devices/#"]\nsubscribe = ["hub/devices/#"]\n';
  await using home = createHubPlace({ mqtt: "anonymous = true", toml: rights }, undefined, resolve(binary));
  const hub = await home.start();
  const bridge = block("connection cottage").replace(/address .*/, `address 127.0.0.1:${hub.mqttPort}`);
  await using town = await mosquitto(folder, "hubs", `allow_anonymous true\npersistence false\n${bridge}`);
  const lamp = await client({ port: town.port });
  await lamp.subscribeAsync("hub/devices/cottage_lamp/cmd", { qos: 1 });
  await check("a bridge to a hub's own broker: a device there, and a command back, once", async () => {
    await until("the state passes", async () => {
      await lamp.publishAsync("hub/devices/cottage_lamp/state", '{"on":false}', retained);
      return device(hub, "cottage_lamp");
    });
    await command(hub, "cottage_lamp", { on: true });
    await until("it arrives", () => lamp.received.length > 0);
    await command(hub, "cottage_lamp", { on: false });
    await until("the next arrives", () => lamp.received.some((text) => text.includes('"on":false')));
    assert(lamp.received.length === 2, lamp.received.join("\n"));
  });
  lamp.end(true);
}

async function nats(folder: TemporaryFolder): Promise<void> {
  const ports = freePorts(9);
  const nodes = [0, 1, 2].map((index) => {
    const [client = 0, mqtt = 0, route = 0] = ports.slice(3 * index);
    return { name: `n${index}`, client, mqtt, route };
  });
  const routes = nodes.map(({ route }) => `nats://127.0.0.1:${route}`).join(", ");
  await using servers = new AsyncDisposableStack();
  await Promise.all(
    nodes.map(async ({ name, client: port, mqtt, route }) => {
      const file = folder.at(`${name}.conf`);
      writeFileSync(
        file,
        `server_name: ${name}\nhost: 127.0.0.1\nport: ${port}\njetstream { store_dir: "${folder.at(name)}" }\nmqtt { host: 127.0.0.1, port: ${mqtt} }\ncluster { name: c, host: 127.0.0.1, port: ${route}, routes: [${routes}] }\n`,
      );
      return servers.use(await serve(["nats-server", "-c", file], mqtt));
    }),
  );
  const [first, second, third] = nodes.map(({ mqtt }) => mqtt);
  const device1 = await until("the cluster has a leader", () => client({ port: third }).catch(() => undefined), {
    timeoutMs: 90_000,
  });
  await soon("a publish is taken", device1.publishAsync("hub/devices/lamp/state", '{"on":false}', retained));
  await device1.subscribeAsync("hub/devices/lamp/cmd", { qos: 1 });
  await using home = place(`url = "mqtt://127.0.0.1:${first}"\nmore_urls = ["mqtt://127.0.0.1:${second}"]`);
  const hub = await home.start();
  await check(
    "NATS, three nodes: connected with MQTT 3.1.1, and the probe says what topics it cannot have",
    async () => {
      await hub.said(/connected to the MQTT broker.*version=3.1.1.*dots_in_topics=false/, 90_000);
      assert((await problems(hub)).includes("closes the connection on topics with dots"), await problems(hub));
    },
  );
  await check("NATS: what is retained is a device, and a command arrives at another node, once", async () => {
    await until("the lamp is there", () => device(hub, "lamp"));
    await command(hub, "lamp", { on: true });
    await until("it arrives", () => device1.received.length > 0);
    assert(device1.received.length === 1, device1.received.join());
  });
  await check("NATS: a topic with a dot is not sent, and the connection stays", async () => {
    await device1.publishAsync("hub/plugins/p/register", '{"device_id":"a.b"}', { qos: 1 });
    await until("the device is there", () => device(hub, "a.b"));
    const { status, text } = await command(hub, "a.b", { on: true });
    assert(status >= 400 && text.includes("dots or spaces"), `${status} ${text}`);
    assert((await command(hub, "lamp", { on: false })).status === 202, "the connection is gone");
  });
  device1.end(true);
}

const parts = [single, takeOver, certificates, webSockets, bridged, bridgedToHub, nats];
for (const part of parts.filter(({ name }) => only === undefined || name === only)) {
  using folder = createTemporaryFolder();
  chmodSync(folder.path, 0o755);
  await check(part.name, () => part(folder));
}
process.exit(printTotals());
