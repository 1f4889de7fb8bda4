// A key for an assistant, made on the page: what was chosen is what the key allows.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../support/wait.ts";
import { openBrowser, type Visitors } from "./support/browser.ts";
import { type PageHouse, startPageHouse } from "./support/page-house.ts";
import { barriers, press, settled } from "./support/seen.ts";

let house: PageHouse;
let visitors: Visitors;
beforeAll(async () => {
  house = await startPageHouse({ zigbee: 3, virtual: false });
  visitors = await openBrowser();
});
afterAll(async () => {
  await visitors?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

interface Key {
  label: string;
  scopes: string[];
  areas: string[] | null;
  devices: string[];
  read_only: boolean;
}

test("it is for chosen areas and devices, and only looks unless it is allowed more", async () => {
  const { hub } = house;
  await hub.request("POST", "/areas", { body: { id: "den", name: "The den" } });
  const [device] = await hub.get<{ id: string; name: string }[]>("/devices");
  await using visitor = await visitors.visit(house, { role: "admin", path: "/system/keys" });
  const { page } = visitor;
  await settled(page);
  await page.type("input[name=label]", "Claude");
  await page.select("select:not([name])", "mcp");
  await page.waitForSelector(".device-choice");
  expect(await barriers(page)).toEqual([]);
  const tick = (text: string): Promise<boolean> =>
    page.evaluate((wanted) => {
      const label = [...document.querySelectorAll("form label")].find((one) => one.textContent?.trim() === wanted);
      const box = label?.querySelector<HTMLInputElement>("input[type=checkbox]");
      box?.click();
      return box?.checked === true;
    }, text);
  await until("the area is offered", () => tick("The den"));
  expect(await tick(device?.name ?? "")).toBe(true);
  await press(page, "Make the key");
  await page.waitForSelector(".new-secret");
  expect(await page.$eval(".new-secret", (one) => one.textContent)).toContain("/mcp");
  const keyCalled = async (label: string): Promise<Key | undefined> =>
    (await hub.get<Key[]>("/auth/api-keys")).find((key) => key.label === label);
  const made = await until("the key is there", () => keyCalled("Claude"));
  expect(made).toMatchObject({ scopes: ["mcp"], areas: ["den"], devices: [device?.id], read_only: true });
  const listed = await page.$eval("main", (main) => main.textContent ?? "");
  expect(listed).toContain("An assistant (MCP) · The den");
  expect(listed).toContain("only looks");
});
