// Cameras on the compiled hub, with a real client of its broker and real cameras at addresses: what they show is seen by who may look,
// is fetched from where it may be, and the last ones are there after a restart.
import { afterAll, beforeAll, expect } from "bun:test";
import { join } from "node:path";
import type { MqttClient } from "mqtt";
import { PICTURES, serveCamera } from "../reach/notify/pictures/rig.ts";
import { downloadBackup, readZip } from "../support/archives.ts";
import { createHubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { story } from "../support/story.ts";
import { until } from "../support/wait.ts";

const named = serveCamera(() => new Response(PICTURES.gif));
const sly = serveCamera(() => new Response(PICTURES.png));
const redirecting = serveCamera(() => Response.redirect(sly.url));
const place = createHubPlace({
  toml: `[notify]
picture_hosts = ["${named.host}", "${redirecting.host}"]
[[mqtt.users]]
username = "cameras"
password = "cameras-password"
publish = ["homeassistant/#", "frigate/#", "bell/#"]
subscribe = ["homeassistant/#"]
`,
});
let hub: HubProcess;
let client: MqttClient;

beforeAll(async () => {
  hub = await place.start();
  client = await hub.mqtt({ username: "cameras", password: "cameras-password" });
});
afterAll(async () => {
  await client.endAsync();
  for (const camera of [named, sly, redirecting]) camera[Symbol.dispose]();
  await place[Symbol.asyncDispose]();
});

const say = (topic: string, payload: string | Buffer) => client.publishAsync(topic, payload, { qos: 1 });
const picture = async (path: string) => {
  const answer = await hub.request("GET", path);
  return { status: answer.status, type: answer.headers.get("content-type"), etag: answer.headers.get("etag") };
};
const isThere = (path: string, type: string) =>
  until(`${type} at ${path}`, async () => (await picture(path)).type === type);

const step = story("what cameras show");

step("Frigate's snapshots are there by their kind", async () => {
  await say("frigate/porch/person/snapshot", PICTURES.jpg);
  await say("frigate/porch/car/snapshot", PICTURES.png);
  await isThere("/devices/frigate_porch/picture?of=person", "image/jpeg");
  await isThere("/devices/frigate_porch/picture?of=car", "image/png");
});

step("an image is fetched from a service that a person named, and from no other of this machine", async () => {
  const config = JSON.stringify({ unique_id: "v", device: { ids: "bell", name: "Bell" }, url_topic: "bell/url" });
  await say("homeassistant/image/bell/config", config);
  await say("bell/url", named.url);
  await isThere("/devices/bell/picture", "image/gif");
  await say("bell/url", sly.url);
  const problem = async () => JSON.stringify(await hub.get("/discovery"));
  await until("it is refused", async () => (await problem()).includes("is a service of this machine itself"));
  await say("bell/url", redirecting.url);
  await until("so is where it sends on to", async () => (await problem()).includes(`${sly.host} is a service of this`));
  expect(sly.asked).toEqual([]);
});

step("a backup has none, and a house that is restored keeps those of its cameras", async () => {
  const before = await picture("/devices/frigate_porch/picture?of=person");
  // One a second goes to the card.
  await until(
    "all are on disk",
    async () => [...new Bun.Glob("*/*.*").scanSync(place.at("data/device-pictures"))].length === 3,
  );
  await client.endAsync();
  const zip = join(place.cwd, "..", "house.zip");
  await downloadBackup(hub, zip);
  expect(Object.keys(readZip(zip)).filter((name) => /picture|\.(jpg|png|gif)$/.test(name))).toEqual([]);
  const headers = { authorization: `Bearer ${await hub.adminToken()}`, ...(await hub.confirmed()) };
  const restored = await fetch(`${hub.api}/system/restore`, { method: "POST", headers, body: Bun.file(zip) });
  expect(restored.status).toBeLessThan(300);
  const last = async () => (await hub.get<{ last_restore: { ok: boolean } | null }>("/system/status")).last_restore;
  await until("it is restored", async () => (await last().catch(() => null))?.ok);
  expect(await picture("/devices/frigate_porch/picture?of=person")).toEqual(before);
  client = await hub.mqtt({ username: "cameras", password: "cameras-password" });
});

step("the last ones are there after a restart, and go with their device", async () => {
  const before = await picture("/devices/frigate_porch/picture?of=person");
  await client.endAsync();
  await hub.end();
  hub = await place.start();
  expect(await picture("/devices/frigate_porch/picture?of=person")).toEqual(before);
  expect((await hub.request("DELETE", "/devices/frigate_porch")).status).toBe(204);
  expect((await picture("/devices/frigate_porch/picture")).status).toBe(404);
  client = await hub.mqtt({ username: "cameras", password: "cameras-password" });
});
