// What a person sees on the start when something is wrong in the house: in English and German.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "puppeteer-core";
import { until } from "../support/wait.ts";
import { openBrowser, type Visitor, type Visitors } from "./support/browser.ts";
import { type PageHouse, startPageHouse } from "./support/page-house.ts";
import { barriers, picture, settled, showsTile, tileText } from "./support/seen.ts";
import { member, rare } from "./support/zigbee-devices.ts";

const [DOOR, CO, WATER] = ["Terrace door", "smoke and CO alarm", "water alarm"] as const;
let house: PageHouse;
let visitors: Visitors;
let visitor: Visitor;
let page: Page;
beforeAll(async () => {
  const more = [member(500, 3, DOOR), rare(501, CO), rare(502, WATER)];
  house = await startPageHouse({ zigbee: 6, tidy: true, virtual: false, more });
  visitors = await openBrowser();
  visitor = await visitors.visit(house, { role: "admin" });
  page = visitor.page;
});
afterAll(async () => {
  await visitors?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const firstMatter = (): Promise<string | undefined> =>
  page.evaluate(() => document.querySelector(".attention .matter.act .line")?.textContent ?? undefined);
const isAlarm = (name: string): Promise<boolean> =>
  page.evaluate((wanted) => {
    const names = [...document.querySelectorAll(".tile.alarm .name")];
    return names.some(({ textContent }) => textContent === wanted);
  }, name);

test("a door that is open is open", async () => {
  house.network.report(DOOR, { contact: false });
  await showsTile(page, DOOR, "Open");
  house.network.report(DOOR, { contact: true });
  await showsTile(page, DOOR, "Closed");
});

test("each part of a device says its own, and a low battery is seen", async () => {
  house.network.report(WATER, { water_leak_alarm_2: true, battery_low: true });
  await showsTile(page, WATER, "Water at alarm 2!");
  const sign = () =>
    page.evaluate((wanted) => {
      const tile = [...document.querySelectorAll(".tile")].find(
        (one) => one.querySelector(".name")?.textContent === wanted,
      );
      return tile?.querySelector(".low-battery")?.getAttribute("aria-label") ?? undefined;
    }, WATER);
  expect(await sign()).toBe("Battery low");
  const lines = () => page.$$eval(".attention .line", (all) => all.map(({ textContent }) => textContent));
  await until("both are reported", async () => (await lines()).length === 2);
  expect(await lines()).toEqual([`${WATER}: water at alarm 2!`, `${WATER}: battery low`]);
  await picture(page, "leak-en");
  house.network.report(WATER, { water_leak_alarm_2: false, battery_low: false });
  await until("both are over", async () => (await lines()).length === 0);
});

test("carbon monoxide is said first, in red, and on top of the start; and is over when it is over", async () => {
  await showsTile(page, CO, "No smoke · No carbon monoxide");
  house.network.report(CO, { carbon_monoxide: true });
  await showsTile(page, CO, "Carbon monoxide!");
  expect(await tileText(page, CO)).not.toContain("No smoke");
  expect(await isAlarm(CO)).toBe(true);
  await until("it is on top", async () => (await firstMatter()) === `${CO}: carbon monoxide!`);
  expect(await barriers(page)).toEqual([]);
  await picture(page, "alarm-en");
  await page.evaluateOnNewDocument("Object.defineProperty(navigator, 'language', { get: () => 'de-DE' })");
  await visitor.go("/");
  await settled(page);
  await showsTile(page, CO, "Kohlenmonoxid!");
  expect(await firstMatter()).toBe(`${CO}: Kohlenmonoxid!`);
  await picture(page, "alarm-de");
  house.network.report(CO, { carbon_monoxide: false });
  await showsTile(page, CO, "Kein Rauch · Kein Kohlenmonoxid");
  await until("nothing is wrong any more", async () => (await firstMatter()) === undefined);
});
