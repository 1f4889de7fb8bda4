// A rule's message with a camera's picture in a whole hub: over MQTT as Frigate publishes it, and from a device's address.
import { expect, test } from "bun:test";
import { connectAsync } from "mqtt";
import { startTestHub } from "../../../support/test-hub.ts";
import { until } from "../../../support/wait.ts";
import { PICTURES, serveCamera, serveForms } from "./rig.ts";

const TOPIC = "frigate/porch/person/snapshot";
const ok = () => Response.json({ ok: true, result: { message_id: 1 } });
const chat = (url: string): string => `
[[notify.channels]]
name = "chat"
type = "messaging_bot"
bot_token = "12345:token"
chat_id = "7"
api_url = "${url}"
`;

test("a rule shows what cameras see", async () => {
  using place = serveForms(ok);
  using camera = serveCamera(() => new Response(PICTURES.png));
  await using hub = await startTestHub({
    toml: `[notify]\npicture_hosts = ["${camera.host}"]\n${chat(place.url)}`,
    fetch,
  });
  const ask = async (method: string, path: string, body?: unknown) => {
    const response = await hub.request(method, path, { token: hub.adminToken, body });
    return { status: response.status, json: (await response.json()) as { id: string } };
  };
  await using client = await connectAsync(`mqtt://127.0.0.1:${hub.mqttPort}`, { clientId: "cameras" }).then(
    (connected) => ({ connected, [Symbol.asyncDispose]: () => connected.endAsync() }),
  );
  const { connected } = client;
  await connected.publishAsync(TOPIC, PICTURES.jpg, { qos: 1, retain: true });
  const notify = (image: string) => ({ type: "notify", channel: "chat", message: image, image });
  const run = async (image: string) => {
    const { json } = await ask("POST", "/rules", { name: image, actions: [notify(image)] });
    expect((await ask("POST", `/rules/${json.id}/run`)).status).toBeLessThan(300);
  };

  const seen = place.seen.length;
  await run(`mqtt:${TOPIC}`);
  // The next one, if it comes soon.
  await connected.publishAsync(TOPIC, PICTURES.jpegOf("now"), { qos: 1, retain: true });
  await until("the photo is sent", () => place.seen.length > seen);
  expect(place.seen[0]).toMatchObject({
    path: "/bot12345:token/sendPhoto",
    fields: { caption: `Hub Alert\nmqtt:${TOPIC}` },
  });
  expect(place.seen[0]?.file?.bytes.toString()).toMatch(/now$|picture$/);

  const state = JSON.stringify({ snapshot_url: camera.url });
  await connected.publishAsync("hub/devices/porch/state", state, { qos: 1, retain: true });
  await until("the device is there", async () => (await ask("GET", "/devices/porch")).status === 200);
  await run("device:porch");
  await until("the other photo is sent", () => place.seen.length > seen + 1);
  expect(place.seen[1]?.file).toMatchObject({ name: "porch.png", bytes: PICTURES.png });

  const wrong = await ask("POST", "/rules", { name: "wrong", actions: [notify("config/hub.toml")] });
  expect(wrong.status).toBe(400);
  expect(JSON.stringify(wrong.json)).toContain("image: must be `device:ID`");
});
