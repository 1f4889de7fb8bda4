// What a camera shows, on the page: it changes while somebody looks.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { crc32, deflateSync } from "node:zlib";
import { until } from "../support/wait.ts";
import { openBrowser, type Visitors } from "./support/browser.ts";
import { type PageHouse, startPageHouse } from "./support/page-house.ts";
import { barriers, picture, settled } from "./support/seen.ts";

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
