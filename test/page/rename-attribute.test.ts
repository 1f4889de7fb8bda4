// An administrator gives an attribute a better name on the page, having seen what names it.
import { Database } from "bun:sqlite";
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
const HEATER = { username: "heater", password: "password-of-the-heater" };
const FORM = ".rename form";

let place: HubPlace;
let hub: HubProcess;
let visitors: Visitors;
let origin: string;

beforeAll(async () => {
  place = createHubPlace({
    toml: `[[mqtt.users]]
username = "${HEATER.username}"
password = "${HEATER.password}"
publish = ["homeassistant/#", "heater/#"]
`,
  });
  place.put("rules/pump.ron", RULE);
  hub = await place.start();
  for (const role of ["admin", "user"] as const)
    await hub.request("POST", "/auth/users", { body: { username: nameOf(role), password: PASSWORD, role } });
  const owner = await hub.mqtt();
  await owner.publishAsync("hub/devices/box/state", JSON.stringify({ value: false, value_2: true }), { qos: 1 });
  await until("the device is there", async () => (await hub.request("GET", "/devices/box")).status === 200);
  await knowHeater();
  origin = `http://127.0.0.1:${hub.port}`;
  visitors = await openBrowser();
});
afterAll(async () => {
  await visitors?.[Symbol.asyncDispose]();
  await place?.[Symbol.asyncDispose]();
});

/** A device of before names were kept: two relays that pick `value`, which a new house would call otherwise. */
async function knowHeater(): Promise<void> {
  await hub.end();
  using state = new Database(place.at("data", "state.redb"));
  state.run("INSERT INTO discovery_identities (identity, device_id) VALUES ('heater', 'heater')");
  hub = await place.start();
  const heater = await hub.mqtt(HEATER);
  for (const id of ["auto_off", "pump"]) {
    const config = {
      ...{ name: id, unique_id: `heater_${id}`, device: { identifiers: ["heater"], name: "Heater" } },
      ...{ state_topic: `heater/${id}`, command_topic: `heater/${id}/set`, value_template: "{{ value_json.value }}" },
    };
    await heater.publishAsync(`homeassistant/switch/heater/${id}/config`, JSON.stringify(config), { qos: 1 });
  }
  for (const id of ["auto_off", "pump"]) await heater.publishAsync(`heater/${id}`, '{"value":"OFF"}', { qos: 1 });
  await until("both relays", async () => Object.keys(await heaterValues()).length === 2);
}
const heaterValues = async () =>
  (await hub.get<{ attributes: Record<string, unknown> }>("/devices/heater").catch(() => ({ attributes: {} })))
    .attributes;

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

test("a better name is given with two touches, and the command names it", async () => {
  const url = ["--url", `http://127.0.0.1:${hub.port}`];
  const listed = await place.run(["devices", "rename-attribute", "heater", "--suggest", ...url]);
  expect([listed.code, listed.stderr]).toEqual([0, ""]);
  expect(listed.stdout.split("\n").map((line) => line.replace(/ +/g, " "))).toEqual([
    "NOW BETTER",
    "value_auto_off on",
    "value_pump on_pump",
    "",
    "hub devices rename-attribute heater value_auto_off on --dry-run",
    "",
  ]);
  await using visitor = await visitors.visit({ origin }, { role: "admin", width: WIDTHS[0], scheme: "dark" });
  const { page } = visitor;
  await visitor.go("/devices/heater");
  await page.waitForSelector(".rename summary");
  await page.click(".rename summary");
  const offered = () =>
    page.$$eval(".rename section button", (buttons) => buttons.map(({ textContent }) => textContent));
  await until("both are offered", async () => (await offered()).length === 2);
  expect(await offered()).toEqual(["value_auto_off → on", "value_pump → on_pump"]);
  await press(page, "value_pump → on_pump");
  await page.waitForSelector(`${FORM} .rename-places`);
  expect(Object.keys(await heaterValues()).sort()).toEqual(["value_auto_off", "value_pump"]);
  expect([await barriers(page), await overflowing(page), await tooSmall(page)]).toEqual([[], [], []]);
  await picture(page, "better-names");
  await press(page, "Give it this name");
  await until("the device has it", async () => Object.hasOwn(await heaterValues(), "on_pump"));
  await until("one is left", async () => (await offered()).length === 1);
  expect(await offered()).toEqual(["value_auto_off → on"]);
  const json = await place.run(["devices", "rename-attribute", "heater", "--suggest", "--json", ...url]);
  expect(JSON.parse(json.stdout)).toEqual([{ name: "value_auto_off", suggested: "on" }]);
});

test("who is no administrator is offered none of it", async () => {
  await using visitor = await visitors.visit({ origin }, { role: "user" });
  await visitor.go("/devices/box");
  await visitor.page.waitForSelector(".about-forms");
  await settled(visitor.page);
  expect(await visitor.page.$(".rename")).toBeNull();
});
