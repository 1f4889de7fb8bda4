// Signing in, staying signed in, and what is left when a session ends.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../support/wait.ts";
import { openBrowser, type Visitor, type Visitors } from "./support/browser.ts";
import { nameOf, PASSWORD, type PageHouse, type Role, startPageHouse } from "./support/page-house.ts";
import { barriers, connectionShown, picture, press } from "./support/seen.ts";

const LIFETIME_SECS = 8;
const VIEW = "/devices/0x00158d0000000001";
let house: PageHouse;
let visitors: Visitors;
beforeAll(async () => {
  house = await startPageHouse({
    ...{ zigbee: 3, virtual: false },
    auth: `token_lifetime_hours = ${LIFETIME_SECS / 3600}`,
  });
  visitors = await openBrowser();
});
afterAll(async () => {
  await visitors?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const tokenIn = ({ page }: Visitor): Promise<string> =>
  page.evaluate(() => (JSON.parse(localStorage.getItem("hub.session") ?? "{}") as { token?: string }).token ?? "");
const keptBy = ({ page }: Visitor): Promise<string[]> =>
  page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("hub.")));
/** As an administrator of the moment: tokens are short-lived here. */
async function asAdmin(method: string, path: string) {
  const { token } = (await house.hub.login(nameOf("admin"), PASSWORD)).json<{ token: string }>();
  return house.hub.request(method, path, { token });
}
async function endSessionsOf(role: Role): Promise<void> {
  const answer = await asAdmin("GET", `/auth/sessions?user=${nameOf(role)}`);
  for (const { id } of answer.json<{ id: string }[]>()) await asAdmin("DELETE", `/auth/sessions/${id}`);
}
/** A field in the view, with text that nobody has saved. */
async function type({ page }: Visitor, text: string): Promise<void> {
  await page.waitForSelector("main h1");
  await page.evaluate(() => {
    const field = document.createElement("textarea");
    field.id = "draft";
    field.setAttribute("aria-label", "Draft");
    document.querySelector("main h1")?.after(field);
  });
  await page.type("#draft", text);
}

test("a session lasts longer than its token, without a break", async () => {
  await using visitor = await visitors.visit(house, { isNew: true, role: "user", path: VIEW });
  const firstEnds = performance.now() + LIFETIME_SECS * 1000;
  const tokens = new Set<string>();
  const look = async (): Promise<boolean> => {
    expect(await visitor.page.$("input[name=password]")).toBeNull();
    tokens.add(await tokenIn(visitor));
    return tokens.size > 2 && performance.now() > firstEnds;
  };
  await until("the first has ended, and the second was renewed as well", look, { everyMs: 250 });
  await until("it is live", async () => (await connectionShown(visitor.page)) === "live");
});

test("a session that was ended asks for the password, and then all is as it was, also what was typed", async () => {
  await using visitor = await visitors.visit(house, { isNew: true, role: "user", path: VIEW });
  const { page } = visitor;
  await type(visitor, "not saved yet");
  await endSessionsOf("user");
  await page.waitForSelector("dialog input[name=username]");
  expect(await page.$eval("dialog", (dialog) => dialog.textContent)).toContain("what you typed is kept");
  expect(await page.$eval("#draft", (field) => field.checkVisibility())).toBe(false);
  expect(await keptBy(visitor)).not.toContain("hub.house");
  expect(await barriers(page)).toEqual([]);
  await picture(page, "session-ended");
  await visitor.signIn("user");
  expect(new URL(page.url()).pathname).toBe(VIEW);
  expect(await page.$eval("#draft", (field) => (field as HTMLTextAreaElement).value)).toBe("not saved yet");
  expect(await page.$eval("#draft", (field) => field.checkVisibility())).toBe(true);
});

const FIELD = "main :is(input:not([type]), input[type=text], textarea)";
const textIn = ({ page }: Visitor): Promise<string> => page.$eval(FIELD, (field) => (field as HTMLInputElement).value);

test.each(["/areas", "/accounts"])("what was typed at %s is kept too", async (path) => {
  await using visitor = await visitors.visit(house, { isNew: true, role: "admin", path });
  const { page } = visitor;
  await page.waitForSelector(FIELD);
  await page.type(FIELD, "half-done");
  const before = await textIn(visitor);
  await endSessionsOf("admin");
  await page.waitForSelector("dialog input[name=username]");
  await visitor.signIn("admin");
  expect(before).toContain("half-done");
  expect(await textIn(visitor)).toBe(before);
});

test("somebody else who signs in then finds nothing of it", async () => {
  await using visitor = await visitors.visit(house, { isNew: true, role: "user", path: VIEW });
  await type(visitor, "private");
  await endSessionsOf("user");
  await visitor.page.waitForSelector("dialog input[name=username]");
  await visitor.signIn("viewer");
  expect(await visitor.page.$("#draft")).toBeNull();
});

test("a wrong password keeps the name, says so, and the right one signs in", async () => {
  await using visitor = await visitors.visit(house);
  const { page } = visitor;
  await page.locator("input[name=username]").fill(nameOf("user"));
  await page.locator("input[name=password]").fill("wrong");
  await page.locator("form button.main").click();
  await page.waitForSelector("[role=alert]");
  expect(await page.$eval("input[name=username]", (field) => (field as HTMLInputElement).value)).toBe(nameOf("user"));
  await visitor.signIn("user");
});

test("signing out ends the session on the hub, and leaves nothing in the browser", async () => {
  await using visitor = await visitors.visit(house, { isNew: true, role: "user", path: "/more" });
  const { page } = visitor;
  const token = await tokenIn(visitor);
  await press(visitor.page, "Sign out");
  await page.waitForSelector("input[name=username]");
  expect((await house.hub.request("GET", "/auth/me", { token })).status).toBe(401);
  expect((await keptBy(visitor)).filter((key) => key !== "hub.language")).toEqual([]);
});

test("all windows of a browser are signed out together", async () => {
  await using visitor = await visitors.visit(house, { isNew: true, role: "user", path: "/more" });
  const other = await visitor.page.browserContext().newPage();
  await other.goto(`${house.origin}/`);
  await other.waitForSelector("main[data-live=live]");
  await press(visitor.page, "Sign out");
  await other.waitForSelector("input[name=username]");
});
