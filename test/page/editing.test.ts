// Two people change one rule, and somebody changes its file on the disk: whoever edits sees it, and loses nothing.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../support/wait.ts";
import { openBrowser, type Visitor, type Visitors } from "./support/browser.ts";
import { type PageHouse, RULE, startPageHouse } from "./support/page-house.ts";
import { barriers, picture, press, settled } from "./support/seen.ts";
import { rulePath } from "./views.ts";

let house: PageHouse;
let visitors: Visitors;
let file: string;
let original: string;
beforeAll(async () => {
  house = await startPageHouse({ zigbee: 4, virtual: false });
  visitors = await openBrowser();
  const folder = join(house.place.home, "rules");
  const name = readdirSync(folder).find(
    (one) => /\.(ron|toml)$/.test(one) && readFileSync(join(folder, one), "utf8").includes(RULE),
  );
  if (name === undefined) throw new Error("the rule has no file");
  file = join(folder, name);
  original = readFileSync(file, "utf8");
});
beforeEach(async () => {
  writeFileSync(file, original);
  await until("the rule is as it was", async () => (await textInHub()) === original);
});
afterAll(async () => {
  await visitors?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

async function textInHub(): Promise<string> {
  return (await house.hub.request("GET", "/rules/evening/text")).text;
}

/** Opens the editor. */
async function editing(visitor: Visitor): Promise<void> {
  await settled(visitor.page);
  await visitor.go(`${await rulePath(house)}?tab=edit`);
  await until("the editor is there", async () => (await typed(visitor)).includes(RULE));
}
/** Goes to the beginning or the end of the text. */
async function goTo({ page }: Visitor, key: "Home" | "End"): Promise<void> {
  await page.bringToFront();
  // The editor is in a shadow root.
  await page.evaluate(() =>
    document.querySelector(".edit .code > div")?.shadowRoot?.querySelector<HTMLElement>(".cm-content")?.focus(),
  );
  await page.keyboard.down("Control");
  await page.keyboard.press(key);
  await page.keyboard.up("Control");
}
/** Types a line of comment above everything. */
async function typeAbove(visitor: Visitor, comment: string): Promise<void> {
  await goTo(visitor, "Home");
  await visitor.page.keyboard.type(`// ${comment}`);
  await visitor.page.keyboard.press("Enter");
}
const typed = ({ page }: Visitor): Promise<string> =>
  page.evaluate(() => {
    const lines = document.querySelector(".edit .code > div")?.shadowRoot?.querySelectorAll(".cm-line") ?? [];
    return [...lines].map((line) => line.textContent).join("\n");
  });
const isSaved = (what: string) => until(`${what} is saved`, async () => (await textInHub()).includes(what));

test("who is second sees what the first did, and both changes are kept", async () => {
  await using first = await visitors.visit(house, { role: "admin" });
  await using second = await visitors.visit(house, { role: "admin" });
  await editing(first);
  await editing(second);
  await typeAbove(second, "by the second");
  await goTo(first, "End");
  await first.page.keyboard.press("Enter");
  await first.page.keyboard.type("// by the first");
  await press(first.page, "Save");
  await isSaved("// by the first");
  await second.page.waitForSelector(".conflict");
  expect(await second.page.$eval(".conflict", (one) => one.textContent)).toContain("by the first");
  expect(await barriers(second.page)).toEqual([]);
  await picture(second.page, "conflict");
  await press(second.page, "Put both together");
  await second.page.waitForFunction(() => !document.querySelector(".conflict"));
  await press(second.page, "Save");
  await isSaved("// by the second");
  expect(await textInHub()).toContain("// by the first");
  expect(await textInHub()).toContain("// by the second");
});

test("what was typed can be had back after taking the other's text", async () => {
  await using visitor = await visitors.visit(house, { role: "admin" });
  await editing(visitor);
  await typeAbove(visitor, "mine");
  writeFileSync(file, `// theirs\n${original}`);
  await visitor.page.waitForSelector(".conflict");
  await press(visitor.page, "Take theirs");
  await until("their text is here", async () => (await typed(visitor)).includes("// theirs"));
  await press(visitor.page, "Undo");
  await until("my text is back", async () => (await typed(visitor)).includes("// mine"));
});

test("a file that is broken by hand meanwhile is reported, and what was typed here mends it", async () => {
  await using visitor = await visitors.visit(house, { role: "admin" });
  const { page } = visitor;
  await editing(visitor);
  await typeAbove(visitor, "still mine");
  writeFileSync(file, `${original}\n(((broken`);
  await page.waitForSelector(".conflict");
  expect(await page.$eval(".conflict", (one) => one.textContent)).toContain("(((broken");
  await until("the rule is shown as broken", async () => (await page.$(".rule-badge.broken")) !== null);
  expect(await typed(visitor)).toContain("// still mine");
  await press(page, "Go on with mine");
  await press(page, "Save");
  await isSaved("// still mine");
  await until("the rule works again", async () => (await page.$(".rule-badge.broken")) === null);
  expect(await textInHub()).not.toContain("(((broken");
  expect(visitor.complaints).toEqual([]);
});
