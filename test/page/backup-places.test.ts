// Copies elsewhere on the page: made, shown, tried out, and the way back to one by the recovery sheet.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { ElementHandle } from "puppeteer-core";
import { createHubPlace } from "../support/hub-place.ts";
import { type S3Server, s3Target, startS3Server } from "../support/s3-server.ts";
import { until } from "../support/wait.ts";
import { openBrowser, type Visitors } from "./support/browser.ts";
import { type PageHouse, startPageHouse } from "./support/page-house.ts";
import { barriers, overflowing, picture, press, settled } from "./support/seen.ts";

let s3: S3Server;
let house: PageHouse;
let visitors: Visitors;

beforeAll(async () => {
  s3 = startS3Server();
  const lines = Object.entries(s3Target(s3)).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  const toml = `[backup]\npassphrase = "correct horse battery"\n[[backup.targets]]\n${lines.join("\n")}\n`;
  house = await startPageHouse({ zigbee: 3, virtual: false, toml });
  visitors = await openBrowser();
});
afterAll(async () => {
  await visitors?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
  await s3?.[Symbol.asyncDispose]();
});

test("a backup is made and copied, a place that fails says why, and a copy is looked into", async () => {
  await using visitor = await visitors.visit(house, { role: "admin", path: "/system/backups", width: 360 });
  const { page } = visitor;
  await settled(page);
  const saw = (text: string): Promise<unknown> =>
    page.waitForFunction((wanted) => document.body.textContent?.includes(wanted), {}, text);
  await saw("nothing there yet");
  expect(await press(page, "Back up now")).toBe(true);
  await saw("proven on");
  await saw("Copies there: 1");
  expect(await press(page, "Show the copies")).toBe(true);
  await saw("Look into it");
  expect(await press(page, "Look into it")).toBe(true);
  // The archive above has a button of the same words, which is off without a file.
  await saw("The archive is complete and right.");
  expect(await barriers(page)).toEqual([]);
  expect(await overflowing(page)).toEqual([]);
  await picture(page, "backup-places-360");
  s3.fault = () => new Response("<Error><Code>AccessDenied</Code></Error>", { status: 403 });
  expect(await press(page, "Test")).toBe(true);
  await saw("the key may not do that");
  s3.fault = () => undefined;
  expect(await press(page, "Test")).toBe(true);
  await until("it looked again", async () => {
    const [{ doing, problem }] =
      await house.hub.get<[{ doing: string; problem: string | null }]>("/system/backups/remote");
    return doing === "idle" && problem === null;
  });
});

test("in the first minutes a house is brought back by the recovery sheet, from the screen behind the first login", async () => {
  const sheet = await house.hub.request("POST", "/system/backups/recovery");
  expect(sheet.status).toBe(200);
  await using fresh = createHubPlace();
  const hub = await fresh.start();
  await using visitor = await visitors.visit({ origin: `http://127.0.0.1:${hub.port}` }, { width: 360 });
  const { page } = visitor;
  const saw = (text: string): Promise<unknown> =>
    page.waitForFunction((wanted) => document.body.textContent?.includes(wanted), {}, text);
  await page.waitForSelector("input[type=password]");
  await page.type("input[autocomplete=username]", fresh.admin?.username ?? "");
  await page.type("input[type=password]", fresh.admin?.password ?? "");
  await page.click("button[type=submit]");
  expect(await press(page, "Restore a house from another machine")).toBe(true);
  await saw("Choose the recovery sheet");
  expect(await barriers(page)).toEqual([]);
  expect(await overflowing(page)).toEqual([]);
  await picture(page, "first-restore-360");
  const input = await page.waitForSelector('input[type="file"][accept*=".toml"]');
  const file = fresh.at("recovery-sheet.toml");
  await Bun.write(file, sheet.text);
  await (input as ElementHandle<HTMLInputElement>).uploadFile(file);
  expect(await press(page, "Show the copies")).toBe(true);
  expect(await press(page, "Look into it")).toBe(true);
  await saw("The archive is complete and right.");
  // The restored hub.toml has the ports of the house that burnt down.
  await house.kill();
  expect(await press(page, "Replace this house by the archive")).toBe(true);
  const again = await page.waitForSelector("dialog[open] input[type=password]:not(:disabled)");
  await again?.type(fresh.admin?.password ?? "");
  expect(await press(page, "Go on")).toBe(true);
  await until("the administrator of the old house can log in", async () => {
    const body = JSON.stringify(house.place.admin);
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${house.origin}/api/v1/auth/login`, { method: "POST", headers, body }).catch(() => {});
    return answer?.status === 200;
  });
});
