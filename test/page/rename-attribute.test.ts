// An administrator gives an attribute a better name on the page, having seen what names it.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHubPlace, type HubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { until } from "../support/wait.ts";
import { openBrowser, type Visitors, WIDTHS } from "./support/browser.ts";
import { nameOf, PASSWORD } from "./support/page-house.ts";
import { barriers, overflowing, picture, press, settled, tooSmall } from "./support/seen.ts";

const RULE = `(
    id: "11111111-1111-4111-8111-111111111111",
    name: "Pump after rain",
    trigger: DeviceStateChanged(device_id: "box", attribute: "value_2", to: true),
    actions: [LogMessage(message: "pumping")],
)
`;
const FORM = ".rename form";

let place: HubPlace;
let hub: HubProcess;
let visitors: Visitors;
let origin: string;

beforeAll(async () => {
  place = createHubPlace();
  place.put("rules/pump.ron", RULE);
  hub = await place.start();
  origin = `http://127.0.0.1:${hub.port}`;
  for (const role of ["admin", "user"] as const)
    await hub.request("POST", "/auth/users", { body: { username: nameOf(role), password: PASSWORD, role } });
  const owner = await hub.mqtt();
  await owner.publishAsync("hub/devices/box/state", JSON.stringify({ value: false, value_2: true }), { qos: 1 });
  await until("the device is there", async () => (await hub.request("GET", "/devices/box")).status === 200);
  visitors = await openBrowser();
});
afterAll(async () => {
  await visitors?.[Symbol.asyncDispose]();
  await place?.[Symbol.asyncDispose]();
});

const ruleText = async (): Promise<string> =>
  (await hub.request("GET", "/rules/11111111-1111-4111-8111-111111111111/text")).text;

test("first what would change, then the change", async () => {
  await using visitor = await visitors.visit({ origin }, { role: "admin", width: WIDTHS[0] });
  const { page } = visitor;
  await visitor.go("/devices/box");
  await page.waitForSelector(".rename summary");
  await page.click(".rename summary");
  await page.select(`${FORM} select`, "value_2");
  await page.type(`${FORM} input`, "value");
  await press(page, "See what would change");
  await until("the refusal", () => page.evaluate(() => document.body.textContent?.includes("another attribute")));
  await page.evaluate(() => document.querySelector<HTMLInputElement>(".rename form input")?.select());
  await page.type(`${FORM} input`, "pump");
  await press(page, "See what would change");
  await page.waitForSelector(".rename-places");
  const places = await page.$eval(".rename-places", (list) => list.textContent ?? "");
  expect(places).toContain("Pump after rain");
  expect(places).toContain('attribute: "pump"');
  expect(await ruleText()).toBe(RULE);
  expect(await barriers(page)).toEqual([]);
  expect(await overflowing(page)).toEqual([]);
  expect(await tooSmall(page)).toEqual([]);
  await picture(page, "rename-attribute");
  await press(page, "Give it this name");
  await until("the rule has it", async () => (await ruleText()).includes('"pump"'));
  await until("the page has it", () =>
    page.evaluate(() =>
      [...document.querySelectorAll<HTMLOptionElement>(".rename option")].some(({ value }) => value === "pump"),
    ),
  );
});

test("who is no administrator is offered none of it", async () => {
  await using visitor = await visitors.visit({ origin }, { role: "user" });
  await visitor.go("/devices/box");
  await visitor.page.waitForSelector(".about-forms");
  await settled(visitor.page);
  expect(await visitor.page.$(".rename")).toBeNull();
});
