// `hub device-account` beside a running and a stopped hub: what it prints lets a device in, until the account is removed.
import { afterEach, expect, test } from "bun:test";
import { connectAsync, type MqttClient } from "mqtt";
import { freePort } from "../support/free-port.ts";
import { createHubPlace, type HubPlace, SECRET } from "../support/hub-place.ts";
import { soon, until } from "../support/wait.ts";

function configure(place: HubPlace, host: string, mqttPort: number): void {
  const server = `[server]\nhost = "127.0.0.1"\nport = 0\n[auth]\njwt_secret = "${SECRET}"\n`;
  place.put("config/hub.toml", `${server}[mqtt]\nhost = "${host}"\nport = ${mqttPort}\n`, 0o600);
}

interface Pasted {
  mqtt: { server: string; user: string; password: string; base_topic: string };
}

/** As Zigbee2MQTT reads its configuration.yaml. */
function pastedFrom(stdout: string): Pasted["mqtt"] {
  return (Bun.YAML.parse(stdout.slice(stdout.indexOf("mqtt:\n"))) as Pasted).mqtt;
}

const clients: MqttClient[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.end(true);
});

async function login({ server, user, password }: Pasted["mqtt"]): Promise<MqttClient> {
  const client = await connectAsync(server, { username: user, password, reconnectPeriod: 0, connectTimeout: 20_000 });
  clients.push(client);
  return client;
}

test("made by command while the hub runs, used with the printed lines, removed by command", async () => {
  await using place = createHubPlace();
  configure(place, "127.0.0.1", freePort());
  await using hub = await place.start();
  const made = await place.run(["device-account", "bridge", "--for", "zigbee2mqtt", "--base", "house/zigbee"]);
  expect({ code: made.code, stderr: made.stderr }).toEqual({ code: 0, stderr: "" });
  expect(made.stdout).toContain('set host = "0.0.0.0" under [mqtt]');
  const pasted = pastedFrom(made.stdout);
  expect(pasted.base_topic).toBe("house/zigbee");

  const bridge = await login(pasted);
  const received: string[] = [];
  bridge.on("message", (topic) => received.push(topic));
  await bridge.subscribeAsync("house/zigbee/#", { qos: 1 });
  for (const topic of ["zigbee2mqtt/lamp", "hub/devices/lamp/state", "house/zigbee/lamp"])
    await bridge.publishAsync(topic, '{"state":"ON"}', { qos: 1 });
  await until("what is allowed comes back", () => received.length > 0);
  expect(received).toEqual(["house/zigbee/lamp"]);
  await hub.said("a publish was denied and dropped");
  expect(await hub.get<unknown[]>("/devices")).toEqual([]);

  const list = await place.run(["device-account", "--list"]);
  expect(list.stdout).toBe("bridge  zigbee2mqtt house/zigbee\n");
  const gone = soon("the client is disconnected", new Promise((resolve) => bridge.once("close", () => resolve(true))));
  expect(await place.run(["device-account", "bridge", "--remove"])).toMatchObject({ code: 0, stderr: "" });
  await gone;
  await expect(login(pasted)).rejects.toThrow("Bad username or password");
  const audit = await hub.get<{ action: string; target: string; actor: { name: string } }[]>("/system/audit");
  const done = audit.filter(({ target }) => target === "bridge").map(({ action, actor }) => [action, actor.name]);
  expect(done).toEqual(["remove", "create"].map((act) => [`mqtt_account.${act}`, "hub device-account"]));
  expect(hub.output).not.toContain(pasted.password);
});

test("a broker beyond this machine needs an account, and one made by command is enough", async () => {
  await using place = createHubPlace();
  const port = freePort();
  configure(place, "127.0.0.1", port);
  await using first = await place.start();
  await first.end();
  configure(place, "0.0.0.0", port);
  const refused = await place.run(["check"]);
  expect({ code: refused.code, named: refused.stderr.includes("`hub device-account`") }).toEqual({
    code: 1,
    named: true,
  });

  const made = await place.run(["device-account", "bridge", "--for", "zigbee2mqtt", "--json"]);
  const { password, notes } = JSON.parse(made.stdout) as { password: string; notes: string[] };
  expect(notes.join()).not.toContain("0.0.0.0");
  expect((await place.run(["check"])).code).toBe(0);
  {
    await using hub = await place.start();
    const server = `mqtt://127.0.0.1:${hub.mqttPort}`;
    const client = await login({ server, user: "bridge", password, base_topic: "" });
    expect(client.connected).toBe(true);
    await hub.end();
  }
  // The last one's removal must not keep the house dark at the next power cut.
  expect((await place.run(["device-account", "bridge", "--remove"])).code).toBe(0);
  await using again = await place.start();
  expect(again.mqttPort).toBe(port);
});

test("mistakes are named, and change nothing", async () => {
  await using place = createHubPlace();
  const none = await place.run(["device-account", "x", "--for", "shelly"]);
  expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining("start it once") });
  await using hub = await place.start();
  const mistakes: [string[], string][] = [
    [["x"], "give one of --for KIND"],
    [["--for", "shelly"], "give the account's NAME"],
    [["x", "--for", "shelly", "--remove"], "give one of --for KIND"],
    [["a/b", "--for", "shelly"], "name: must have 1 to 255 characters"],
    [["lamps", "--for", "shelly"], '"lamps" is in [[mqtt.users]] of hub.toml: take another name'],
    [["x", "--for", "custom", "--publish", "a/#/b,c"], "publish[0]: must be a topic pattern"],
    [["x", "--remove"], 'there is no MQTT account "x"'],
    [["x", "--new-password"], 'there is no MQTT account "x"'],
  ];
  for (const [args, words] of mistakes) {
    const { code, stdout, stderr } = await place.run(["device-account", ...args]);
    expect({ args, code, stdout }).toEqual({ args, code: 1, stdout: "" });
    expect(stderr).toContain(words);
  }
  expect(await hub.get<unknown[]>("/mqtt/accounts")).toEqual([]);
});

test("accounts are in the backup, and hub.toml wins where it has the name", async () => {
  await using place = createHubPlace();
  await using hub = await place.start();
  const made = await place.run(["device-account", "plug", "--for", "shelly", "--json"]);
  const { password } = JSON.parse(made.stdout) as { password: string };
  await hub.end();
  expect((await place.run(["backup", place.at("house.tar.gz")])).code).toBe(0);
  expect((await place.run(["device-account", "plug", "--remove"])).code).toBe(0);
  expect(await place.run(["restore", place.at("house.tar.gz")])).toMatchObject({ code: 0 });
  {
    await using restored = await place.start();
    const client = await restored.mqtt({ username: "plug", password });
    expect(client.connected).toBe(true);
    await restored.end();
  }
  place.configure({ toml: '[[mqtt.users]]\nusername = "plug"\npassword = "of hub.toml"\n' });
  await using clashing = await place.start();
  const client = await clashing.mqtt({ username: "plug", password: "of hub.toml" });
  expect(client.connected).toBe(true);
  await expect(clashing.mqtt({ username: "plug", password })).rejects.toThrow("Bad username or password");
  const { problems } = await clashing.get<{ problems: { part: string; message: string }[] }>("/system/status");
  expect(problems).toContainEqual({
    part: "mqtt",
    message: expect.stringContaining("hub device-account plug --remove"),
  });
});
