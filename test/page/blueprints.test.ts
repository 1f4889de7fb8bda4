// A rule of a blueprint, made and changed with the page, as somebody does it who has never seen a rule file.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { ElementHandle, Page } from "puppeteer-core";
import { openBrowser, type Visitors } from "./support/browser.ts";
import { type PageHouse, startPageHouse } from "./support/page-house.ts";
import { picture, settled, tap } from "./support/seen.ts";

let house: PageHouse;
let visitors: Visitors;
beforeAll(async () => {
  house = await startPageHouse({ zigbee: 24, tidy: true });
  visitors = await openBrowser();
});
afterAll(async () => {
  await visitors?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

/** Fills in the field with this label, as by typing. */
async function fill(page: Page, label: string, value: string): Promise<void> {
  const found = await page.waitForFunction(
    (wanted) => {
      const labels = [...document.querySelectorAll<HTMLLabelElement>("label[for]")];
      return labels.find((one) => one.textContent?.trim() === wanted)?.control ?? false;
    },
    {},
    label,
  );
  const field = found.asElement() as ElementHandle<HTMLInputElement> | null;
  if (!field) throw new Error(`there is no field "${label}"`);
  // Without the mouse: what is above may still grow, and move it away.
  await field.evaluate((one) => one.select());
  await field.type(value);
  await page.keyboard.press("Tab");
}

/** The answer to the first check of a text waits for the event `release`; `window.checks` says how far it is. */
const holdFirstCheck = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const [real, state] = [window.fetch, window as { checks?: string }];
    window.fetch = Object.assign(
      async (...args: Parameters<typeof fetch>) => {
        const isHeld = String(args[0]).endsWith("/rules/check") && state.checks === undefined;
        if (isHeld) state.checks = "asked";
        const answer = await real(...args);
        if (!isHeld) return answer;
        await new Promise((resolve) => addEventListener("release", resolve, { once: true }));
        setTimeout(() => (state.checks = "answered"));
        return answer;
      },
      { preconnect: real.preconnect },
    );
  });

/** Ticks the first of the choices under this heading. */
const pickFirst = async (page: Page, legend: string): Promise<unknown> => {
  const picked = await page.waitForFunction(
    (wanted) => {
      const group = [...document.querySelectorAll("fieldset")].find(
        (one) => one.querySelector("legend")?.textContent?.trim() === wanted,
      );
      const label = group?.querySelector("label");
      label?.querySelector("input")?.click();
      return label?.querySelector("span")?.textContent ?? false;
    },
    {},
    legend,
  );
  return picked.jsonValue();
};

const textOf = (page: Page): Promise<string> => page.$eval("main", (main) => main.textContent ?? "");

test("a rule is made of the motion light, with what is wrong beside its field, and changed beside its text", async () => {
  await using visitor = await visitors.visit(house, { role: "admin", width: 1280 });
  const { page } = visitor;
  await visitor.go("/rules/new");
  await settled(page);
  await picture(page, "new-rule");
  await tap(page, 'a[href="/blueprints/motion-light"]');
  await page.waitForFunction(() => location.pathname === "/blueprints/motion-light");
  await fill(page, "Name of the rule", "Hall in the dark");
  const sensor = await pickFirst(page, "Motion sensors");
  const lamp = await pickFirst(page, "Lamps");
  expect([sensor, lamp]).not.toContain("");
  await fill(page, "Brightness at night", "500");
  await page.waitForSelector(".field .problem");
  await page.waitForFunction(() => /from 1 to 100/.test(document.querySelector(".field .problem")?.textContent ?? ""));
  await page.waitForSelector("button[type=submit]:disabled");
  await picture(page, "form-problem");
  await fill(page, "Brightness at night", "7");
  await fill(page, "Off after", "3");
  await tap(page, "button[type=submit]");
  await page.waitForFunction(() => location.pathname.startsWith("/rules/") && location.search === "?tab=try");
  await settled(page);
  expect(await textOf(page)).toContain("Motion light – Motion sensors: ");
  const id = decodeURIComponent(new URL(page.url()).pathname.split("/").at(-1) ?? "");
  const made = await house.hub.get<{ use: string; inputs: object; name: string }>(`/rules/${id}`);
  expect(made).toMatchObject({
    name: "Hall in the dark",
    use: "motion-light",
    inputs: { off_after: "3m", night_brightness: 7 },
  });

  await visitor.go(`/rules/${encodeURIComponent(id)}?tab=edit`);
  await settled(page);
  // The text has been looked at once.
  await page.waitForSelector(".edit-guide .field");
  expect(await page.$$(".part-list")).toHaveLength(0);
  await holdFirstCheck(page);
  await fill(page, "Off after", "8");
  await page.waitForFunction(() => "checks" in window && window.checks === "asked");
  await fill(page, "Off after", "9");
  await page.waitForSelector(".save-bar button.main:not(:disabled)");
  await page.evaluate(() => dispatchEvent(new Event("release")));
  await page.waitForFunction(() => "checks" in window && window.checks === "answered");
  // What was said of the text before comes late, and no longer counts.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await page.waitForSelector(".save-bar button.main:not(:disabled)", { timeout: 2000 });
  await picture(page, "edit-made");
  await tap(page, ".save-bar button.main");
  await page.waitForFunction(() => document.body.textContent?.includes("Nothing is changed."));
  expect(await house.hub.get(`/rules/${id}`)).toMatchObject({ inputs: { off_after: "9m" } });
  // What is not right yet is refused, and the browser says so as well.
  expect(visitor.complaints.filter((one) => !one.includes("400"))).toEqual([]);
});

test("who may not make rules sees what blueprints do, and no form", async () => {
  await using visitor = await visitors.visit(house, { role: "viewer", path: "/blueprints" });
  await settled(visitor.page);
  expect(await textOf(visitor.page)).toContain("Leak alarm");
  await visitor.go("/blueprints/leak-alarm");
  await settled(visitor.page);
  expect(await visitor.page.$$("form")).toHaveLength(0);
});
