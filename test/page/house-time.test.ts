// Times are those of the house, whatever zone the browser is in; and plots show its nights.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { openBrowser, type Visitors } from "./support/browser.ts";
import { LAMP, type PageHouse, startPageHouse } from "./support/page-house.ts";
import { picture, settled } from "./support/seen.ts";
import { addressOf } from "./support/zigbee-devices.ts";

const PLACE = `[location]\nlatitude = -43.95\nlongitude = -176.55\ntimezone = "Pacific/Chatham"\n`;

let house: PageHouse;
let visitors: Visitors;
beforeAll(async () => {
  house = await startPageHouse({ zigbee: 4, virtual: false, toml: PLACE });
  visitors = await openBrowser();
});
afterAll(async () => {
  await visitors?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const clockInHouse = (at: number): string =>
  new Intl.DateTimeFormat("sv", { dateStyle: "short", timeStyle: "short", timeZone: "Pacific/Chatham" })
    .format(at)
    .replace(" ", "T");

test("a traveller sees and enters the times of the house, with its nights behind them", async () => {
  await using visitor = await visitors.visit(house, { role: "user" });
  const { page } = visitor;
  await page.emulateTimezone("America/New_York");
  house.network.report(LAMP, { state: "ON", brightness: 100 });
  await visitor.go(`/devices/${addressOf(1)}?range=week`);
  await settled(page);
  await page.waitForSelector(".stage .night");
  expect((await page.$$(".stage .night")).length).toBeGreaterThanOrEqual(6);
  const shown = await page.$eval("input[name=to]", (input) => (input as HTMLInputElement).value);
  const now = Date.now();
  expect([clockInHouse(now - 120_000), clockInHouse(now - 60_000), clockInHouse(now)]).toContain(shown);
  await picture(page, "nights");

  const from = clockInHouse(now - 3 * 3_600_000);
  await page.evaluate(
    (first, last) => {
      for (const [name, value] of [
        ["from", first],
        ["to", last],
      ] as const) {
        const input = document.querySelector<HTMLInputElement>(`input[name=${name}]`);
        if (input) input.value = value;
      }
      document.querySelector<HTMLFormElement>(".custom form")?.requestSubmit();
    },
    from,
    shown,
  );
  await page.waitForFunction(() => location.search.includes("from="));
  const chosen = new URL(page.url()).searchParams.get("from") ?? "";
  expect(clockInHouse(Date.parse(chosen))).toBe(from);
  expect(visitor.complaints).toEqual([]);
});
