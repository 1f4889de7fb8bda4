// Where the history goes besides, on the page: up to date, failing with the reason and how far behind, and everything sent again.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type LineServer, startLineServer } from "../reach/export/line-server.ts";
import { until } from "../support/wait.ts";
import { openBrowser, type Visitors } from "./support/browser.ts";
import { LAMP, type PageHouse, startPageHouse } from "./support/page-house.ts";
import { barriers, overflowing, picture, press, settled } from "./support/seen.ts";

let server: LineServer;
let house: PageHouse;
let visitors: Visitors;

beforeAll(async () => {
  server = startLineServer();
  const toml = `[[history.export]]\nname = "tsdb"\nkind = "line_protocol"\nurl = "${server.url}"\ninterval_secs = 1\n`;
  house = await startPageHouse({ zigbee: 3, toml });
  visitors = await openBrowser();
});
afterAll(async () => {
  await visitors?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
  server?.[Symbol.dispose]();
});

test("the page reports how far an export is and why it fails, and has everything sent again", async () => {
  await using visitor = await visitors.visit(house, { role: "admin", path: "/system", width: 360 });
  const { page } = visitor;
  await settled(page);
  const saw = (text: string): Promise<unknown> =>
    page.waitForFunction((wanted) => document.body.textContent?.includes(wanted), {}, text);
  await saw("The history elsewhere");
  await saw("up to date");
  server.answer = () => new Response("disk full", { status: 500 });
  let brightness = 0;
  await until("it fails", async () => {
    house.network.report(LAMP, { brightness: ++brightness });
    const [one] = await house.hub.get<{ state: string }[]>("/history/exports");
    return one?.state === "failing";
  });
  await saw("disk full");
  await saw("fails since");
  expect(await barriers(page)).toEqual([]);
  expect(await overflowing(page)).toEqual([]);
  await picture(page, "history-exports-360");

  server.answer = () => undefined;
  await saw("up to date");
  await until("what waited is there", () => server.lines.length > 0);
  const before = server.lines.length;
  expect(await press(page, "Send everything again")).toBe(true);
  await until("it comes again", () => server.lines.length >= 2 * before);
});

test("who only looks is not offered to send", async () => {
  await using visitor = await visitors.visit(house, { role: "viewer", path: "/system", width: 360 });
  const { page } = visitor;
  await settled(page);
  const text = await page.evaluate(() => document.body.textContent);
  expect(text).toContain("The history elsewhere");
  expect(text).not.toContain("Send everything again");
});
