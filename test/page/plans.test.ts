// Schedules, groups and calendars, as somebody makes and changes them on the page.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "puppeteer-core";
import { until } from "../support/wait.ts";
import { openBrowser, type Visitors } from "./support/browser.ts";
import { LAMP, MUTE, type PageHouse, startPageHouse } from "./support/page-house.ts";
import { barriers, settled, showsSwitch, showsTile, tap, touchSwitch } from "./support/seen.ts";

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
  await page.waitForFunction(
    (selector, value) => {
      const input = document.querySelector<HTMLInputElement>(selector);
      if (!input) return false;
      input.value = value;
      input.dispatchEvent(new Event("change", { bubbles: true }));
      return true;
    },
    {},
    `input[aria-label="${name}"]`,
    time,
  );
}

test("the times of a schedule are changed, copied to other days, and saved", async () => {
  await using visitor = await visitors.visit(house, { role: "user", path: "/schedules/heating", width: 360 });
  const { page } = visitor;
  await settled(page);
  await setTime(page, "From: Monday, 06:30–08:00", "05:45");
  await page.select('select[aria-label="Copy Monday to"]', "tue");
  await tap(page, 'button[aria-label="Add: Sunday"]');
  await tap(page, ".banner button[type=submit]");
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
  // It can be saved once it is known what it was made from.
  await page.waitForSelector(".banner button[type=submit]:not(:disabled)");
  await house.hub.request("PATCH", "/schedules/heating", { body: { name: "Mine" } });
  await tap(page, ".banner button[type=submit]");
  await page.waitForFunction(() => document.querySelector("main")?.textContent?.includes("was changed meanwhile"));
  await page.waitForSelector('input[aria-label="From: Wednesday, 04:00–08:00"]');
  expect((await schedule()).plan.some(({ from }) => from === "04:00")).toBe(false);
});

const time = (page: Page, name: string) =>
  page.$eval(`input[aria-label="${name}"]`, (one) => (one as HTMLInputElement).value);

test("the edges of a block are dragged and moved by keys, over midnight too, and the typed times follow", async () => {
  await using visitor = await visitors.visit(house, { role: "user", path: "/schedules/heating" });
  const { page } = visitor;
  await settled(page);
  const edge = (name: string) => page.waitForSelector(`[role=slider][aria-label="${name}"]`);
  const place = async (name: string) =>
    (await (await edge(name))?.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const day = await page.$eval(".day-bar", (bar) => bar.clientWidth);

  const begin = await place("From: Friday, 22:30–01:30");
  await page.mouse.move(begin.x + begin.width / 2, begin.y + begin.height / 2);
  await page.mouse.down();
  await page.mouse.move(begin.x + begin.width / 2 - day / 24, begin.y, { steps: 4 });
  await page.mouse.up();
  await edge("From: Friday, 21:30–01:30");
  expect(await time(page, "From: Friday, 21:30–01:30")).toBe("21:30");

  await (await edge("To: Friday, 21:30–01:30"))?.focus();
  for (const until of ["01:15", "01:00", "00:45", "00:30", "00:15", "00:00", "23:45"]) {
    await page.keyboard.press("ArrowLeft");
    // Over midnight the edge goes on on Friday's own bar.
    await page.waitForFunction((name) => document.activeElement?.ariaLabel === name, {}, `To: Friday, 21:30–${until}`);
  }
  expect(await time(page, "To: Friday, 21:30–23:45")).toBe("23:45");
  expect(await barriers(page)).toEqual([]);
  await tap(page, ".banner button[type=submit]");
  await until("it is saved", async () => {
    const { plan } = await schedule();
    return plan.some(({ days, from, to }) => days.join() === "fri" && from === "21:30" && to === "23:45");
  });
});

test("a schedule is switched off in the list, and says so", async () => {
  await using visitor = await visitors.visit(house, { role: "user", path: "/schedules" });
  const { page } = visitor;
  await settled(page);
  await tap(page, ".thing [role=switch]");
  await page.waitForFunction(() => document.querySelector(".thing")?.textContent?.includes("it stays off"));
  expect((await schedule()).enabled).toBe(false);
});

test("its tile on the start says until when it is so, and switches whether it follows its times", async () => {
  await house.hub.request("PATCH", "/schedules/heating", { body: { name: "Heating", enabled: true } });
  await using visitor = await visitors.visit(house, { role: "user" });
  const { page } = visitor;
  await showsSwitch(page, "Heating", { isOn: true });
  await showsTile(page, "Heating", "until");
  await touchSwitch(page, "Heating");
  await until("it is off in the hub", async () => !(await schedule()).enabled);
  await showsTile(page, "Heating", "Switched off");
  await showsSwitch(page, "Heating", { isOn: false });
});

test("a viewer sees the plan and cannot change it", async () => {
  await using visitor = await visitors.visit(house, { role: "viewer", path: "/schedules/heating" });
  const { page } = visitor;
  await settled(page);
  const fields = await page.$$eval("input[type=time]", (all) => all.map((one) => (one as HTMLInputElement).disabled));
  expect(fields.length).toBeGreaterThan(3);
  expect(fields.every(Boolean)).toBe(true);
  expect(await page.$("main [role=slider]")).toBeNull();
  expect(await page.$("main select")).toBeNull();
});

test("a group is made of devices, and its tile switches all of them", async () => {
  await using visitor = await visitors.visit(house, { role: "user", path: "/groups?new=1" });
  const { page } = visitor;
  await settled(page);
  await page.type(".stacked-form input:not([type])", "Evening");
  for (const name of [LAMP, "Stairs lamp"])
    await page.waitForFunction(
      (wanted) => {
        const choices = [...document.querySelectorAll(".choice")];
        const found = choices.find((one) => one.textContent?.trim() === wanted)?.querySelector("input");
        found?.click();
        return found?.checked;
      },
      {},
      name,
    );
  await tap(page, ".stacked-form button[type=submit]");
  const group = await until("it is there", async () => {
    const groups = await house.hub.get<{ name: string; members: string[]; device_type: string }[]>("/groups");
    return groups.find(({ name }) => name === "Evening");
  });
  expect(group).toMatchObject({ device_type: "light" });
  expect(group.members).toHaveLength(2);
  await visitor.go("/");
  await page.waitForSelector("main[data-live=live]");
  await showsSwitch(page, "Evening", { isDisabled: false });
  await touchSwitch(page, "Evening");
  await showsSwitch(page, LAMP, { isOn: true });
  await showsSwitch(page, "Evening", { isOn: true });
});

test("a group shows each of its devices with its state and its control", async () => {
  house.network.report(LAMP, { state: "ON", brightness: 127 });
  await using visitor = await visitors.visit(house, { role: "user", path: "/groups" });
  const { page } = visitor;
  await settled(page);
  await tap(page, ".members summary");
  await showsTile(page, LAMP, "On · 50 %");
  await visitor.go("/devices/both");
  await showsTile(page, LAMP, "On · 50 %");
  await touchSwitch(page, LAMP);
  await showsTile(page, LAMP, "Off");
  await visitor.go("/?device=both");
  await page.waitForFunction(() => document.querySelectorAll(".sheet .tile").length === 2);
  const inSheet = await page.$$eval(".sheet .tile .name", (names) => names.map((one) => one.textContent));
  expect(inSheet).toEqual([LAMP, MUTE]);
});

test("a calendar shows what comes next", async () => {
  await using visitor = await visitors.visit(house, { role: "viewer", path: "/calendars" });
  const { page } = visitor;
  await page.waitForFunction(() => document.querySelectorAll(".calendar-events li").length > 3);
  expect(await page.$eval("main", (main) => main.textContent)).toContain("Choir practice");
});
