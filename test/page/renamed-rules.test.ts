// After an upgrade: rules about attributes that mean something else now are decided on the page.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "puppeteer-core";
import { ANNOUNCED, DOOR, putFormerDoor } from "../support/former-door.ts";
import { createHubPlace, type HubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { until } from "../support/wait.ts";
import { openBrowser, type Visitor, type Visitors, WIDTHS } from "./support/browser.ts";
import { quiet } from "./support/network.ts";
import { nameOf, PASSWORD } from "./support/page-house.ts";
import { barriers, overflowing, picture, press, settled, tap, tooSmall } from "./support/seen.ts";

const ACCOUNT = { username: "z2m", password: "z2m-password" };
const toml = `[[mqtt.users]]
username = "${ACCOUNT.username}"
password = "${ACCOUNT.password}"
publish = ["zigbee2mqtt/#"]
subscribe = ["zigbee2mqtt/#"]
`;
const idOf = (number: number): string => `${`${number}`.repeat(8)}-1111-4111-8111-111111111111`;
const aboutContact = (number: number, name: string, devices = `device_id: "${DOOR}"`): string => `(
    id: "${idOf(number)}",
    name: "${name}",
    trigger: DeviceStateChanged(${devices}, attribute: "contact", to: true), // true: open
    actions: [LogMessage(message: "opened")],
)
`;
const IN_TOML = `id = "${idOf(3)}"
name = "Chime of the front door"

[trigger]
type = "device_state_changed"
device_id = "${DOOR}"
attribute = "contact"
to = true

[[actions]]
type = "log_message"
message = "opened"
`;
const FILES = {
  "bell.ron": aboutContact(1, "Bell at the front door"),
  "light.ron": aboutContact(2, "Hall light when somebody comes home"),
  "chime.toml": IN_TOML,
  "doors.ron": aboutContact(4, "All doors", `device_ids: ["${DOOR}", "mailbox"]`),
  "heating.ron": aboutContact(5, "Heating off"),
  "lock.ron": aboutContact(6, "Lock up"),
  "radio.ron": aboutContact(7, "Radio on"),
};

let place: HubPlace;
let hub: HubProcess;
let visitors: Visitors;
let origin: string;

beforeAll(async () => {
  place = createHubPlace({ toml });
  await (await place.start()).end();
  putFormerDoor(place.at("data"));
  for (const [file, text] of Object.entries(FILES)) place.put(`rules/${file}`, text);
  hub = await place.start();
  origin = `http://127.0.0.1:${hub.port}`;
  for (const role of ["admin", "viewer"] as const)
    await hub.request("POST", "/auth/users", { body: { username: nameOf(role), password: PASSWORD, role } });
  const owner = await hub.mqtt();
  await owner.publishAsync("hub/devices/mailbox/state", JSON.stringify({ contact: true }), { qos: 1 });
  const bridge = await hub.mqtt(ACCOUNT);
  await bridge.publishAsync("zigbee2mqtt/bridge/devices", JSON.stringify([ANNOUNCED]), { qos: 1, retain: true });
  await until("all rules are found", async () => (await waiting()).length === Object.keys(FILES).length);
  visitors = await openBrowser();
});
afterAll(async () => {
  await visitors?.[Symbol.asyncDispose]();
  await place?.[Symbol.asyncDispose]();
});

const waiting = async (): Promise<string[]> =>
  (await hub.get<{ rule_name: string }[]>("/rules/renamed-attributes")).map(({ rule_name: name }) => name);
/** What the section says; undefined where there is none. */
const said = (page: Page): Promise<string | undefined> =>
  page.evaluate(() => document.querySelector(".renamed")?.textContent?.replace(/[\u2068\u2069]/g, ""));
const saw = (page: Page, text: string) => until(text, async () => (await said(page))?.includes(text));
const entry = (number: number): string => `.renamed li:has(a[href="/rules/${idOf(number)}"])`;
const german = ({ page }: Visitor) =>
  page.evaluateOnNewDocument("Object.defineProperty(navigator, 'language', { get: () => 'de-DE' })");

test("who may only look sees which they are, and nothing to press", async () => {
  await using visitor = await visitors.visit({ origin }, { role: "viewer", path: "/rules" });
  const { page } = visitor;
  await saw(page, "7 rules use an attribute that means something else now");
  await saw(page, "“contact” of front door is “open” now");
  expect(await page.$$(".renamed li :is(button, a.button, summary)")).toEqual([]);
  await visitor.go(`/rules/${idOf(1)}`);
  await saw(page, "“contact” of front door is “open” now");
  expect(await page.$$(".renamed :is(button, a.button, summary)")).toEqual([]);
  expect(visitor.complaints).toEqual([]);
});

test("it is read in both languages, on a phone and on a desk", async () => {
  await using visitor = await visitors.visit({ origin }, { role: "admin" });
  const { page } = visitor;
  for (const language of ["en", "de"] as const) {
    if (language === "de") await german(visitor);
    for (const width of WIDTHS) {
      await visitor.look({ width, scheme: width === 360 ? "light" : "dark" });
      for (const [name, path] of [
        ["renamed", "/rules"],
        ["renamed-rule", `/rules/${idOf(1)}`],
      ] as const) {
        await visitor.go(path);
        await settled(page);
        await tap(page, ".renamed summary");
        await page.waitForSelector(".renamed mark");
        await picture(page, `${name}-${width}-${language}`);
        expect(await barriers(page)).toEqual([]);
        expect(await overflowing(page)).toEqual([]);
        if (width === 360) expect(await tooSmall(page)).toEqual([]);
      }
      await visitor.go("/rules");
    }
  }
  await saw(page, "„contact“ bedeutet bei mailbox noch dasselbe, und „open“ passt nur für die anderen.");
  expect(visitor.complaints).toEqual([]);
});

test("what would change is shown; one is changed, one stays, and what cannot be changed says why", async () => {
  await using visitor = await visitors.visit({ origin }, { role: "admin", path: "/rules" });
  const { page } = visitor;
  await press(page, "Show all 7");
  await tap(page, `${entry(3)} summary`);
  await page.waitForSelector(`${entry(3)} mark`);
  const marks = await page.$$eval(`${entry(3)} mark`, (all) => all.map((one) => one.textContent));
  expect(marks).toEqual(["contact", "open"]);
  expect(place.read("rules", "chime.toml")).toBe(IN_TOML);
  await saw(page, '"contact" still means the same of mailbox');
  expect(await page.$eval(`${entry(4)} a.button`, (link) => link.getAttribute("href"))).toBe(
    `/rules/${idOf(4)}?tab=edit`,
  );

  await tap(page, `${entry(3)} button.main`);
  await saw(page, "6 rules use");
  expect(place.read("rules", "chime.toml")).toBe(IN_TOML.replace('"contact"', '"open"'));
  // Nobody is thrown back to the beginning of the page.
  await until("something has the focus", () => page.evaluate(() => document.activeElement !== document.body));

  await tap(page, `${entry(5)} button:not(.main)`);
  await saw(page, "5 rules use");
  expect(place.read("rules", "heating.ron")).toBe(FILES["heating.ron"]);
  expect(visitor.complaints).toEqual([]);
});

test("what the hub cannot do stands at the rule, and what somebody else decided goes away with a word", async () => {
  await using visitor = await visitors.visit({ origin }, { role: "admin", path: "/rules" });
  const { page, cdp } = visitor;
  await saw(page, "5 rules use");
  cdp.on("Fetch.requestPaused", ({ requestId, request }) => {
    // The list is held until nothing is any more.
    if (request.method === "GET") return;
    const body = btoa(JSON.stringify({ code: "unavailable", detail: "the disk is being looked at" }));
    void cdp.send("Fetch.fulfillRequest", { requestId, responseCode: 503, body });
  });
  await cdp.send("Fetch.enable", { patterns: [{ urlPattern: "*/rename-attributes" }] });
  await page.waitForSelector(`${entry(1)} button.main:enabled`);
  await tap(page, `${entry(1)} button.main`);
  await page.waitForSelector(`${entry(1)} .problem`);
  expect(await page.$$(".renamed .problem")).toHaveLength(1);
  expect(await barriers(page)).toEqual([]);
  await cdp.send("Fetch.disable");

  // The page reads the list now and then: here not between what somebody else decides and the tap.
  await cdp.send("Fetch.enable", { patterns: [{ urlPattern: "*/rules/renamed-attributes" }] });
  await quiet(page);
  await hub.request("DELETE", `/rules/${idOf(1)}/renamed-attributes`);
  await tap(page, `${entry(1)} button.main`);
  await cdp.send("Fetch.disable");
  await until("the rule is gone", async () => (await page.$(entry(1))) === null);
  await until("it is said why", () =>
    page.$eval(".toasts", (toasts) => toasts.textContent?.includes("there is nothing to turn")),
  );
  expect(place.read("rules", "bell.ron")).toBe(FILES["bell.ron"]);
});

test("on its own view a rule is changed, while it is edited as well", async () => {
  await using visitor = await visitors.visit({ origin }, { role: "admin", path: `/rules/${idOf(2)}?tab=edit` });
  const { page } = visitor;
  await saw(page, "“contact” of front door is “open” now");
  await press(page, "Change it");
  await until("the note is gone", async () => (await said(page)) === undefined);
  expect(place.read("rules", "light.ron")).toBe(FILES["light.ron"].replace('"contact"', '"open"'));
  await until("the editor has the new text", () =>
    page.evaluate(() => {
      const editor = document.querySelector(".edit .code > div")?.shadowRoot;
      return editor?.querySelector(".cm-content")?.textContent?.includes('attribute: "open"') === true;
    }),
  );
  expect(visitor.complaints).toEqual([]);
});

test("all that can be are changed at once, and the section goes with the last", async () => {
  await using visitor = await visitors.visit({ origin }, { role: "admin", path: "/rules" });
  const { page } = visitor;
  await saw(page, "3 rules use");
  await press(page, "Change all that can be");
  await saw(page, "One rule uses an attribute that means something else now");
  for (const file of ["lock.ron", "radio.ron"] as const)
    expect(place.read("rules", file)).toBe(FILES[file].replace('"contact"', '"open"'));
  expect(await waiting()).toEqual(["All doors"]);
  await press(page, "It is right as it is");
  await until("the section is gone", async () => (await said(page)) === undefined);
  expect(await waiting()).toEqual([]);
  expect(visitor.complaints).toEqual([]);
});
