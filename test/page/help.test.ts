// The help in a browser: read and searched on a phone and on a desk, in both schemes, and reached from the page.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHubPlace } from "../support/hub-place.ts";
import { until } from "../support/wait.ts";
import { openBrowser, SCHEMES, type Visitors, WIDTHS } from "./support/browser.ts";
import { barriers, overflowing, picture } from "./support/seen.ts";

const place = createHubPlace();
let origin: string;
let visitors: Visitors;
beforeAll(async () => {
  origin = new URL((await place.start()).api).origin;
  visitors = await openBrowser();
});
afterAll(async () => {
  await visitors?.[Symbol.asyncDispose]();
  await place[Symbol.asyncDispose]();
});

const PAGES = ["/help", "/help/rules", "/help/rules/actions", "/help/operations", "/help/decisions/mqtt-broker"];

for (const width of WIDTHS)
  test(`pages of it, ${width} px`, async () => {
    await using visitor = await visitors.visit({ origin }, { path: "/help" });
    const { page } = visitor;
    for (const path of PAGES) {
      await visitor.look({ width });
      await visitor.go(path);
      for (const scheme of SCHEMES) {
        await visitor.look({ width, scheme });
        await picture(page, `${path.slice(1).replaceAll("/", "-")}-${width}-${scheme}`);
        expect([path, scheme, await barriers(page)]).toEqual([path, scheme, []]);
        expect([path, await overflowing(page)]).toEqual([path, []]);
      }
    }
    expect([visitor.complaints, visitor.abroad, visitor.refused]).toEqual([[], [], []]);
  });

test("what is typed is found, and leads to where it stands", async () => {
  await using visitor = await visitors.visit({ origin }, { path: "/help", width: 360 });
  const { page } = visitor;
  await page.locator("input[type=search]").fill("quiet hours");
  await page.waitForSelector(".found li a");
  await picture(page, "help-found-360-light");
  expect(await barriers(page)).toEqual([]);
  expect(await overflowing(page)).toEqual([]);
  await Promise.all([page.waitForNavigation(), page.locator(".found li a").click()]);
  await until("its heading is in the window", () =>
    page.evaluate(() => {
      const heading = document.getElementById(location.hash.slice(1));
      const top = heading?.getBoundingClientRect().top ?? -1;
      return top >= 0 && top < innerHeight && heading?.textContent;
    }),
  );
  expect(new URL(page.url()).pathname).toBe("/help/notifications");
  await page.locator("input[type=search]").fill("xyzzy");
  await until("it says that there is nothing", () =>
    page.evaluate(() => document.querySelector(".found")?.textContent?.includes("Nothing in the help")),
  );
  expect([visitor.complaints, visitor.abroad, visitor.refused]).toEqual([[], [], []]);
});

test("an address with ?q= is a search", async () => {
  await using visitor = await visitors.visit({ origin }, { path: "/help?q=cooldown_secs" });
  await visitor.page.waitForSelector(".found li a[href^='/help/rules/fields']");
});
