// Pictures of messages, from the moment they are taken until their last message is done.
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { createTemporaryFolder } from "../../../support/temporary-folder.ts";
import { until } from "../../../support/wait.ts";
import { openPicturesRig, PICTURES, serveCamera, serveForms } from "./rig.ts";

const accepted = () => Response.json({ status: 1, request: "r" });
const push = ({ url }: { url: string }, name = "phone") => ({
  ...{ name, type: "push_app", api_key: "k".repeat(30), user_key: "u".repeat(30), api_url: url },
});
const deviceWith = (snapshot_url: string) => ({ porch: { attributes: { snapshot_url } } });
const kept = (folder: { at(...path: string[]): string }) =>
  existsSync(folder.at("data", "pictures")) ? readdirSync(folder.at("data", "pictures")) : [];

test("a camera's picture comes with the message, and is gone from the disk once it has", async () => {
  using folder = createTemporaryFolder();
  using service = serveForms(accepted);
  using camera = serveCamera(() => new Response(PICTURES.jpg));
  const rigOf = { folder, channels: [push(service)], devices: deviceWith(camera.url), hosts: [camera.host] };
  await using rig = openPicturesRig(rigOf);
  await rig.say("phone", "Somebody is at the door", "device:porch");
  await until("it is sent", () => service.seen.length === 1);
  expect(service.seen[0]).toMatchObject({
    fields: { message: "Somebody is at the door" },
    file: { field: "attachment", name: "porch.jpg", type: "image/jpeg", bytes: PICTURES.jpg },
  });
  await until("nothing waits", () => rig.outbox.list().length === 0);
  await until("the picture is removed", async () => {
    await rig.clock.advance(2000);
    return kept(folder).length === 0;
  });
});

test("an outage shows the moment it happened, also after a restart", async () => {
  using folder = createTemporaryFolder();
  let down = true;
  using service = serveForms(() => (down ? new Response("", { status: 503 }) : accepted()));
  using camera = serveCamera((_request, count) => new Response(PICTURES.jpegOf(`picture ${count}`)));
  const rigOf = { folder, channels: [push(service)], devices: deviceWith(camera.url), hosts: [camera.host] };
  {
    await using rig = openPicturesRig(rigOf);
    await rig.say("phone", "door", "device:porch");
    await until("it was tried", () => service.seen.length > 0);
    await until("the picture is kept", () => kept(folder).length === 1);
  }
  down = false;
  service.seen.length = 0;
  await using rig = openPicturesRig(rigOf);
  await until("it is sent", async () => {
    if (service.seen.length === 0) await rig.clock.advance(1000);
    return service.seen.length > 0 && rig.outbox.list().length === 0;
  });
  expect(service.seen[0]?.file?.bytes.toString()).toEndWith("picture 1");
  expect(camera.asked).toHaveLength(1);
});

test("a picture that was being taken when the hub was killed is taken after it, unless the moment is over", async () => {
  using folder = createTemporaryFolder();
  let hangs = true;
  using service = serveForms(accepted);
  using camera = serveCamera(() => (hangs ? new Promise<Response>(() => {}) : new Response(PICTURES.jpg)));
  const rigOf = { folder, channels: [push(service)], devices: deviceWith(camera.url), hosts: [camera.host] };
  for (const laterMs of [0, 90_000]) {
    hangs = true;
    service.seen.length = 0;
    camera.asked.length = 0;
    const killed = openPicturesRig(rigOf);
    void killed.say("phone", "door", "device:porch");
    await until("the camera is asked", () => camera.asked.length > 0);
    killed.crash();
    hangs = false;
    await using rig = openPicturesRig({ ...rigOf, laterMs });
    await until("it is sent", async () => {
      if (service.seen.length === 0) await rig.clock.advance(1000);
      return service.seen.length > 0 && rig.outbox.list().length === 0;
    });
    if (laterMs === 0) expect(service.seen[0]?.file?.bytes).toEqual(PICTURES.jpg);
    else expect(service.seen[0]?.fields.message).toContain("(no picture: it was not kept)");
  }
});

test("several channels of one moment show one picture", async () => {
  using folder = createTemporaryFolder();
  using service = serveForms(accepted);
  using camera = serveCamera((_request, count) => new Response(PICTURES.jpegOf(`picture ${count}`)));
  const channels = [push(service, "ann"), push(service, "bob")];
  await using rig = openPicturesRig({ folder, channels, devices: deviceWith(camera.url), hosts: [camera.host] });
  for (const one of ["ann", "bob"]) void rig.say(one, "door", "device:porch");
  await until("both are sent", () => service.seen.length === 2);
  expect(new Set(service.seen.map(({ file }) => file?.bytes.toString())).size).toBe(1);
  expect(camera.asked).toHaveLength(1);
});

test("a camera that hangs delays the message by five seconds, and it says why there is no picture", async () => {
  using folder = createTemporaryFolder();
  using service = serveForms(accepted);
  using camera = serveCamera(() => new Promise<Response>(() => {}));
  const rigOf = { folder, channels: [push(service)], devices: deviceWith(camera.url), hosts: [camera.host] };
  await using rig = openPicturesRig(rigOf);
  void rig.say("phone", "door", "device:porch");
  await until("the camera is asked", () => camera.asked.length === 1);
  expect(service.seen).toEqual([]);
  expect(rig.outbox.list()).toHaveLength(1);
  await rig.clock.advance(5000);
  await until("it is sent", () => service.seen.length === 1);
  expect(service.seen[0]?.file).toBeUndefined();
  expect(service.seen[0]?.fields.message).toBe("door (no picture: it took longer than 5 s)");
});

const tooLarge = new Uint8Array(5 * 1_048_576 + 1).fill(0xff);
test.each<[string, () => Response, RegExp]>([
  ["has an error", () => new Response("", { status: 500 }), /answered with status 500/],
  ["wants a login", () => new Response("", { status: 401 }), /wants a login: give the address as/],
  ["redirects to this machine", () => Response.redirect("http://127.0.0.1:1/"), /127.0.0.1:1 is a service of this/],
  ["sends a page", () => new Response("<html>"), /not a JPEG, PNG, GIF or WebP picture/],
  ["sends nothing", () => new Response(""), /not a JPEG, PNG, GIF or WebP picture/],
  ["sends too much", () => new Response(tooLarge), /larger than 5 MB/],
])("a camera that %s loses no message", async (_name, answer, reason) => {
  using folder = createTemporaryFolder();
  using service = serveForms(accepted);
  using camera = serveCamera(answer);
  const rigOf = { folder, channels: [push(service)], devices: deviceWith(camera.url), hosts: [camera.host] };
  await using rig = openPicturesRig(rigOf);
  void rig.say("phone", "door", "device:porch");
  await until("it is sent", () => service.seen.length === 1);
  expect(service.seen[0]?.fields.message).toMatch(reason);
});

test("a redirect is followed, with the login to the camera itself alone", async () => {
  const logins: Record<string, string | null> = {};
  using other = serveCamera((request) => {
    logins.other = request.headers.get("authorization");
    return new Response(PICTURES.jpg);
  });
  using camera = serveCamera((request) => {
    const path = new URL(request.url).pathname;
    const login = request.headers.get("authorization");
    if (login === null) return new Response("", { status: 401 });
    logins[path] = login;
    return path === "/own"
      ? Response.redirect(other.url)
      : new Response(null, { status: 307, headers: { location: "/own" } });
  });
  using folder = createTemporaryFolder();
  using service = serveForms(accepted);
  const devices = deviceWith(camera.url.replace("//", "//guest:hush-hush@"));
  const hosts = [camera.host, other.host];
  await using rig = openPicturesRig({ folder, channels: [push(service)], devices, hosts });
  void rig.say("phone", "door", "device:porch");
  await until("it is sent", () => service.seen.length === 1);
  expect(service.seen[0]?.file?.bytes).toEqual(PICTURES.jpg);
  const basic = `Basic ${btoa("guest:hush-hush")}`;
  expect(logins).toEqual({ "/snapshot.jpg": basic, "/own": basic, other: null });
});

test.each([
  ["device:nobody", /there is no device "nobody"/],
  ["device:lamp", /has no attribute snapshot_url, /],
  ["device:porch/missing", /has no text in "missing"/],
  ["device:odd/address", /not the http address of a picture/],
  ["pictures/missing.png", /cannot be read: ENOENT/],
  ["config/hub.toml", /must be `device:ID`/],
])("%s loses no message", async (image, reason) => {
  using folder = createTemporaryFolder();
  using service = serveForms(accepted);
  const devices = {
    lamp: { attributes: { on: true } },
    porch: { attributes: { snapshot_url: "http://127.0.0.1:1/" } },
    odd: { attributes: { address: "file:///etc/passwd" } },
  };
  await using rig = openPicturesRig({ folder, channels: [push(service)], devices });
  void rig.say("phone", "door", image);
  await until("it is sent", () => service.seen.length === 1);
  expect(service.seen[0]?.fields.message).toMatch(reason);
});

test("a device's address may not lead to this machine, unless a person named the service", async () => {
  using folder = createTemporaryFolder();
  using service = serveForms(accepted);
  using camera = serveCamera(() => new Response(PICTURES.png));
  const port = camera.host.split(":")[1];
  const devices = deviceWith(`http://localhost:${port}/`);
  {
    await using rig = openPicturesRig({ folder, channels: [push(service)], devices });
    // A rig that ends before the answer would send it again, at a time of its own.
    await rig.say("phone", "door", "device:porch");
    expect(camera.asked).toEqual([]);
    expect(service.seen[0]?.fields.message).toContain(
      `localhost:${port} is a service of this machine itself; if it is meant, name it in hub.toml, [notify] picture_hosts = ["localhost:${port}"]`,
    );
  }
  await using rig = openPicturesRig({ folder, channels: [push(service)], devices, hosts: [`localhost:${port}`] });
  void rig.say("phone", "door", "device:porch");
  await until("it is sent", () => service.seen.length === 2);
  expect(service.seen[1]?.file?.type).toBe("image/png");
  expect(camera.asked[0]).toBe(`localhost:${port}`);
});

test("a login in the address is sent as one, and is named nowhere", async () => {
  using folder = createTemporaryFolder();
  using service = serveForms(accepted);
  using camera = serveCamera((request) =>
    request.headers.get("authorization") === `Basic ${Buffer.from("hub:se:cret!").toString("base64")}`
      ? new Response(PICTURES.gif)
      : new Response("", { status: 401 }),
  );
  const devices = deviceWith(`http://hub:se%3Acret%21@${camera.host}/x`);
  await using rig = openPicturesRig({ folder, channels: [push(service)], devices, hosts: [camera.host] });
  void rig.say("phone", "door", "device:porch");
  await until("it is sent", () => service.seen.length === 1);
  expect(service.seen[0]?.file?.type).toBe("image/gif");
  expect(rig.output.text).not.toContain("cret");
});

test("a file of the house goes with the message", async () => {
  using folder = createTemporaryFolder();
  mkdirSync(folder.at("pictures"));
  writeFileSync(folder.at("pictures", "Plan of the cellar.jpeg"), PICTURES.webp);
  using service = serveForms(accepted);
  await using rig = openPicturesRig({ folder, channels: [push(service)] });
  void rig.say("phone", "water", "pictures/Plan of the cellar.jpeg");
  await until("it is sent", () => service.seen.length === 1);
  expect(service.seen[0]?.file).toMatchObject({ name: "Plan-of-the-cellar.webp", type: "image/webp" });
});

test("over MQTT the next picture counts, and after two seconds the retained one", async () => {
  using folder = createTemporaryFolder();
  using service = serveForms(accepted);
  const old = PICTURES.jpegOf("retained");
  await using rig = openPicturesRig({ folder, channels: [push(service)], retained: () => old });
  void rig.say("phone", "one", "mqtt:frigate/porch/person/snapshot");
  await rig.clock.advance(1000);
  rig.pictures.receive("frigate/other/person/snapshot", PICTURES.png);
  rig.pictures.receive("frigate/porch/person/snapshot", Buffer.from("no picture"));
  rig.pictures.receive("frigate/porch/person/snapshot", PICTURES.jpegOf("next"));
  await until("one is sent", () => service.seen.length === 1);
  expect(service.seen[0]?.file).toMatchObject({ name: "frigate-porch-person-snapshot.jpg" });
  expect(service.seen[0]?.file?.bytes.toString()).toEndWith("next");
  await rig.clock.advance(2000);
  void rig.say("phone", "two", "mqtt:frigate/porch/person/snapshot");
  await until("two is sent", async () => {
    await rig.clock.advance(500);
    return service.seen.length === 2;
  });
  expect(service.seen[1]?.file?.bytes.toString()).toEndWith("retained");
});

test("a picture as base64 over MQTT is decoded; without any the message goes after five seconds", async () => {
  using folder = createTemporaryFolder();
  using service = serveForms(accepted);
  await using rig = openPicturesRig({ folder, channels: [push(service)] });
  void rig.say("phone", "one", "mqtt:cam");
  await rig.clock.advance(100);
  rig.pictures.receive("cam", Buffer.from(`data:image/png;base64,${PICTURES.png.toString("base64")}`));
  await until("one is sent", () => service.seen.length === 1);
  expect(service.seen[0]?.file?.bytes).toEqual(PICTURES.png);
  await rig.clock.advance(2000);
  void rig.say("phone", "two", "mqtt:cam");
  await until("two is sent", async () => {
    await rig.clock.advance(1000);
    return service.seen.length === 2;
  });
  expect(service.seen[1]?.fields.message).toMatch(/^two \(no picture: /);
});

test("the hub's end does not wait for a camera", async () => {
  using folder = createTemporaryFolder();
  using service = serveForms(accepted);
  using camera = serveCamera(() => new Promise<Response>(() => {}));
  const rigOf = { folder, channels: [push(service)], devices: deviceWith(camera.url), hosts: [camera.host] };
  const rig = openPicturesRig(rigOf);
  void rig.say("phone", "door", "device:porch");
  await until("the camera is asked", () => camera.asked.length === 1);
  const ended = rig.outbox[Symbol.asyncDispose]();
  await rig.clock.advance(3000);
  await ended;
  expect(service.seen).toEqual([]);
  await rig[Symbol.asyncDispose]();
});

test("the log does not wait for pictures", async () => {
  using folder = createTemporaryFolder();
  await using rig = openPicturesRig({ folder, channels: [] });
  expect(await rig.say("log", "door", "mqtt:cam")).toEqual([{ channel: "log", state: "delivered" }]);
});
