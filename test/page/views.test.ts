// Every view, in both schemes, on a phone and on a desk: no barrier, no complaint, nothing from elsewhere, nothing that sticks out,
// nothing that the hub refuses an administrator, and on the phone nothing too small for a thumb.
// Over 10 s: more than forty views of a house with 200 devices, each loaded twice and looked at four times.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "puppeteer-core";
import { openBrowser, SCHEMES, type Visitor, type Visitors, WIDTHS } from "./support/browser.ts";
import { type PageHouse, startPageHouse } from "./support/page-house.ts";
import { barriers, overflowing, picture, settled, tooSmall } from "./support/seen.ts";
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

const [PHONE] = WIDTHS;
/** Each scheme is the one that a page of one of the widths is loaded with. */
const LOADED = { 360: SCHEMES, 1280: SCHEMES.toReversed() } as const;

/** What looks at colours: the scheme changes nothing else. */
const OF_COLOURS = ["color-contrast", "link-in-text-block"];
const barriersIn = (page: Page, scheme: string, loaded: string | undefined): Promise<string[]> =>
  barriers(page, scheme === loaded ? undefined : OF_COLOURS);

for (const width of WIDTHS)
  for (const view of VIEWS)
    test(`${view.name}, ${width} px`, async () => {
      const { page } = visitor;
      const schemes = LOADED[width];
      await visitor.look({ width, scheme: schemes[0] });
      await visitor.go(await pathOf(view, house));
      await settled(page);
      for (const scheme of schemes) {
        await visitor.look({ width, scheme });
        await picture(page, `${view.name}-${width}-${scheme}`);
        expect([scheme, await barriersIn(page, scheme, schemes[0])]).toEqual([scheme, []]);
        expect(await overflowing(page)).toEqual([]);
      }
      if (width === PHONE) expect(await tooSmall(page)).toEqual([]);
      expect(visitor.complaints.splice(0)).toEqual([]);
      expect([visitor.abroad, visitor.refused]).toEqual([[], []]);
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
      if (width === PHONE) expect(await tooSmall(stranger.page)).toEqual([]);
    }
  expect([stranger.complaints, stranger.abroad]).toEqual([[], []]);
});
