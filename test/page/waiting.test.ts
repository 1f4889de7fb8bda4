// A rule that waits: what it waits for is on the page, counts down, lasts over a restart of the hub, and can be ended.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "puppeteer-core";
import { openBrowser, type Visitors } from "./support/browser.ts";
import { type PageHouse, startPageHouse } from "./support/page-house.ts";
import { barriers, picture, press, settled } from "./support/seen.ts";

let house: PageHouse;
let visitors: Visitors;
beforeAll(async () => {
  house = await startPageHouse({ zigbee: 4, virtual: false });
  await house.hub.request("POST", "/rules", { body: PATIENT });
  visitors = await openBrowser();
});
afterAll(async () => {
  await visitors?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const PATIENT = {
  id: "patient",
  name: "Patient",
  triggers: [{ type: "manual_trigger" }],
  actions: [
    { type: "delay", duration_secs: 3600 },
    { type: "log_message", message: "done" },
  ],
};

/** What is left, once it is another time than this. */
async function counted(page: Page, other = ""): Promise<string> {
  const found = await page.waitForFunction(
    (seen) => {
      const now = document.querySelector(".rule-wait [role=timer]")?.textContent ?? "";
      return now !== seen && now;
    },
    {},
    other,
  );
  return String(await found.jsonValue());
}

async function countsDown(page: Page): Promise<void> {
  expect(await counted(page, await counted(page))).toMatch(/59:\d\d/);
}

test("a waiting run is shown, counts down, outlasts a power cut, and is gone when it is cancelled", async () => {
  await house.hub.request("POST", "/rules/patient/run", { body: {} });
  await using visitor = await visitors.visit(house, { role: "admin", path: "/rules/patient" });
  const { page } = visitor;
  await settled(page);
  await visitor.go("/rules/patient");
  await countsDown(page);
  expect(await page.$eval(".rule-run", (one) => one.textContent)).toContain("until");
  expect(await barriers(page)).toEqual([]);
  await picture(page, "waiting-run");

  await house.kill();
  await page.waitForSelector("main:not([data-live=live])");
  await house.start();
  await settled(page);
  await countsDown(page);

  const cancel = await page.$eval(".rule-run button", (one) => one.textContent ?? "");
  await press(page, cancel.trim());
  await page.waitForFunction(() => !document.querySelector(".rule-run"));
  expect(await house.hub.get<unknown[]>("/rules/patient/runs")).toEqual([]);
});
