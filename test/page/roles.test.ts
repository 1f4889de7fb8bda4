// Signing in as each role: what one may not do is not offered, or cannot be used, and is never asked of the hub.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../support/wait.ts";
import { openBrowser, type Visitors } from "./support/browser.ts";
import { LAMP, PASSWORD, type PageHouse, startPageHouse } from "./support/page-house.ts";
import { barriers, press, settled, showsSwitch, walk } from "./support/seen.ts";
import { pathOf, VIEWS } from "./views.ts";

let house: PageHouse;
let visitors: Visitors;
beforeAll(async () => {
  house = await startPageHouse({ zigbee: 6 });
  visitors = await openBrowser();
});
afterAll(async () => {
  await visitors?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const MAY_SWITCH = { user: true, viewer: false } as const;

test("an administrator may switch", async () => {
  await using visitor = await visitors.visit(house, { role: "admin" });
  await settled(visitor.page);
  await showsSwitch(visitor.page, LAMP, { isDisabled: false });
});

test("an administrator lets somebody in with their own password, who can then confirm with theirs", async () => {
  await using visitor = await visitors.visit(house, { role: "admin", path: "/system/users" });
  const { page } = visitor;
  const form = "main section form";
  const [username, password] = ["mum", "a password of mum"];
  await page.waitForSelector(`${form} input[name=username]`);
  await page.type(`${form} input[name=username]`, username);
  await page.type(`${form} input[name=password]`, password);
  await page.select(`${form} select`, "admin");
  await press(page, "Add");
  const own = await page.waitForSelector("dialog[open] input[type=password]:not(:disabled)");
  expect(await barriers(page)).toEqual([]);
  await own?.type(PASSWORD);
  await press(page, "Go on");
  await until("mum is listed", async () =>
    (await page.$eval("main", (main) => main.textContent ?? "")).includes("mum"),
  );
  const { token } = (await house.hub.login(username, password)).json<{ token: string }>();
  const confirmed = await house.hub.request("POST", "/auth/confirm", { token, body: { password } });
  expect(confirmed.status).toBe(200);
});

// What an administrator sees is looked at in views.test.ts.
for (const role of ["user", "viewer"] as const)
  test(`${role}: every view is there or says why not, and nothing is refused by the hub`, async () => {
    await using visitor = await visitors.visit(house, { role });
    await settled(visitor.page);
    await showsSwitch(visitor.page, LAMP, { isDisabled: !MAY_SWITCH[role] });
    for (const view of VIEWS) {
      await walk(visitor.page, await pathOf(view, house));
      await settled(visitor.page);
      expect([view.name, visitor.refused, visitor.complaints.splice(0)]).toEqual([view.name, [], []]);
      if (MAY_SWITCH[role]) continue;
      const usable = await visitor.page.evaluate(() =>
        [...document.querySelectorAll("main :is([role=switch], [type=range]):not(:disabled, .scrubber)")].map(
          (one) => one.outerHTML,
        ),
      );
      expect([view.name, usable]).toEqual([view.name, []]);
    }
  });
