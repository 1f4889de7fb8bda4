// hub.toml in forms, and a notification channel made without a terminal: shown as a difference, saved, and in use after the restart.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../support/wait.ts";
import { openBrowser, type Visitor, type Visitors } from "./support/browser.ts";
import { type PageHouse, startPageHouse } from "./support/page-house.ts";
import { barriers, overflowing, picture, press, settled, tap } from "./support/seen.ts";

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
  // Without the mouse: what is above may still grow, and move it away.
  await input.evaluate((one) => one.select());
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

/** Types into the cell with this name, all at once: what is above may still grow, and the form is drawn anew at each change. */
function fillCell({ page }: Visitor, label: string, text: string): Promise<boolean> {
  return until(`there is a cell "${label}"`, () =>
    page.evaluate(
      (wanted, typed) => {
        const labels = [...document.querySelectorAll<HTMLLabelElement>("main .schema-rows label")];
        const input = labels.find((one) => one.textContent?.trim() === wanted)?.control;
        if (!(input instanceof HTMLInputElement)) return false;
        input.value = typed;
        input.dispatchEvent(new InputEvent("input", { bubbles: true }));
        return true;
      },
      label,
      text,
    ),
  );
}

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

test("a webhook's headers are rows, and a secret stays with its own when another row goes", async () => {
  await using visitor = await visitors.visit(house, { role: "admin", path: "/messages" });
  const { page } = visitor;
  await settled(page);
  await press(page, "Add a channel");
  await press(page, "Webhook");
  await fill(visitor, "Name", "hook");
  await fill(visitor, "Address", "https://hook.example/x");
  await press(page, "Add a row");
  await fillCell(visitor, "Name 1", "bad name");
  await until("what is wrong with the row is said", () =>
    page.evaluate(() => /Row 1: /.test(document.querySelector("main .group .problem")?.textContent ?? "")),
  );
  await fillCell(visitor, "Name 1", "X-First");
  await fillCell(visitor, "Value 1", "the-first-secret");
  await press(page, "Add a row");
  await fillCell(visitor, "Name 2", "X-Second");
  await fillCell(visitor, "Value 2", "the-second-secret");
  await page.waitForFunction(() => !document.querySelector("main .problem"));
  expect(await barriers(page)).toEqual([]);
  await visitor.look({ width: 360 });
  expect(await overflowing(page)).toEqual([]);
  await picture(page, "config-headers");
  await press(page, "Show what changes");
  await press(page, "Save");
  await page.waitForSelector(".banner");
  expect(onDisk()).toContain("the-first-secret");
  expect(onDisk()).toContain("the-second-secret");
  await visitor.go("/messages?channel=hook");
  await settled(page);
  await tap(page, 'main button[aria-label="Remove row 1"]');
  await until("one row is left", () =>
    page.evaluate(() => document.querySelectorAll("main .schema-rows tbody tr").length === 1),
  );
  expect(await page.content()).not.toContain("the-second-secret");
  await press(page, "Show what changes");
  await press(page, "Save");
  await page.waitForSelector(".banner");
  await until("the first is gone", () => !onDisk().includes("the-first-secret"));
  expect(onDisk()).toMatch(/X-Second["'\s,\w=]+the-second-secret/);
});
