// Pictures over the API of a whole hub: with their type, tag and time, as a list, for whoever may read devices, and in messages.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connectAsync, type MqttClient } from "mqtt";
import { PICTURES, serveCamera, serveForms } from "../../reach/notify/pictures/rig.ts";
import { startTestHub, type TestHub } from "../../support/test-hub.ts";
import { until } from "../../support/wait.ts";

const ok = () => Response.json({ ok: true, result: { message_id: 1 } });
let place: ReturnType<typeof serveForms>;
let camera: ReturnType<typeof serveCamera>;
let hub: TestHub;
let client: MqttClient;

beforeAll(async () => {
  place = serveForms(ok);
  camera = serveCamera(() => new Response(PICTURES.png));
  hub = await startTestHub({
    fetch,
    toml: `
[discovery]
anonymous = true
[[notify.channels]]
name = "chat"
type = "messaging_bot"
bot_token = "12345:token"
chat_id = "7"
api_url = "${place.url}"
`,
  });
  client = await connectAsync(`mqtt://127.0.0.1:${hub.mqttPort}`, { clientId: "cameras" });
});
afterAll(async () => {
  await client.endAsync();
  await hub[Symbol.asyncDispose]();
  place[Symbol.dispose]();
  camera[Symbol.dispose]();
});

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${hub.api}${path}`, { headers: { authorization: `Bearer ${hub.adminToken}`, ...headers } });

async function announce(id: string, component: string, config: object): Promise<void> {
  const payload = JSON.stringify({ unique_id: id, device: { ids: id, name: id }, ...config });
  await client.publishAsync(`homeassistant/${component}/${id}/config`, payload, { qos: 1 });
  await until("the camera is there", async () => (await get(`/devices/${id}`)).status === 200);
}

async function show(topic: string, picture: Buffer, id: string): Promise<void> {
  await client.publishAsync(topic, picture, { qos: 1 });
  await until("the picture is there", async () =>
    Buffer.from(await (await get(`/devices/${id}/picture`)).arrayBuffer()).equals(picture),
  );
}

describe("GET /devices/:id/picture", () => {
  test("answers with the newest, its type by its bytes, and what keeps browsers from taking it for more", async () => {
    await announce("bell", "camera", { topic: "bell/picture" });
    expect((await get("/devices/bell/picture")).status).toBe(404);
    await show("bell/picture", PICTURES.webp, "bell");
    const answer = await get("/devices/bell/picture");
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "image/webp",
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
    });
    const [etag, time] = [answer.headers.get("etag") ?? "", answer.headers.get("last-modified") ?? ""];
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    for (const headers of [{ "if-none-match": etag }, { "if-modified-since": time }]) {
      const again = await get("/devices/bell/picture", headers as never);
      expect({ status: again.status, text: await again.text() }).toEqual({ status: 304, text: "" });
    }
    expect((await get("/devices/bell/picture", { "if-none-match": '"other"' })).status).toBe(200);
    await until("the device says when", async () => {
      const { attributes } = (await (await get("/devices/bell")).json()) as { attributes: { picture_at?: string } };
      return attributes.picture_at !== undefined;
    });
  });

  test("has earlier ones by their time, and lists them", async () => {
    await announce("yard", "camera", { topic: "yard/picture" });
    await show("yard/picture", PICTURES.jpg, "yard");
    await until("it is on disk", async () => {
      await show("yard/picture", PICTURES.jpegOf(String(Math.random())), "yard");
      return ((await (await get("/devices/yard/pictures")).json()) as object[]).length > 1;
    });
    const list = (await (await get("/devices/yard/pictures")).json()) as { at: string; etag: string; type: string }[];
    const last = list.at(-1);
    expect(last).toMatchObject({ type: "image/jpeg", of: null });
    const answer = await get(`/devices/yard/picture?at=${last?.at}`);
    expect(answer.headers.get("etag")).toBe(last?.etag ?? "none");
    expect((await get("/devices/yard/picture?at=1971-01-01")).status).toBe(404);
    expect((await get("/devices/yard/picture?at=yesterday")).status).toBe(400);
    expect((await get("/devices/nobody/picture")).status).toBe(404);
    expect((await fetch(`${hub.api}/devices/yard/picture`)).status).toBe(401);
  });

  test("has none of an address that leads to this machine, by itself or by a redirect", async () => {
    await announce("web", "image", { url_topic: "web/url" });
    await client.publishAsync("web/url", camera.url, { qos: 1 });
    await until("the inbox says why", async () =>
      (await (await get("/discovery")).text()).includes("is a service of this machine itself"),
    );
    await client.publishAsync("web/url", `${hub.api}/health`, { qos: 1 });
    expect((await get("/devices/web/picture")).status).toBe(404);
    expect(camera.asked.length).toBe(0);
  });
});

test("whoever may not read the device sees no picture of it", async () => {
  await announce("gate", "camera", { topic: "gate/picture" });
  await show("gate/picture", PICTURES.jpg, "gate");
  const viewer = await hub.tokenFor("viewer");
  const key = async (body: object) => {
    const made = await hub.request("POST", "/auth/api-keys", { token: hub.adminToken, body });
    return ((await made.json()) as { key: string }).key;
  };
  const reader = await key({ label: "reader", role: "viewer" });
  const assistant = await key({ label: "assistant", scopes: ["mcp"] });
  for (const path of ["/devices/gate", "/devices/gate/picture", "/devices/gate/pictures"]) {
    const statusFor = async (token: string) => (await hub.request("GET", path, { token })).status;
    const statuses = [await statusFor(viewer), await statusFor(reader), await statusFor(assistant)];
    expect([path, ...statuses]).toEqual([path, 200, 200, 403]);
    expect((await fetch(`${hub.api}${path}`)).status).toBe(401);
  }
});

test("HEAD answers as GET does, without the picture", async () => {
  await announce("shed", "camera", { topic: "shed/picture" });
  await show("shed/picture", PICTURES.png, "shed");
  const whole = await get("/devices/shed/picture");
  const headers = { authorization: `Bearer ${hub.adminToken}` };
  const head = await fetch(`${hub.api}/devices/shed/picture`, { method: "HEAD", headers });
  expect([head.status, await head.text()]).toEqual([200, ""]);
  for (const name of ["content-type", "content-length", "etag", "last-modified", "x-content-type-options"])
    expect([name, head.headers.get(name)]).toEqual([name, whole.headers.get(name)]);
  const known = await fetch(`${hub.api}/devices/shed/picture`, {
    method: "HEAD",
    headers: { ...headers, "if-none-match": whole.headers.get("etag") ?? "" },
  });
  expect(known.status).toBe(304);
});

test("a rule's message has what the camera shows", async () => {
  await announce("door", "camera", { topic: "door/picture" });
  await show("door/picture", PICTURES.jpg, "door");
  const action = { type: "notify", channel: "chat", message: "Somebody rings", image: "device:door" };
  const made = await hub.request("POST", "/rules", {
    token: hub.adminToken,
    body: { name: "ring", actions: [action] },
  });
  const { id } = (await made.json()) as { id: string };
  await hub.request("POST", `/rules/${id}/run`, { token: hub.adminToken });
  const photo = await until("the photo is sent", () => place.seen.find(({ file }) => file?.name === "door.jpg"));
  expect(photo).toMatchObject({ path: "/bot12345:token/sendPhoto", file: { bytes: PICTURES.jpg } });
});

test("a rule that begins with a picture sends just that one", async () => {
  await announce("doorbell", "camera", { topic: "doorbell/picture" });
  await show("doorbell/picture", PICTURES.png, "doorbell");
  const trigger = { type: "device_state_changed", device_id: "doorbell", attribute: "picture_at" };
  const action = { type: "notify", channel: "chat", message: "Somebody is at the door", image: "device:doorbell" };
  const body = { name: "doorbell", trigger, actions: [action] };
  expect((await hub.request("POST", "/rules", { token: hub.adminToken, body })).status).toBe(201);
  const rings = PICTURES.jpegOf("who rings");
  await show("doorbell/picture", rings, "doorbell");
  await until("the photo is sent", () => place.seen.some(({ file }) => file?.bytes.equals(rings)));
  expect(place.seen.filter(({ file }) => file?.name.startsWith("doorbell"))).toHaveLength(1);
});
