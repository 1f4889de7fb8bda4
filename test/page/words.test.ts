// In German, on a phone: what the hub refuses, what it reports about rules and devices, and where one is, in words of this language.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "puppeteer-core";
import { until } from "../support/wait.ts";
import { openBrowser, type Visitor, type Visitors } from "./support/browser.ts";
import { PASSWORD, type PageHouse, startPageHouse } from "./support/page-house.ts";
import { press, settled } from "./support/seen.ts";
import { madeRulePath } from "./views.ts";

let house: PageHouse;
let visitors: Visitors;
let visitor: Visitor;
let page: Page;
beforeAll(async () => {
  house = await startPageHouse({ zigbee: 8 });
  visitors = await openBrowser();
  visitor = await visitors.visit(house, { width: 360 });
  page = visitor.page;
  await page.evaluateOnNewDocument("Object.defineProperty(navigator, 'language', { get: () => 'de-DE' })");
  await visitor.go("/");
});
afterAll(async () => {
  await visitors?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const says = (words: string) =>
  until(`the page says "${words}"`, () =>
    page.evaluate((wanted) => document.body.textContent?.includes(wanted), words),
  );
const focused = (): Promise<string> =>
  page.evaluate(() => document.activeElement?.getAttribute("name") ?? document.activeElement?.id ?? "");

test("a wrong password is refused in words, and can be typed again at once", async () => {
  await page.locator(".sign-in input[name=username]").fill("the-admin");
  await page.locator(".sign-in input[name=password]").fill("not this one");
  await page.keyboard.press("Enter");
  await says("Benutzername oder Passwort ist falsch.");
  await until("the password is in focus", async () => (await focused()) === "password");
  await visitor.signIn("admin");
});

test("other refusals say what they are about", async () => {
  await visitor.go("/account");
  await settled(page);
  await page.locator("input[name=current_password]").fill("not this one");
  await page.locator("input[name=new_password]").fill("another password");
  await press(page, "Passwort ändern");
  await says("Das jetzige Passwort ist falsch.");
  await visitor.go("/system/users");
  await settled(page);
  await page.locator("form input[name=username]").fill("no name; at all");
  await page.locator("form input[name=password]").fill("another password");
  await press(page, "Hinzufügen");
  const own = await page.waitForSelector("dialog[open] input[type=password]:not(:disabled)");
  await own?.type(PASSWORD);
  await press(page, "Weiter");
  await says("Das ist so nicht richtig. (");
});

test("the printed password is no new one", async () => {
  const { username = "", password = "" } = house.place.admin ?? {};
  await using first = await visitors.visit(house, { width: 360 });
  await first.page.locator(".sign-in input[name=username]").fill(username);
  await first.page.locator(".sign-in input[name=password]").fill(password);
  await first.page.keyboard.press("Enter");
  await first.page.locator("input[name=next]").fill(password);
  await first.page.keyboard.press("Enter");
  await first.page.waitForSelector(".problem[role=alert]");
  expect(await first.page.$eval(".problem", (one) => one.textContent)).toBe(
    "This is the present password. Choose another one.",
  );
});

test("connecting Zigbee is reported in one language, each box beside its words", async () => {
  await visitor.go("/connect?with=zigbee");
  await settled(page);
  const [tall, box] = await page.$eval(".setup-form .check", (one) =>
    [one, one.querySelector("input") ?? one].map((part) => part.getBoundingClientRect().height),
  );
  // Two lines of words, and the box beside them rather than above.
  expect([tall, box]).toEqual([expect.closeTo(48, -1), 20]);
  await press(page, "Konto anlegen");
  await says("Ersetze in der configuration.yaml von Zigbee2MQTT");
});

test("the window is called after the view, and the focus does not stay with what is gone", async () => {
  await visitor.go("/system");
  await settled(page);
  expect(await page.title()).toBe("System – Hub");
  await page.focus("main a[href='/system/backups']");
  await page.keyboard.press("Enter");
  await until("the window is called after the view", async () => (await page.title()) === "Sicherungen – Hub");
  expect(await focused()).toBe("content");
  await page.goBack();
  await until("it is called after the former one", async () => (await page.title()) === "System – Hub");
});

test("problems of rules name devices by their names", async () => {
  await visitor.go(await madeRulePath(house));
  await settled(page);
  await says("„Stairs lamp“ hat zurzeit keinen Wert");
  expect(await page.$eval(".rule-state", (one) => one.textContent)).not.toContain("0x");
});

test("on the start, a broken rule takes little room", async () => {
  await visitor.go("/");
  await settled(page);
  await says("muss eins davon sein");
  expect(await page.$eval(".matter", (one) => one.textContent)).not.toContain("manual_trigger");
});

test("the heading of the rules stays in one piece beside its buttons", async () => {
  await visitor.go("/rules");
  await settled(page);
  const { height, line } = await page.$eval("h1", (one) => ({
    height: one.getBoundingClientRect().height,
    line: Number.parseFloat(getComputedStyle(one).lineHeight),
  }));
  expect(height).toBeLessThan(1.5 * line);
});

test("each kind of device is offered once, in words", async () => {
  await visitor.go("/devices");
  await settled(page);
  const kinds = await page.$eval("select[aria-label=Art]", (one) =>
    [...(one as HTMLSelectElement).options].map(({ text }) => text),
  );
  expect(kinds).toContain("Tür oder Fenster");
  expect(kinds).toContain("Zeitplan");
  expect(new Set(kinds).size).toBe(kinds.length);
  expect(kinds.filter((kind) => /^[a-z]|_/.test(kind))).toEqual([]);
});

test("the activity has one line for each event, with its details at the right and below", async () => {
  await visitor.go("/activity");
  await settled(page);
  await page.waitForSelector(".event button");
  const right = await page.$$eval(".event button", (all) => [
    ...new Set(all.map((one) => Math.round(one.getBoundingClientRect().right))),
  ]);
  expect(right).toEqual([344]);
  await page.$eval(".event button", (one) => one.click());
  await page.waitForSelector(".event-details");
  const [line, details] = await page.$eval(".event:has(.event-details)", (row) =>
    [...row.children].map((one) => one.getBoundingClientRect()).map(({ bottom, top }) => ({ bottom, top })),
  );
  expect(details?.top).toBeGreaterThanOrEqual(Math.floor(line?.bottom ?? 0));
});
