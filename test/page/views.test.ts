// Every view, in both schemes, on a phone and on a desk: no barrier, no complaint, nothing from elsewhere, nothing that sticks out.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { openBrowser, SCHEMES, type Visitor, type Visitors, WIDTHS } from "./support/browser.ts";
import { type PageHouse, startPageHouse } from "./support/page-house.ts";
import { barriers, overflowing, picture, settled } from "./support/seen.ts";
import { pathOf, unvisited, VIEWS } from "./views.ts";

let house: PageHouse;
let visitors: Visitors;
let visitor: Visitor;
beforeAll(async () => {
  house = await startPageHouse();
  visitors = await openBrowser();
  visitor = await visitors.visit(house, { role: "admin" });
});
afterAll(async () => {
  await visitors?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

for (const width of WIDTHS)
  for (const scheme of SCHEMES)
    for (const view of VIEWS)
      test(`${view.name}, ${scheme}, ${width} px`, async () => {
        await visitor.look({ scheme, width });
        await visitor.go(await pathOf(view, house));
        await settled(visitor.page);
        await picture(visitor.page, `${view.name}-${width}-${scheme}`);
        expect(await barriers(visitor.page)).toEqual([]);
        expect(await overflowing(visitor.page)).toEqual([]);
        expect(visitor.complaints.splice(0)).toEqual([]);
        expect(visitor.abroad).toEqual([]);
      });

test("every view with a name in its path has a line in views.ts", async () => {
  expect(await unvisited(house)).toEqual([]);
});

test("signing in, in both schemes, on a phone and on a desk", async () => {
  await using stranger = await visitors.visit(house);
  for (const width of WIDTHS)
    for (const scheme of SCHEMES) {
      await stranger.look({ scheme, width });
      await stranger.page.waitForSelector("input[name=username]");
      await picture(stranger.page, `sign-in-${width}-${scheme}`);
      expect(await barriers(stranger.page)).toEqual([]);
      expect(await overflowing(stranger.page)).toEqual([]);
    }
  expect([stranger.complaints, stranger.abroad]).toEqual([[], []]);
});
