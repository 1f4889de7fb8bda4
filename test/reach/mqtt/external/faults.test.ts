// What a hub does when the broker of others is gone, frozen, empty, or does not want it: sentences, nothing twice, all back.
// Over 10 s: a broker that is frozen is given up after the seconds of its keep-alive.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { standStill } from "../../../support/processes.ts";
import { createTemporaryFolder } from "../../../support/temporary-folder.ts";
import { unanswered } from "../../../support/unanswered.ts";
import { soon, until } from "../../../support/wait.ts";
import { type BrokerProcess, type Client, type ExternalHub, retained, startBroker } from "./rig.ts";
import { startVirtualHub } from "./virtual-hub.ts";

setDefaultTimeout(90_000);

const PASSWORDS = { hub: "of the hub", sysmon: "of sysmon" };
/** Lets in only who has a password. Nobody kills it. */
let guarded: BrokerProcess;

beforeAll(async () => {
  guarded = await startBroker({ passwords: PASSWORDS });
});
afterAll(async () => guarded[Symbol.asyncDispose]());

const urlOf = ({ port }: BrokerProcess): string => `mqtt://127.0.0.1:${port}`;

async function lampAt(broker: BrokerProcess): Promise<Client> {
  const lamp = await broker.client();
  await lamp.publishAsync("hub/devices/lamp/availability", "online", retained);
  await lamp.publishAsync("hub/devices/lamp/state", '{"on":false}', retained);
  await lamp.subscribeAsync("hub/devices/lamp/cmd", { qos: 1 });
  return lamp;
}

const isThere = (hub: ExternalHub) => until("the lamp is there", async () => (await hub.device("lamp"))?.available);

const turn = (hub: ExternalHub, on: boolean): Promise<Response> =>
  hub.request("PATCH", "/devices/lamp/state", { token: hub.adminToken, body: { on } });

test.concurrent("the broker is killed: commands fail with the reason; it comes back with its data, and all is right again", async () => {
  using folder = createTemporaryFolder();
  const file = folder.at("retained.json");
  await using broker = await startBroker({ retained: file });
  await lampAt(broker);
  await using hub = await startVirtualHub(urlOf(broker));
  await isThere(hub);
  using stream = await hub.openStream({ type: "device_state_changed,device_availability_changed" });
  await hub.connected();
  await broker.kill();
  await hub.troubled("is gone");
  const refused = await hub.meanwhile("the command is refused", turn(hub, true));
  expect([refused.status, await refused.text()]).toEqual([
    503,
    expect.stringContaining("nothing can be sent over MQTT"),
  ]);
  // Nobody knows more of its state than before: it is what it was.
  expect(await hub.device("lamp")).toMatchObject({ available: true, attributes: { on: false } });
  await using again = await startBroker({ port: broker.port, retained: file });
  await hub.back();
  const lamp = await again.client();
  await lamp.subscribeAsync("hub/devices/lamp/cmd", { qos: 1 });
  expect((await unanswered(hub.clock, turn(hub, true))).status).toBe(202);
  await until("the command arrives", () => lamp.messages.length > 0);
  // The one that failed is not sent later.
  expect(lamp.messages).toHaveLength(1);
  await lamp.publishAsync("hub/devices/lamp/state", '{"on":true}', retained);
  await stream.frame("it is on", ({ type }) => type === "device_state_changed");
  expect(stream.frames.map(({ type }) => type)).toEqual(["device_state_changed"]);
});

test.concurrent("a broker that comes back empty takes nothing from the house; what changed meanwhile is seen", async () => {
  await using broker = await startBroker();
  await lampAt(broker);
  await using hub = await startVirtualHub(urlOf(broker));
  await isThere(hub);
  await hub.connected();
  await broker.kill();
  await hub.troubled("is gone");
  await using again = await startBroker({ port: broker.port });
  const lamp = await again.client();
  await lamp.publishAsync("hub/devices/lamp/state", '{"on":true}', retained);
  await lamp.publishAsync("hub/devices/door/state", '{"open":true}', retained);
  await hub.back();
  await until("the change is seen", async () => (await hub.device("lamp"))?.attributes.on === true);
  await until("the new door is known", async () => (await hub.device("door"))?.attributes.open === true);
});

test.concurrent("a command of a short outage waits for the broker and arrives once", async () => {
  await using broker = await startBroker();
  await lampAt(broker);
  await using hub = await startVirtualHub(urlOf(broker));
  await isThere(hub);
  await hub.connected();
  using stream = await hub.openStream({ type: "device_command_failed" });
  await broker.kill();
  await hub.troubled("is gone");
  const turning = turn(hub, true);
  await using again = await startBroker({ port: broker.port });
  const lamp = await again.client();
  await lamp.subscribeAsync("hub/devices/lamp/cmd", { qos: 1 });
  await hub.back();
  expect((await unanswered(hub.clock, turning)).status).toBe(202);
  expect((await unanswered(hub.clock, turn(hub, false))).status).toBe(202);
  await until("the last command arrives", () => lamp.messages.some(({ text }) => text.includes('"on":false')));
  expect(lamp.messages.filter(({ text }) => text.includes('"on":true'))).toHaveLength(1);
  expect(stream.frames).toEqual([]);
});

test.concurrent("a broker that dies again and again right after its start is not taken for one with another hub", async () => {
  let broker = await startBroker();
  await using hub = await startVirtualHub(urlOf(broker));
  await hub.connected();
  for (let time = 0; time < 6; time++) {
    await broker.kill();
    await hub.says("nobody listens there");
    broker = await startBroker({ port: broker.port });
    await hub.back();
  }
  await broker.kill();
  expect(hub.platform.stdout.text).not.toContain("another program");
  await hub.troubled("is gone");
  // The clock stands: it waits for nothing.
  await soon("the hub has stopped without its broker", Promise.resolve(hub[Symbol.asyncDispose]()), 20_000);
});

test.concurrent("a broker that freezes is noticed; what was under way fails and is not sent again", async () => {
  await using broker = await startBroker();
  const lamp = await lampAt(broker);
  await using hub = await startVirtualHub(urlOf(broker));
  await isThere(hub);
  await hub.connected();
  const { clock } = hub;
  const isAcknowledged = (): boolean => !clock.pending().includes("mqtt acknowledgement");
  await until("all is acknowledged", isAcknowledged);
  await standStill(broker.pid);
  const turning = turn(hub, true);
  await until("the command is under way", () => !isAcknowledged());
  await clock.advance(10_000);
  const answer = await turning;
  expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining("may or may not have arrived")]);
  await hub.troubled("no longer answers");
  process.kill(broker.pid, "SIGCONT");
  await hub.back();
  expect((await unanswered(hub.clock, turn(hub, false))).status).toBe(202);
  await until("the last command arrives", () => lamp.messages.some(({ text }) => text.includes('"on":false')));
  // It was in the socket when the broker froze.
  expect(lamp.messages.filter(({ text }) => text.includes('"on":true')).length).toBeLessThanOrEqual(1);
});

test.concurrent("the hub starts without a broker, says so, and is there when it comes", async () => {
  await using gone = await startBroker();
  await gone.kill();
  await using hub = await startVirtualHub(urlOf(gone));
  await hub.troubled("nobody listens there");
  await using broker = await startBroker({ port: gone.port });
  await lampAt(broker);
  await hub.back();
  await isThere(hub);
});

test.concurrent("a wrong password is said without the password", async () => {
  await using hub = await startVirtualHub(urlOf(guarded), { toml: 'username = "hub"\npassword = "wrong-one"\n' });
  expect(await hub.troubled("check username and password of [mqtt]")).not.toContain("wrong-one");
  expect(hub.platform.stdout.text).not.toContain("wrong-one");
});

test.concurrent("a broker that lacks what the hub needs is refused with what it lacks", async () => {
  await using forgetful = await startBroker({ forgetful: true });
  await using hub = await startVirtualHub(urlOf(forgetful), { unanswered: true });
  await hub.says("gets no retained messages");
  await using strict = await startBroker({ denied: ["hub/devices/"] });
  await using other = await startVirtualHub(urlOf(strict), { unanswered: true });
  await other.says("may not publish to topics such as hub/devices/_probe/cmd");
});

test.concurrent("the account of a plugin is tried when it starts, and what is wrong with it is said", async () => {
  const login = 'username = "hub"\npassword = "of the hub"\n';
  const plugin = (more: string) => `${login}[[plugins]]\nid = "sysmon"\nbinary = "/bin/true"\nconfine = "off"\n${more}`;
  await using without = await startVirtualHub(urlOf(guarded), { toml: plugin("") });
  const record = await until("it cannot be started", async () => {
    const { last_exit } = await without.get<{ last_exit: { reason: string } | null }>("/plugins/sysmon");
    return last_exit;
  });
  expect(record.reason).toContain('make one named "sysmon" there');
  await using wrong = await startVirtualHub(urlOf(guarded), { toml: plugin('password = "some other"') });
  const said = await wrong.troubled('"sysmon" cannot log in');
  expect(said).not.toContain("some other");
  await using strict = await startBroker({ passwords: PASSWORDS, denied: ["hub/plugins/sysmon"] });
  await using unable = await startVirtualHub(urlOf(strict), {
    ...{ toml: plugin('password = "of sysmon"'), unanswered: true },
  });
  await unable.says('"sysmon" of a plugin may not publish to hub/plugins/sysmon/_probe');
});

test.concurrent("a broker that lacks for a while what it had, as a cluster does that elects its leaders, is tried again soon", async () => {
  await using broker = await startBroker();
  await using hub = await startVirtualHub(urlOf(broker), { unanswered: true });
  await hub.connected();
  await broker.kill();
  {
    await using forgetful = await startBroker({ port: broker.port, forgetful: true });
    await hub.says("gets no retained messages");
    await forgetful.kill();
  }
  await using _again = await startBroker({ port: broker.port });
  await hub.back();
});
