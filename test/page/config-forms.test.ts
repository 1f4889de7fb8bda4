// hub.toml in forms, and a notification channel made without a terminal: shown as a difference, saved, and in use after the restart.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../support/wait.ts";
import { openBrowser, type Visitor, type Visitors } from "./support/browser.ts";
import { type PageHouse, startPageHouse } from "./support/page-house.ts";
import { barriers, picture, press, settled } from "./support/seen.ts";

let house: PageHouse;
let visitors: Visitors;
beforeAll(async () => {
  house = await startPageHouse({
    zigbee: 4,
    virtual: false,
    toml: "# Ours\n[battery]\nthreshold_pct = 15 # measured\n",
  });
  visitors = await openBrowser();
});
afterAll(async () => {
  await visitors?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const onDisk = (): string => readFileSync(join(house.place.home, "config/hub.toml"), "utf8");

/** The field with this label, once it is there. */
async function fill({ page }: Visitor, label: string, text: string): Promise<void> {
  const found = await page.waitForFunction(
    (wanted) => {
      const labels = [...document.querySelectorAll<HTMLLabelElement>("main .field label")];
      return labels.find((one) => one.textContent?.replace(" (needed)", "").trim() === wanted)?.control ?? false;
    },
    {},
    label,
  );
  const input = found.asElement() as import("puppeteer-core").ElementHandle<HTMLInputElement> | null;
  if (!input) throw new Error(`there is no field "${label}"`);
  await input.click({ count: 3 });
  await input.press("Backspace");
  await input.type(text);
}
const shown = ({ page }: Visitor, selector: string): Promise<string> =>
  page.waitForSelector(selector).then((one) => one?.evaluate((element) => element.textContent ?? "") ?? "");

test("a key is changed in its line, after its difference was shown", async () => {
  await using visitor = await visitors.visit(house, { role: "admin", path: "/system/config?part=battery" });
  await settled(visitor.page);
  await visitor.go("/system/config?part=battery");
  await fill(visitor, "Low at (%)", "25");
  await press(visitor.page, "Show what changes");
  expect(await shown(visitor, ".difference .added")).toContain("threshold_pct = 25 # measured");
  expect(await barriers(visitor.page)).toEqual([]);
  expect(onDisk()).toContain("threshold_pct = 15");
  await press(visitor.page, "Save");
  expect(await shown(visitor, ".banner")).toContain("battery.threshold_pct");
  expect(onDisk()).toContain("# Ours\n[battery]\nthreshold_pct = 25 # measured\n");
  await picture(visitor.page, "config-saved");
});

test("what the hub would not take stands at its field", async () => {
  await using visitor = await visitors.visit(house, { role: "admin", path: "/system/config?part=server" });
  await settled(visitor.page);
  await visitor.go("/system/config?part=server");
  await fill(visitor, "Port of this page and the API", "99999");
  expect(await shown(visitor, ".field .problem")).toMatch(/65535|65_535|at most/);
  expect(onDisk()).not.toContain("99999");
});

test("a channel is added without seeing the file, its secret never comes back, and after the restart it is there", async () => {
  await using visitor = await visitors.visit(house, { role: "admin", path: "/messages" });
  await settled(visitor.page);
  const secret = "aapplicationkey42";
  await press(visitor.page, "Add a channel");
  await press(visitor.page, "Pushover");
  await fill(visitor, "Name", "phone");
  await fill(visitor, "Application key", secret);
  await fill(visitor, "User key", "uuserkey42");
  await visitor.page.waitForFunction(() => !document.querySelector(".field .problem"));
  expect(await barriers(visitor.page)).toEqual([]);
  await press(visitor.page, "Show what changes");
  await press(visitor.page, "Save");
  await visitor.page.waitForSelector(".banner");
  expect(onDisk()).toContain(`[[notify.channels]]\nname = "phone"\ntype = "push_app"\napi_key = "${secret}"`);
  await press(visitor.page, "Restart the hub");
  await until("the hub has the channel", async () => {
    const answer = await house.hub.get<{ name: string }[]>("/notify/channels").catch(() => []);
    return answer.some(({ name }) => name === "phone");
  });
  await visitor.page.waitForSelector("main[data-live=live]");
  await visitor.go("/messages?channel=phone");
  await settled(visitor.page);
  await fill(visitor, "Only to this phone", "ann");
  expect(await visitor.page.content()).not.toContain(secret);
  await press(visitor.page, "Show what changes");
  await press(visitor.page, "Save");
  await visitor.page.waitForSelector(".banner");
  expect(onDisk()).toContain(`api_key = "${secret}"`);
  expect(onDisk()).toContain('device = "ann"');
  expect(visitor.complaints.filter((complaint) => !complaint.includes("CONNECTION_REFUSED"))).toEqual([]);
});
