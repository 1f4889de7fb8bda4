// Pictures that devices announce: Home Assistant's cameras and images, and Frigate's snapshots.
import { expect, test } from "bun:test";
import { Glob } from "bun";
import { PICTURES } from "../../reach/notify/pictures/rig.ts";
import { until } from "../../support/wait.ts";
import { createRig } from "./rig.ts";

const { jpegOf } = PICTURES;

const CAMERA = "homeassistant/camera/bell/config";
const DEVICE = { ids: "bell1", name: "Door bell" };
type Rig = ReturnType<typeof createRig>;

async function announced(rig: Rig, topic: string, config: object): Promise<void> {
  rig.publish(topic, { unique_id: topic, device: DEVICE, ...config });
  await rig.clock.advance(300);
}

async function shows(rig: Rig, topic: string, payload: Uint8Array | string): Promise<void> {
  rig.publish(topic, payload);
  await rig.clock.advance(1100);
}

const attributes = (rig: Rig, id = "bell1") => rig.registry.get(id).attributes;
const bytesOf = async (rig: Rig, id = "bell1", of?: string) =>
  Buffer.from((await rig.pictures.find(id, { of }))?.bytes ?? []);
const problem = (rig: Rig) => rig.discovery.list().find(({ device_id }) => device_id === "bell1")?.problem ?? null;

test("a camera's picture is kept as it came, and when that was is an attribute", async () => {
  using rig = createRig();
  await announced(rig, CAMERA, { topic: "bell/picture" });
  expect(rig.registry.get("bell1")).toMatchObject({ deviceType: "camera", attributes: {} });
  await shows(rig, "bell/picture", PICTURES.jpg);
  await until("it is reported", () => attributes(rig).picture_at !== undefined);
  expect(attributes(rig).picture_at).toMatch(/^2026-01-15T12:00:00\.\d{3}Z$/);
  expect(await bytesOf(rig)).toEqual(PICTURES.jpg);
  // The same once more is no news.
  const at = attributes(rig).picture_at;
  await shows(rig, "bell/picture", PICTURES.jpg);
  expect(attributes(rig).picture_at).toBe(at);
  const onDisk = () => [...new Glob("device-pictures/*/*.jpg").scanSync(rig.folder.path)];
  await until("it is on disk", async () => {
    await rig.clock.advance(1000);
    return onDisk().length === 1 && (await rig.pictures.list("bell1")).length === 1;
  });
  await shows(rig, "bell/picture", PICTURES.png);
  await until("the other one is reported", () => attributes(rig).picture_at !== at);
  expect((await rig.pictures.list("bell1")).map(({ extension }) => extension)).toEqual(["png", "jpg"]);
});

test("a picture that comes in the same breath as its announcement is there", async () => {
  using rig = createRig();
  rig.publish(CAMERA, { unique_id: "c", device: DEVICE, topic: "bell/picture" });
  rig.publish("bell/picture", PICTURES.jpg);
  await rig.clock.advance(1500);
  expect(await bytesOf(rig)).toEqual(PICTURES.jpg);
});

test("images in base64, of several kinds, of which each is kept by itself", async () => {
  using rig = createRig();
  await announced(rig, "homeassistant/image/a/config", {
    name: "Last visitor",
    image_topic: "a",
    image_encoding: "b64",
  });
  await announced(rig, "homeassistant/image/b/config", { name: "Plan", image_topic: "b", content_type: "image/jpeg" });
  await shows(rig, "a", PICTURES.jpg.toString("base64"));
  expect(attributes(rig)).toMatchObject({ picture_of: "last_visitor" });
  // Its type is what its bytes say.
  await shows(rig, "b", PICTURES.png);
  expect(attributes(rig)).toMatchObject({ picture_of: "plan" });
  expect(await bytesOf(rig, "bell1", "last_visitor")).toEqual(PICTURES.jpg);
  expect(await rig.pictures.find("bell1", { of: "plan" })).toMatchObject({ extension: "png" });
});

test("what is no picture is left out, and the inbox says why until a good one comes", async () => {
  using rig = createRig();
  await announced(rig, CAMERA, { topic: "p" });
  await shows(rig, "p", PICTURES.jpg.toString("base64").slice(0, -3).concat("*&"));
  expect(problem(rig)).toContain("neither a JPEG, PNG, GIF or WebP picture nor one in base64");
  await shows(rig, "p", "<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>");
  expect(problem(rig)).toContain("it is an SVG, which can carry scripts");
  await shows(rig, "p", Buffer.concat([PICTURES.jpg, Buffer.alloc(20 * 1_048_576)]));
  expect(problem(rig)).toContain("it is larger than 5 MB");
  await shows(rig, "p", "");
  expect(await rig.pictures.list("bell1")).toEqual([]);
  expect(attributes(rig)).toEqual({});
  await shows(rig, "p", PICTURES.jpg);
  expect(problem(rig)).toBeNull();
  await announced(rig, CAMERA, { topic: "p", image_encoding: "hex" });
  expect(JSON.stringify(rig.discovery.list())).toContain('image_encoding: \\"hex\\" is not known');
});

test("an image at an address is fetched, the last one said only, and no address but http is", async () => {
  const asked: string[] = [];
  using rig = createRig({
    fetch: async (url) => {
      asked.push(url.href);
      return jpegOf(url.href);
    },
  });
  await announced(rig, "homeassistant/image/a/config", { url_topic: "a", url_template: "{{ value_json.at }}" });
  for (const at of ["http://cam/1.jpg", "http://cam/2.jpg", "http://cam/3.jpg"]) rig.publish("a", { at });
  await rig.clock.advance(3000);
  expect(asked).toEqual(["http://cam/1.jpg", "http://cam/3.jpg"]);
  expect(await bytesOf(rig)).toEqual(jpegOf("http://cam/3.jpg"));
  await shows(rig, "a", JSON.stringify({ at: "file:///etc/passwd" }));
  expect(asked).toHaveLength(2);
  expect(problem(rig)).toContain("not the http address of a picture");
});

test("a picture that never ends is given up", async () => {
  using rig = createRig({ fetch: () => new Promise(() => {}) });
  await announced(rig, "homeassistant/image/a/config", { url_topic: "a" });
  rig.publish("a", "http://cam/1.jpg");
  await rig.clock.advance(11_000);
  expect(problem(rig)).toContain("cam took longer than 10 s");
});

test('nothing is fetched with [pictures] addresses = "off"', async () => {
  using rig = createRig({ pictures: { addresses: "off" } });
  await announced(rig, "homeassistant/image/a/config", { url_topic: "a" });
  await shows(rig, "a", "http://cam/1.jpg");
  expect(problem(rig)).toContain('[pictures] addresses is "off"');
});

test("a hundred pictures a second are reported once a second, and the newest is there", async () => {
  using rig = createRig();
  await announced(rig, CAMERA, { topic: "p" });
  const before = rig.events.length;
  for (let count = 0; count < 100; count++) {
    rig.publish("p", jpegOf(`picture ${count}`));
    await rig.clock.advance(10);
  }
  await rig.clock.advance(1000);
  expect(rig.events.slice(before).filter(({ type }) => type === "device_state_changed").length).toBeLessThanOrEqual(3);
  expect(await bytesOf(rig)).toEqual(jpegOf("picture 99"));
});

test("a camera that is removed takes its pictures along", async () => {
  using rig = createRig();
  await announced(rig, CAMERA, { topic: "p" });
  await shows(rig, "p", PICTURES.jpg);
  rig.registry.remove("bell1");
  await rig.clock.advance(1000);
  expect(await rig.pictures.list("bell1")).toEqual([]);
});

test("Frigate's cameras are devices with snapshots of each object, counts, events and switches", async () => {
  using rig = createRig();
  await shows(rig, "frigate/porch/person/snapshot", PICTURES.jpg);
  expect(rig.registry.get("frigate_porch")).toMatchObject({ name: "porch", deviceType: "camera" });
  await shows(rig, "frigate/porch/car/snapshot", PICTURES.png);
  await shows(rig, "frigate/porch/person/snapshot", PICTURES.jpegOf("later"));
  expect(attributes(rig, "frigate_porch")).toMatchObject({ picture_of: "person" });
  expect(await bytesOf(rig, "frigate_porch", "car")).toEqual(PICTURES.png);
  const after = { id: "1.2-ab", camera: "porch", label: "person", sub_label: ["Anna", 0.9], current_zones: ["steps"] };
  rig.publish("frigate/events", { type: "new", before: after, after });
  expect(rig.actions).toEqual([{ device_id: "frigate_porch", action: "person" }]);
  rig.publish("frigate/events", { type: "new", before: {}, after: { ...after, camera: "yard" } });
  expect(rig.actions.slice(1)).toEqual([{ device_id: "frigate_yard", action: "person" }]);
  rig.publish("frigate/porch/person", "2");
  rig.publish("frigate/porch/motion", "ON");
  rig.publish("frigate/porch/detect/state", "OFF");
  expect(attributes(rig, "frigate_porch")).toMatchObject({
    ...{ person: 2, motion: true, detect_on: false, event_active: true },
    ...{ event_label: "person", event_sub_label: "Anna", event_zones: ["steps"] },
  });
  await rig.discovery.command("frigate_porch", { detect_on: true });
  expect(rig.sent()).toContainEqual({ topic: "frigate/porch/detect/set", payload: "ON" });
  rig.publish("frigate/available", "offline");
  expect(rig.registry.get("frigate_porch").available).toBe(false);
});
