// Over 10 s: ten seconds of a hundred pictures a second, and a server that never ends are waited for.
// What cameras send wrongly, to the compiled hub: each is named, earlier pictures stay, and the card is spared.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, rmSync } from "node:fs";
import type { MqttClient } from "mqtt";
import { PICTURES, serveCamera } from "../reach/notify/pictures/rig.ts";
import { createHubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { mountSmallDisk } from "../support/small-disk.ts";
import { soon, until } from "../support/wait.ts";

const { jpg, png, gif, jpegOf } = PICTURES;
const MB = 1_048_576;

const inner = serveCamera(() => new Response(png));
const served: Record<string, () => Response | Promise<Response>> = {
  "/good": () => new Response(png),
  "/page": () => new Response("<html>log in here</html>", { headers: { "content-type": "image/jpeg" } }),
  "/lost": () => new Response("", { status: 404 }),
  "/login": () => new Response("", { status: 401, headers: { "www-authenticate": 'Basic realm="x"' } }),
  "/huge": () => new Response(Buffer.concat([jpg, Buffer.alloc(6 * MB)])),
  "/endless": () => new Response(endless(65_536)),
  "/slow": () => new Response(endless(1)),
  "/once": () => new Response(null, { status: 302, headers: { location: "/good" } }),
  "/inside": () => Response.redirect(inner.url),
  "/metadata": () => Response.redirect("http://169.254.169.254/latest/meta-data"),
  "/file": () => new Response(null, { status: 302, headers: { location: "file:///etc/passwd" } }),
  "/round": () => new Response(null, { status: 302, headers: { location: "/round" } }),
};
const web = serveCamera((request) => served[new URL(request.url).pathname]?.() ?? new Response("", { status: 500 }));

const cameras = (more: string) => ({
  mqtt: "max_packet_kib = 32768",
  toml: `[notify]
picture_hosts = ["${web.host}"]
${more}`,
});
const place = createHubPlace(cameras(""));
let hub: HubProcess;
let client: MqttClient;

beforeAll(async () => {
  hub = await place.start();
  client = await hub.mqtt();
});
afterAll(async () => {
  await client.endAsync();
  for (const one of [inner, web]) one[Symbol.dispose]();
  await place[Symbol.asyncDispose]();
});

const say = (topic: string, payload: string | Buffer, by = client) => by.publishAsync(topic, payload, { qos: 1 });

async function announce(
  id: string,
  component: string,
  config: object,
  [by, at] = [client, hub] as const,
): Promise<void> {
  const payload = JSON.stringify({ unique_id: id, device: { ids: id, name: id }, ...config });
  await say(`homeassistant/${component}/${id}/config`, payload, by);
  await until("the camera is there", async () => (await at.request("GET", `/devices/${id}`)).status === 200, {
    timeoutMs: 10_000,
  });
}

const tagOf = async (id: string, at = hub): Promise<string | null> =>
  (await at.request("GET", `/devices/${id}/picture`)).headers.get("etag");
const problems = async (at = hub): Promise<string> => JSON.stringify(await at.get("/discovery"));
const isNamed = (text: string, at = hub) =>
  until(`"${text}" is named`, async () => (await problems(at)).includes(text), { timeoutMs: 20_000 });
const isNew = (id: string, before: string | null, at = hub) =>
  until("another picture is there", async () => ![null, before].includes(await tagOf(id, at)));

function endless(bytes: number): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      await Bun.sleep(5);
      controller.enqueue(Buffer.alloc(bytes, jpg));
    },
  });
}

const svg = '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
test("what is no picture is named, and the last one stays", async () => {
  await announce("porch", "camera", { topic: "porch/picture" });
  await say("porch/picture", jpg);
  await isNew("porch", null);
  const before = await tagOf("porch");
  const neither = "neither a JPEG, PNG, GIF or WebP";
  for (const [payload, problem] of [
    [Buffer.concat([jpg, Buffer.alloc(20 * MB)]), "larger than 5 MB"],
    [Buffer.alloc(20 * MB, "A"), "larger than 5 MB"],
    [Buffer.from("\0\x01\x02 no type", "latin1"), neither],
    [Buffer.from(svg), "it is an SVG"],
    [Buffer.from(Buffer.from(svg).toString("base64")), "it is an SVG"],
    [Buffer.from("<!DOCTYPE html><script>alert(1)</script>"), neither],
    [Buffer.from(`${jpg.toString("base64")}!!!`), neither],
    [Buffer.from(`data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`), "it is an SVG"],
    [Buffer.from("data:image/png;base64,"), neither],
    [Buffer.from("[]"), neither],
  ] as const) {
    await say("porch/picture", payload);
    await isNamed(problem);
    expect(await tagOf("porch")).toBe(before);
    // So that the next problem is not the last one still.
    await say("porch/picture", jpg);
    await until("none is named", async () => !(await problems()).includes("its picture"));
  }
});

test("a picture that is a page as well is a picture for everybody who asks", async () => {
  await announce("both", "camera", { topic: "both/picture" });
  await say("both/picture", Buffer.concat([gif, Buffer.from("<script>alert(1)</script>")]));
  await isNew("both", null);
  const { headers } = await hub.request("GET", "/devices/both/picture", { headers: { accept: "text/html" } });
  expect(Object.fromEntries(headers)).toMatchObject({
    "content-type": "image/gif",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; sandbox",
  });
});

test("a client that sends more than a packet may have is reported in the log, and its device stays", async () => {
  await using small = createHubPlace({});
  const one = await small.start();
  const large = await one.mqtt({ reconnectPeriod: 0 });
  const ended = new Promise<void>((resolve) => large.once("close", () => resolve()));
  large.on("error", () => {});
  large.publish("porch/picture", Buffer.alloc(20 * MB));
  await soon("it is cut off", ended);
  await one.said("max_packet_kib");
  expect((await one.request("GET", "/health", { token: null })).status).toBe(200);
});

test("an address that leads to no picture is named without its password, and the last one stays", async () => {
  const at = (path: string, login = "") => `http://${login}${web.host}${path}`;
  await announce("web", "image", { url_topic: "web/url" });
  await say("web/url", at("/good"));
  await isNew("web", null);
  const before = await tagOf("web");
  for (const [address, problem] of [
    [at("/page"), "neither a JPEG, PNG, GIF or WebP"],
    [at("/lost"), "answered with status 404"],
    [at("/login", "guest:hush-hush@"), "refuses the user and password"],
    [at("/huge"), "is larger than 5 MB"],
    [at("/slow"), "took longer than 10 s"],
    [at("/endless"), "is larger than 5 MB"],
    [at("/inside"), `${inner.host} is a service of this machine itself`],
    [at("/file"), "redirects to what is no http address"],
    [at("/metadata"), "169.254.169.254:80 is a service of this machine itself"],
    [at("/round"), "redirects more than 3 times"],
    [inner.url, `${inner.host} is a service of this machine itself`],
    [`${hub.api}/system/status`, `127.0.0.1:${hub.port} is a service of this machine itself`],
    ["http://169.254.169.254/latest/meta-data", "169.254.169.254:80 is a service of this machine itself"],
    ["http://[::ffff:127.0.0.1]/x", "[::ffff:7f00:1]:80 is a service of this machine itself"],
    ["http://2130706433/x", "127.0.0.1:80 is a service of this machine itself"],
    ["http://0.0.0.0/x", "0.0.0.0:80 is a service of this machine itself"],
    ["file:///etc/passwd", "not the http address of a picture"],
  ] as const) {
    await say("web/url", address);
    await isNamed(problem);
    expect(await tagOf("web")).toBe(before);
  }
  await say("web/url", at("/good"));
  await until("none is named", async () => !(await problems()).includes("its picture"));
  expect(inner.asked).toEqual([]);
  const seen = [
    hub.output,
    await problems(),
    JSON.stringify([await hub.get("/devices/web"), await hub.get("/events")]),
  ];
  for (const text of seen) expect(text).not.toContain("hush-hush");
}, 90_000);

test("a redirect of the camera itself is followed", async () => {
  await announce("moved", "image", { url_topic: "moved/url" });
  await say("moved/url", `http://${web.host}/once`);
  await isNew("moved", null);
});

test('with [pictures] addresses = "internet" nothing of the house is asked, and with "off" nothing', async () => {
  for (const [addresses, asked] of [
    ["internet", ["http://10.1.2.3/x", "https://10.1.2.3/x", "https://192.168.1.1/x", "https://127.0.0.1/x", web.url]],
    ["off", [web.url]],
  ] as const) {
    await using closed = createHubPlace(cameras(`[pictures]\naddresses = "${addresses}"`));
    const one = await closed.start();
    const by = await one.mqtt();
    await announce("web", "image", { url_topic: "web/url" }, [by, one]);
    const before = web.asked.length;
    for (const address of asked) {
      const host = new URL(address).host;
      await say("web/url", address, by);
      await isNamed(addresses === "off" ? "as [pictures] addresses is" : host, one);
      expect(await problems(one)).toMatch(
        /which is refused: .*set \[pictures\] addresses = |is a service of this machine|addresses is/,
      );
    }
    expect(web.asked.length).toBe(before);
    await by.endAsync();
  }
});

test("a hundred pictures a second for ten seconds are seen at once, and one a second goes to the card", async () => {
  await announce("fast", "camera", { topic: "fast/picture" });
  const folder = place.at("data/device-pictures");
  const written = new Set<string>();
  const look = (): void => {
    if (existsSync(folder)) for (const name of new Bun.Glob("*/*-*.jpg").scanSync(folder)) written.add(name);
  };
  look();
  const before = written.size;
  const begun = performance.now();
  for (let count = 0; count < 1000; count++) {
    await Bun.sleep(Math.max(0, begun + count * 10 - performance.now()));
    client.publish("fast/picture", Buffer.concat([jpegOf(`${count} `), Buffer.alloc(50_000)]));
    if (count % 10 === 0) look();
  }
  const last = () => [...new Bun.Glob("*/*.png").scanSync(folder)];
  const earlier = last();
  await say("fast/picture", png);
  await until("the last one is seen", async () => {
    return (await hub.request("GET", "/devices/fast/picture")).headers.get("content-type") === "image/png";
  });
  look();
  const seconds = (performance.now() - begun) / 1000;
  expect(written.size - before).toBeGreaterThan(0);
  expect(written.size - before).toBeLessThanOrEqual(seconds + 1);
  await until("it is on disk", () => last().some((name) => !earlier.includes(name)));
}, 60_000);

test("a disk that is full or takes no folder keeps earlier pictures, shows new ones, and says so", async () => {
  using disk = mountSmallDisk(96);
  await using full = createHubPlace({ toml: "[pictures]\nkeep = 1" }, `${disk.path}/home`);
  // Else the executable alone would fill it.
  full.put("bin/hub", "");
  full.put("data/device-pictures", "a file where the folder should be");
  let one = await full.start();
  let by = await one.mqtt();
  await announce("porch", "camera", { topic: "porch/picture" }, [by, one]);
  await say("porch/picture", jpg, by);
  await isNew("porch", null, one);
  await one.said("a picture of a camera cannot be kept on disk");
  await by.endAsync();
  await one.end();

  rmSync(full.at("data/device-pictures"));
  one = await full.start();
  by = await one.mqtt();
  await announce("porch", "camera", { topic: "porch/picture" }, [by, one]);
  await say("porch/picture", jpg, by);
  const onDisk = () => [...new Bun.Glob("*/*.{jpg,png}").scanSync(full.at("data/device-pictures"))];
  await until("it is kept", () => existsSync(full.at("data/device-pictures")) && onDisk().length === 1);
  const kept = onDisk();
  const before = await tagOf("porch", one);
  disk.fill();
  await say("porch/picture", png, by);
  await isNew("porch", before, one);
  await one.said("a picture of a camera cannot be kept on disk");
  expect(onDisk()).toEqual(kept);
  expect((await one.request("GET", "/devices")).status).toBe(200);
  await by.endAsync();
});
