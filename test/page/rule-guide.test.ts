// The guided editor of rules: what was added to the language can be put together in it, and the text keeps its comments.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "puppeteer-core";
import { until } from "../support/wait.ts";
import { openBrowser, type Visitor, type Visitors } from "./support/browser.ts";
import { type PageHouse, startPageHouse } from "./support/page-house.ts";
import { barriers, overflowing, picture, press, settled } from "./support/seen.ts";

let house: PageHouse;
let visitors: Visitors;
let visitor: Visitor;
beforeAll(async () => {
  house = await startPageHouse({ zigbee: 4, virtual: false });
  visitors = await openBrowser();
  visitor = await visitors.visit(house, { role: "admin", width: 360 });
  await house.hub.request("PUT", "/rules/evening/text", { body: TEXT });
  await visitor.go("/rules/evening?tab=edit");
  await settled(visitor.page);
});
afterAll(async () => {
  await visitors?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const TEXT = `# Why this rule is here
id = "evening"
name = "Evening"

[[triggers]]
type = "system_started"
id = "boot" # picked below

[[actions]]
type = "delay"
duration_secs = 90 # long enough
`;

/** What is typed or picked, by the label of its field; a text in brackets is a button to press. */
type Steps = readonly (readonly [label: string, value?: string])[];
interface Addition {
  kind: "trigger" | "condition" | "action";
  type: string;
  steps: Steps;
  /** In the sentence of the rule. */
  says: string;
}
const light: Steps = [
  ["Which devices", "found"],
  ["Of this kind", "light"],
];

const ADDITIONS: readonly Addition[] = [
  {
    kind: "trigger",
    type: "device_state_changed",
    steps: [...light, ["Value", "on"], ["becomes", "true"], ["and stays so", "1h30m"]],
    says: "any light goes on and stays so for 1 hr 30 min",
  },
  { kind: "trigger", type: "calendar_event", steps: [["Calendar", "Family"]], says: "an event of Family begins" },
  {
    kind: "trigger",
    type: "notification_acknowledged",
    steps: [["Tag (replaces the earlier one)", "leak"]],
    says: "somebody answers leak",
  },
  { kind: "condition", type: "trigger_is", steps: [["boot", "true"]], says: "it was set off by boot" },
  {
    kind: "condition",
    type: "calendar_active",
    steps: [
      ["Calendar", "Family"],
      ["Title", "Choir"],
    ],
    says: "an event with “Choir” of Family is going on",
  },
  { kind: "condition", type: "private_boolean_is", steps: [["Name", "armed"]], says: "the rule's switch armed is on" },
  {
    kind: "action",
    type: "set_device_state",
    steps: [...light, ["Add a value …", "on"], ["If a device is offline", "fail"]],
    says: "every light goes on",
  },
  { kind: "action", type: "delay", steps: [["How long", "5m"]], says: "wait 5 min" },
  {
    kind: "action",
    type: "notify",
    steps: [
      ["Message", "Hello"],
      ["[Instead: To several]"],
      ["To several", "log"],
      ["To several: One more …", "all"],
      ["Priority", "1"],
      ["Without a sound", "true"],
      ["Tag (replaces the earlier one)", "evening"],
    ],
    says: "“Hello” goes to the log and all channels",
  },
  {
    kind: "action",
    type: "wait_for_trigger",
    steps: [["Add what sets it off …", "mode_changed"], ["[Add]"], ["No longer than", "10m"]],
    says: "wait until any mode changes, but no longer than 10 min",
  },
  {
    kind: "action",
    type: "choose",
    steps: [
      ["[Add a branch]"],
      ["Add a condition …", "mode_is"],
      ["Mode", "Night"],
      ["[Add]"],
      ["Add an action …", "exit_rule"],
      ["[Add]"],
    ],
    says: "if Night is on: stop here",
  },
  {
    kind: "action",
    type: "set_variable",
    steps: [
      ["Name", "count"],
      ["with", "3"],
    ],
    says: "count becomes 3 for this run",
  },
  { kind: "action", type: "stop_rule_chain", steps: [], says: "no further rule runs for this" },
  {
    kind: "action",
    type: "delay_per_mode",
    steps: [
      ["Add a mode …", "Night"],
      ["Night", "10m"],
    ],
    says: "wait as long as the mode wants it (Night)",
  },
  { kind: "action", type: "ping_host", steps: [["Host", "127.0.0.1"]], says: "look whether 127.0.0.1 answers" },
  {
    kind: "action",
    type: "set_private_boolean",
    steps: [
      ["Name", "armed"],
      ["with", "true"],
    ],
    says: "the rule's switch armed becomes Yes",
  },
  {
    kind: "action",
    type: "run_rule",
    steps: [
      ["Rule", "Front door left open"],
      ["Name", "level"],
      ["Value", "40"],
    ],
    says: "the rule Front door left open runs with level 40",
  },
];

const ADD = { trigger: "Add what sets it off …", condition: "Add a condition …", action: "Add an action …" } as const;

/** Picks, ticks or types in the deepest form that is being added. */
async function fill(page: Page, label: string, value: string): Promise<void> {
  const isFound = await page
    .waitForFunction(
      (wanted, typed) => {
        const forms = [...document.querySelectorAll(".guide .adding")];
        const form = forms.at(-1) ?? document.querySelector(".guide");
        for (const more of form?.querySelectorAll("details.more-fields") ?? [])
          (more as HTMLDetailsElement).open = true;
        const fields = [...(form?.querySelectorAll<HTMLInputElement>("input, select, textarea") ?? [])];
        const named = (one: HTMLInputElement): boolean =>
          one.ariaLabel === wanted || [...(one.labels ?? [])].some((by) => by.textContent?.trim() === wanted);
        const field = fields.find(named);
        if (!field) return false;
        if (field.type === "checkbox") {
          field.click();
          return true;
        }
        const options = [...(field.querySelectorAll("option") ?? [])];
        const option = options.find(({ textContent, value }) => textContent === typed || value === typed);
        if (field.matches("select") && !option) return false;
        field.value = option?.value ?? typed;
        for (const type of ["input", "change"]) field.dispatchEvent(new Event(type, { bubbles: true }));
        return true;
      },
      {},
      label,
      value,
    )
    .catch(() => undefined);
  if (!isFound) throw new Error(`no field ${label} takes ${value}`);
}

async function take(page: Page, [label, value]: Steps[number]): Promise<void> {
  if (value !== undefined) return fill(page, label, value);
  const wanted = label.slice(1, -1);
  await page.waitForFunction(
    (text) => {
      const forms = [...document.querySelectorAll(".guide .adding")];
      const buttons = [...(forms.at(-1)?.querySelectorAll("button") ?? [])];
      const found = buttons.findLast((one) => one.textContent === text);
      found?.click();
      return found !== undefined;
    },
    {},
    wanted,
  );
}

const sentence = async (page: Page): Promise<string> =>
  ((await page.$eval(".rule-sentence", (one) => one.textContent)) ?? "").replace(/[\u2068\u2069]/g, "");
test.each(ADDITIONS.map((one) => [one.type, one] as const))("%s is added, and said in words", async (_, addition) => {
  const { page } = visitor;
  const { kind, type, steps, says } = addition;
  // Left open by a failure before.
  if (await page.$(".guide .adding")) await press(page, "Cancel");
  await page.waitForSelector(`.guide > .parts select[aria-label="${ADD[kind]}"]`);
  await page.select(`.guide > .parts select[aria-label="${ADD[kind]}"]`, type);
  await page.waitForSelector(".guide .adding");
  for (const step of steps) await take(page, step);
  await page.$eval(".guide .adding", (one) => one.scrollIntoView());
  await picture(page, `guide-${type}`);
  expect(await overflowing(page)).toEqual([]);
  await take(page, ["[Add]"]);
  await page
    .waitForFunction(() => !document.querySelector(".guide .adding"))
    .catch(async () => {
      const reported = await page.$$eval(".guide .adding .problem", (all) => all.map((one) => one.textContent).join());
      await press(page, "Cancel");
      throw new Error(`it is refused: ${reported}`);
    });
  const said = await until("it is said", async () => {
    const now = await sentence(page);
    return now.includes(says) ? now : undefined;
  }).catch(() => sentence(page));
  expect(said).toContain(says);
});

test("a span of time is changed, the comments stay, and all of it is saved", async () => {
  const { page } = visitor;
  await page.$eval(".guide > .parts:nth-of-type(3) .part details", (one) => {
    (one as HTMLDetailsElement).open = true;
  });
  await fill(page, "How long", "2m");
  await until("it is written", async () => (await sentence(page)).includes("wait 2 min"));
  expect(await barriers(page)).toEqual([]);
  await press(page, "Save");
  const text = await until("it is saved", async () => {
    const now = (await house.hub.request("GET", "/rules/evening/text")).text;
    return now.includes("ping_host") ? now : undefined;
  });
  for (const comment of ["# Why this rule is here", "# picked below", "# long enough"]) expect(text).toContain(comment);
  expect(text).toContain("duration_secs = 120 # long enough");
  expect(visitor.complaints).toEqual([]);
});
