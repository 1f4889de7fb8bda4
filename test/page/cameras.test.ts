// What a camera shows, on the page: it changes while somebody looks. Over 10 s: its tile is looked at in both schemes and two widths.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { crc32, deflateSync } from "node:zlib";
import type { MqttClient } from "mqtt";
import type { HTTPRequest, Page } from "puppeteer-core";
import { until } from "../support/wait.ts";
import { openBrowser, SCHEMES, type Visitors, WIDTHS } from "./support/browser.ts";
import { type PageHouse, startPageHouse } from "./support/page-house.ts";
import { barriers, overflowing, picture, settled, tooSmall } from "./support/seen.ts";

let house: PageHouse;
let visitors: Visitors;
const CAMERA = { username: "camera", password: "password-of-the-camera" };

beforeAll(async () => {
  const toml = `[[mqtt.users]]
username = "${CAMERA.username}"
password = "${CAMERA.password}"
publish = ["homeassistant/#", "doorbell/#"]
`;
  house = await startPageHouse({ zigbee: 1, virtual: false, toml });
  visitors = await openBrowser();
});
afterAll(async () => {
  await visitors?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

/** A picture of one colour. */
function png(width: number, height: number, colour: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 0], 8);
  const row = Buffer.concat([Buffer.of(0), Buffer.alloc(width, colour)]);
  const rows = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)));
  const start = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  return Buffer.concat([start, chunk("IHDR", head), chunk("IDAT", rows), chunk("IEND", Buffer.alloc(0))]);
}

/** Announced as Home Assistant's `camera`, by the id that it has then. */
async function announce(client: MqttClient, id: string, name: string): Promise<void> {
  const config = { unique_id: id, device: { ids: id, name }, topic: `doorbell/${id}` };
  await client.publishAsync(`homeassistant/camera/${id}/config`, JSON.stringify(config), { qos: 1 });
  await until("the camera is there", async () => (await house.hub.request("GET", `/devices/${id}`)).status === 200);
}

/** The tile of a device on the start: what its picture says, and where everything is. */
function tileOf(page: Page, name: string) {
  return page.evaluate((wanted) => {
    const tile = [...document.querySelectorAll("li.tile")].find(
      (one) => one.querySelector(".name")?.textContent === wanted,
    );
    const image = tile?.querySelector("img");
    const boxOf = (one: Element | null | undefined) => one?.getBoundingClientRect() ?? new DOMRect();
    const [box, room] = [boxOf(tile), boxOf(tile?.querySelector(".tile-picture"))];
    return {
      size: image ? `${image.naturalWidth} × ${image.naturalHeight}` : null,
      alt: image?.alt ?? null,
      age: tile?.querySelector("time")?.textContent ?? null,
      moment: tile?.querySelector("time")?.getAttribute("datetime") ?? null,
      says: tile?.querySelector(".tile-picture")?.textContent ?? null,
      // Where it is on the page changes: areas above it may find their heights meanwhile.
      inside: [box.width, box.height, room.x - box.x, room.y - box.y, room.width, room.height].map(Math.round),
    };
  }, name);
}

/** Below the first window nothing is read. */
async function scrollTo(page: Page, id: string): Promise<void> {
  const link = await page.waitForSelector(`.tile-picture[href*="${id}"]`);
  await link?.evaluate((one) => one.scrollIntoView({ block: "center" }));
}

const showsOnTile = (page: Page, name: string, size: string) =>
  until(`the tile shows a picture of ${size}`, async () => (await tileOf(page, name)).size === size);

test("the start has a tile with what a camera shows, which changes with it and leads to the larger picture", async () => {
  const client = await house.hub.mqtt(CAMERA);
  await announce(client, "gate", "Gate");
  await announce(client, "shed", "Shed");
  const show = (bytes: Buffer) => client.publishAsync("doorbell/gate", bytes, { qos: 1 });
  await show(png(320, 240, 90));
  for (const width of WIDTHS)
    for (const scheme of SCHEMES) {
      await using visitor = await visitors.visit(house, { isNew: true, role: "viewer", width, scheme });
      const { page } = visitor;
      await settled(page);
      await scrollTo(page, "gate");
      await showsOnTile(page, "Gate", "320 × 240");
      const before = await tileOf(page, "Gate");
      expect(before).toMatchObject({ alt: "What Gate shows", age: expect.stringMatching(/now|sec|min/) });
      // A camera that has shown nothing says so, in as much room.
      const other = await tileOf(page, "Shed");
      expect(other).toMatchObject({ size: null, says: "No picture yet" });
      expect(other.inside[0]).toBe(before.inside[0]);
      expect(Math.abs(Number(other.inside[1]) - Number(before.inside[1]))).toBeLessThanOrEqual(1);
      await settled(page);
      expect([await barriers(page), await overflowing(page)]).toEqual([[], []]);
      if (width === WIDTHS[0]) expect(await tooSmall(page)).toEqual([]);
      await picture(page, `camera-tile-${width}-${scheme}`);
      // The next one takes the place of the last, and nothing moves.
      await show(png(640, 360, 180));
      await showsOnTile(page, "Gate", "640 × 360");
      const after = await tileOf(page, "Gate");
      expect(after.inside).toEqual(before.inside);
      expect(Date.parse(after.moment ?? "")).toBeGreaterThan(Date.parse(before.moment ?? ""));
      await page.click('.tile-picture[href*="gate"]');
      await until("the larger picture is shown", () =>
        page.evaluate(() => document.querySelector<HTMLImageElement>(".sheet img.picture")?.naturalWidth === 640),
      );
      await settled(page);
      expect([await barriers(page), await overflowing(page)]).toEqual([[], []]);
      await picture(page, `camera-sheet-${width}-${scheme}`);
      await show(png(320, 240, 90));
    }
  await client.endAsync();
});

test("before its picture is there a tile has its room; whoever may not see it, and who reaches no hub, reads why", async () => {
  const client = await house.hub.mqtt(CAMERA);
  await announce(client, "yard", "Yard");
  await client.publishAsync("doorbell/yard", png(320, 240, 90), { qos: 1 });
  await using visitor = await visitors.visit(house, { isNew: true, role: "viewer", width: WIDTHS[0] });
  const { page } = visitor;
  const waiting: HTTPRequest[] = [];
  let answer: { status: number } | undefined;
  await page.setRequestInterception(true);
  page.on("request", (request) => {
    if (!request.url().includes("/devices/yard/picture")) void request.continue();
    else if (answer) void request.respond({ ...answer, contentType: "application/json", body: "{}" });
    else waiting.push(request);
  });
  await visitor.go("/");
  await scrollTo(page, "yard");
  await until("its picture is asked for", () => waiting.length > 0);
  const loading = await tileOf(page, "Yard");
  expect(loading).toMatchObject({ size: null, says: "What Yard shows", age: null });
  for (const request of waiting.splice(0)) await request.continue();
  await showsOnTile(page, "Yard", "320 × 240");
  const shown = await tileOf(page, "Yard");
  expect(shown.inside).toEqual(loading.inside);
  for (const [status, says] of [
    [503, "The picture cannot be shown now"],
    [403, "You may not see its pictures"],
    [404, "No picture yet"],
  ] as const) {
    answer = { status };
    await visitor.go("/");
    await scrollTo(page, "yard");
    await until(`${status} is said`, async () => (await tileOf(page, "Yard")).says === says);
    expect((await tileOf(page, "Yard")).inside.slice(0, 2)).toEqual(shown.inside.slice(0, 2));
  }
  expect(await barriers(page)).toEqual([]);
  await client.endAsync();
});

test("the view of a doorbell shows who rings, and who rings next", async () => {
  const client = await house.hub.mqtt(CAMERA);
  const show = (bytes: Buffer) => client.publishAsync("doorbell/picture", bytes, { qos: 1 });
  const config = { unique_id: "bell", device: { ids: "doorbell", name: "Doorbell" }, topic: "doorbell/picture" };
  await client.publishAsync("homeassistant/camera/bell/config", JSON.stringify(config), { qos: 1 });
  await until(
    "the doorbell is there",
    async () => (await house.hub.request("GET", "/devices/doorbell")).status === 200,
  );
  await show(png(320, 240, 90));
  await using visitor = await visitors.visit(house, { isNew: true, role: "viewer", path: "/devices/doorbell" });
  const { page } = visitor;
  const shown = (size: string) =>
    until(`a picture of ${size} is shown`, () =>
      page.evaluate((wanted) => {
        const image = document.querySelector<HTMLImageElement>("img.picture");
        return `${image?.naturalWidth} × ${image?.naturalHeight}` === wanted;
      }, size),
    );
  await shown("320 × 240");
  await settled(page);
  expect(await barriers(page)).toEqual([]);
  await show(png(640, 360, 180));
  await shown("640 × 360");
  expect(await page.evaluate(() => document.querySelector("img.picture")?.getAttribute("alt"))).toContain("Doorbell");
  await picture(page, "doorbell");
  await client.endAsync();
});
