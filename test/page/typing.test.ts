// What somebody is typing into the guided editor stays while the page is drawn anew, and while the hub is away.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "puppeteer-core";
import { until } from "../support/wait.ts";
import { openBrowser, type Visitor, type Visitors } from "./support/browser.ts";
import { type PageHouse, RULE, startPageHouse } from "./support/page-house.ts";
import { connectionShown, press, settled } from "./support/seen.ts";

let house: PageHouse;
let visitors: Visitors;
let visitor: Visitor;
let page: Page;
beforeAll(async () => {
  house = await startPageHouse({ zigbee: 4, virtual: false });
  visitors = await openBrowser();
  visitor = await visitors.visit(house, { role: "admin" });
  page = visitor.page;
});
afterAll(async () => {
  await visitors?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const NAME = ".guide input";
const nameShown = (): Promise<string> => page.$eval(NAME, (one) => (one as HTMLInputElement).value);

test("a name that is being typed", async () => {
  await visitor.go("/rules/evening?tab=edit");
  await settled(page);
  await page.waitForSelector(NAME);
  await page.focus(NAME);
  await page.keyboard.press("End");
  await page.keyboard.type(" and at night");
  // The view says anew how often it ran.
  await house.hub.request("POST", "/rules/evening/run");
  await page.waitForFunction(() => !document.querySelector(".rule-state")?.textContent?.includes("Has not run yet"));
  expect(await nameShown()).toBe(`${RULE} and at night`);
  await house.kill();
  await until("the page is offline", async () => (await connectionShown(page)) === "offline");
  expect(await nameShown()).toBe(`${RULE} and at night`);
  await house.start();
  await until("the page is live", async () => (await connectionShown(page)) === "live");
  expect(await nameShown()).toBe(`${RULE} and at night`);
  await page.keyboard.press("Enter");
  await press(page, "Save");
  await until("the new name is kept", async () => {
    const { name } = await house.hub.get<{ name: string }>("/rules/evening");
    return name === `${RULE} and at night`;
  });
});
