// Under a thumb, on the smallest phone: everything that is pressed is large enough, in every view.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { openBrowser, type Visitor, type Visitors } from "./support/browser.ts";
import { type PageHouse, startPageHouse } from "./support/page-house.ts";
import { settled, tooSmall } from "./support/seen.ts";
import { pathOf, VIEWS } from "./views.ts";

let house: PageHouse;
let visitors: Visitors;
let visitor: Visitor;
beforeAll(async () => {
  house = await startPageHouse({ zigbee: 30 });
  visitors = await openBrowser();
  visitor = await visitors.visit(house, { role: "admin", width: 360 });
});
afterAll(async () => {
  await visitors?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

test("signing in", async () => {
  await using stranger = await visitors.visit(house, { width: 360 });
  await stranger.page.waitForSelector(".sign-in input");
  expect(await tooSmall(stranger.page)).toEqual([]);
});

for (const view of VIEWS)
  test(view.name, async () => {
    await visitor.go(await pathOf(view, house));
    await settled(visitor.page);
    expect(await tooSmall(visitor.page)).toEqual([]);
  });
