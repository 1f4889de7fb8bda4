// What is changed in the guided editor while an earlier change is still being written: nothing is lost, and nobody loses their place.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "puppeteer-core";
import { until } from "../support/wait.ts";
import { openBrowser, type Visitor, type Visitors } from "./support/browser.ts";
import { type PageHouse, startPageHouse } from "./support/page-house.ts";
import { press, settled } from "./support/seen.ts";

let house: PageHouse;
let visitors: Visitors;
beforeAll(async () => {
  house = await startPageHouse({ zigbee: 4, virtual: false });
  await house.hub.request("PUT", "/rules/evening/text", { body: TEXT });
  visitors = await openBrowser();
});
afterAll(async () => {
  await visitors?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const TEXT = `# Why this rule is here
id = "evening"
name = "Evening"

[[triggers]]
type = "manual_trigger"

[[actions]]
type = "log_message"
message = "first" # said first

[[actions]]
type = "delay"
duration_secs = 90 # long enough
`;

/** The guide's questions to the hub wait until they are let through, one at a time, oldest first. */
async function holdWrites({ cdp }: Visitor): Promise<{ waiting: () => number; next: () => Promise<void> }> {
  const held: string[] = [];
  cdp.on("Fetch.requestPaused", ({ requestId }) => held.push(requestId));
  await cdp.send("Fetch.enable", { patterns: [{ urlPattern: "*/rules/compose" }] });
  return {
    waiting: () => held.length,
    async next() {
      const requestId = await until("something is written", () => held.shift());
      await cdp.send("Fetch.continueRequest", { requestId });
    },
  };
}

const fieldOf = (page: Page, label: string) =>
  page.waitForFunction(
    (wanted) =>
      [...document.querySelectorAll<HTMLInputElement>(".guide input, .guide textarea")].find(
        (one) => one.ariaLabel === wanted || [...(one.labels ?? [])].some((by) => by.textContent?.trim() === wanted),
      ) ?? false,
    {},
    label,
  );

/** Changes a field as somebody does who leaves it then. */
async function type(page: Page, label: string, value: string): Promise<void> {
  const field = await fieldOf(page, label);
  await field.asElement()?.evaluate((one, text) => {
    (one as HTMLInputElement).focus();
    (one as HTMLInputElement).value = text;
    for (const kind of ["input", "change"]) one.dispatchEvent(new Event(kind, { bubbles: true }));
  }, value);
}

const open = (page: Page, action: number) =>
  page.$eval(`.guide > .parts:nth-of-type(3) > ol > li:nth-of-type(${action}) details`, (one) => {
    (one as HTMLDetailsElement).open = true;
  });
const code = (page: Page): Promise<string> => page.$eval(".guide", (one) => one.textContent ?? "");

test("three changes in a row are written one after the other, each over the one before, and the comments stay", async () => {
  await using visitor = await visitors.visit(house, { role: "admin", path: "/rules/evening?tab=edit" });
  const { page } = visitor;
  await settled(page);
  await page.waitForSelector(".guide");
  await page.$eval(".guide", (guide) => guide.setAttribute("data-mark", "1"));
  const writes = await holdWrites(visitor);

  await type(page, "Name", "Evening, renamed");
  await until("the first is on its way", () => writes.waiting() === 1);
  await open(page, 1);
  await type(page, "Message", "second");
  await open(page, 2);
  await type(page, "How long", "2m");
  await until("the guide shows all of it at once", async () => (await code(page)).includes("2 min"));
  // The others wait for the first.
  expect(writes.waiting()).toBe(1);
  for (let count = 0; count < 3; count++) await writes.next();

  // It was not drawn anew meanwhile: what is open stays open, and the field has the keyboard still.
  await page.waitForSelector(".guide[data-mark] .parts:nth-of-type(3) li:nth-of-type(2) details[open]");
  expect(await page.evaluate(() => document.activeElement?.closest(".guide[data-mark]") !== null)).toBe(true);
  await press(page, "Save");
  const text = await until("it is saved", async () => {
    const now = (await house.hub.request("GET", "/rules/evening/text")).text;
    return now === TEXT ? undefined : now;
  });
  const wanted = TEXT.replace('name = "Evening"', 'name = "Evening, renamed"')
    .replace('"first"', '"second"')
    .replace("= 90", "= 120");
  expect(text).toBe(wanted);
  expect(visitor.complaints).toEqual([]);
});

test("what the hub refuses stays in its field and not in the text, and what was changed before it is kept", async () => {
  await house.hub.request("PUT", "/rules/evening/text", { body: TEXT });
  await using visitor = await visitors.visit(house, { role: "admin", path: "/rules/evening?tab=edit" });
  const { page } = visitor;
  await settled(page);
  await page.waitForSelector(".guide");
  await type(page, "Name", "Kept");
  await open(page, 2);
  await type(page, "How long", "soon");
  await page.waitForFunction(() => document.querySelector(".guide .problem"));
  const field = await fieldOf(page, "How long");
  const typed = await field.asElement()?.evaluate((one) => (one as HTMLInputElement).value);
  expect(typed).toBe("soon");
  await press(page, "Save");
  const text = await until("it is saved", async () => {
    const now = (await house.hub.request("GET", "/rules/evening/text")).text;
    return now === TEXT ? undefined : now;
  });
  expect(text).toBe(TEXT.replace('name = "Evening"', 'name = "Kept"'));
});
