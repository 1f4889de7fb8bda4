// Schedules, groups and calendars, as somebody makes and changes them on the page.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "puppeteer-core";
import { until } from "../support/wait.ts";
import { openBrowser, type Visitors } from "./support/browser.ts";
import { LAMP, type PageHouse, startPageHouse } from "./support/page-house.ts";
import { settled, switchSeen, touchSwitch } from "./support/seen.ts";

let house: PageHouse;
let visitors: Visitors;
beforeAll(async () => {
  house = await startPageHouse({ zigbee: 8, virtual: false });
  visitors = await openBrowser();
});
afterAll(async () => {
  await visitors?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

interface Schedule {
  plan: { days: string[]; from: string; to: string }[];
  enabled: boolean;
}
const schedule = () => house.hub.get<Schedule>("/schedules/heating");

async function setTime(page: Page, name: string, time: string): Promise<void> {
  await page.waitForSelector(`input[aria-label="${name}"]`);
  await page.$eval(
    `input[aria-label="${name}"]`,
    (field, value) => {
      const input = field as HTMLInputElement;
      input.value = value;
      input.dispatchEvent(new Event("change", { bubbles: true }));
    },
    time,
  );
}

test("the times of a schedule are changed, copied to other days, and saved", async () => {
  await using visitor = await visitors.visit(house, { role: "user", path: "/schedules/heating", width: 360 });
  const { page } = visitor;
  await settled(page);
  await setTime(page, "From: Monday, 06:30–08:00", "05:45");
  await page.select('select[aria-label="Copy Monday to"]', "tue");
  await page.$eval('button[aria-label="Add: Sunday"]', (button) => (button as HTMLElement).click());
  await page.waitForSelector(".banner button[type=submit]:not(:disabled)");
  await page.click(".banner button[type=submit]");
  const { plan } = await until("it is saved", async () => {
    const held = await schedule();
    return held.plan.some(({ from }) => from === "05:45") ? held : undefined;
  });
  expect(plan).toContainEqual({ days: ["mon", "tue"], from: "05:45", to: "08:00" });
  expect(plan).toContainEqual({ days: ["wed", "thu", "fri"], from: "06:30", to: "08:00" });
  expect(plan.filter(({ days }) => days.includes("sun"))).toContainEqual({ days: ["sun"], from: "00:00", to: "24:00" });
});

test("what somebody else saved meanwhile is not overwritten, and what was typed stays", async () => {
  await using visitor = await visitors.visit(house, { role: "user", path: "/schedules/heating" });
  const { page } = visitor;
  await settled(page);
  await setTime(page, "From: Wednesday, 06:30–08:00", "04:00");
  await page.waitForSelector(".banner button[type=submit]:not(:disabled)");
  await house.hub.request("PATCH", "/schedules/heating", { body: { name: "Mine" } });
  await page.click(".banner button[type=submit]");
  await page.waitForFunction(() => document.querySelector("main")?.textContent?.includes("was changed meanwhile"));
  expect(await page.$('input[aria-label="From: Wednesday, 04:00–08:00"]')).not.toBeNull();
  expect((await schedule()).plan.some(({ from }) => from === "04:00")).toBe(false);
});

test("a schedule is switched off in the list, and says so", async () => {
  await using visitor = await visitors.visit(house, { role: "user", path: "/schedules" });
  const { page } = visitor;
  await settled(page);
  await page.click(".thing [role=switch]");
  await page.waitForFunction(() => document.querySelector(".thing")?.textContent?.includes("it stays off"));
  expect((await schedule()).enabled).toBe(false);
});

test("a viewer sees the plan and cannot change it", async () => {
  await using visitor = await visitors.visit(house, { role: "viewer", path: "/schedules/heating" });
  const { page } = visitor;
  await settled(page);
  const fields = await page.$$eval("input[type=time]", (all) => all.map((one) => (one as HTMLInputElement).disabled));
  expect(fields.length).toBeGreaterThan(3);
  expect(fields.every(Boolean)).toBe(true);
  expect(await page.$("main select")).toBeNull();
});

test("a group is made of devices, and its tile switches all of them", async () => {
  await using visitor = await visitors.visit(house, { role: "user", path: "/groups?new=1" });
  const { page } = visitor;
  await settled(page);
  await page.type(".stacked-form input:not([type])", "Evening");
  for (const name of [LAMP, "Stairs lamp"])
    await page.evaluate((wanted) => {
      const choices = [...document.querySelectorAll(".choice")];
      const found = choices.find((one) => one.textContent?.trim() === wanted);
      found?.querySelector("input")?.click();
    }, name);
  await page.click(".stacked-form button[type=submit]");
  const group = await until("it is there", async () => {
    const groups = await house.hub.get<{ name: string; members: string[]; device_type: string }[]>("/groups");
    return groups.find(({ name }) => name === "Evening");
  });
  expect(group).toMatchObject({ device_type: "light" });
  expect(group.members).toHaveLength(2);
  await visitor.go("/");
  await page.waitForSelector("main[data-live=live]");
  await until("its tile can be used", async () => (await switchSeen(page, "Evening"))?.isDisabled === false);
  await touchSwitch(page, "Evening");
  await until("its lamp is on", async () => (await switchSeen(page, LAMP))?.isOn === true);
  await until("it is on", async () => (await switchSeen(page, "Evening"))?.isOn === true);
});

test("a calendar shows what comes next", async () => {
  await using visitor = await visitors.visit(house, { role: "viewer", path: "/calendars" });
  const { page } = visitor;
  await page.waitForFunction(() => document.querySelectorAll(".calendar-events li").length > 3);
  expect(await page.$eval("main", (main) => main.textContent)).toContain("Choir practice");
});
