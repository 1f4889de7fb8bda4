// A plugin's answer that is to be scanned, such as the pairing code of the Matter bridge, is shown as a QR code.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../support/wait.ts";
import { openBrowser, type Visitors } from "./support/browser.ts";
import { type PageHouse, startPageHouse } from "./support/page-house.ts";
import { barriers, picture, press, settled, tap } from "./support/seen.ts";

const PLUGIN = `
import { runPlugin } from "../../sdk/hub-sdk.js";
runPlugin({
  version: "1.0.0",
  start(plugin) {
    const run = async () => ({ code: "3497-011-2332", qr_code: "MT:Y.K90AFN00KA0648G00", qr_text: "for terminals" });
    plugin.action({ id: "pairing", label: "Pairing code", run });
    return undefined;
  },
});
`;
const TOML = '[[plugins]]\nid = "codes"\nbinary = "plugins/codes/bin/codes.ts"\nenabled = false\n';

let house: PageHouse;
let visitors: Visitors;
beforeAll(async () => {
  house = await startPageHouse({ zigbee: 3, virtual: false, toml: TOML });
  visitors = await openBrowser();
});
afterAll(async () => {
  await visitors?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

test("with the digits beside it, dark on light, and named for those who cannot see it", async () => {
  house.place.put("plugins/codes/bin/codes.ts", PLUGIN);
  await house.hub.request("POST", "/plugins/codes/start");
  await until("the plugin is active", async () => {
    const { status } = await house.hub.get<{ status: string }>("/plugins/codes");
    return status === "active";
  });
  await using visitor = await visitors.visit(house, { role: "admin", path: "/plugins/codes", scheme: "dark" });
  const { page } = visitor;
  await settled(page);
  await until("the action is unfolded", () => tap(page, "details.action > summary"));
  await until("the code is asked for", () => press(page, "Pairing code"));
  await page.waitForSelector('svg[aria-label="QR code to scan"]');
  const shown = await page.$eval('svg[aria-label="QR code to scan"]', (svg) => ({
    box: svg.getAttribute("viewBox"),
    light: svg.querySelector("rect")?.getAttribute("fill"),
    dark: svg.querySelector("path")?.getAttribute("fill"),
    words: svg.parentElement?.querySelector("pre")?.textContent,
  }));
  // 21 modules for so short a text, and the four around it that cameras need.
  expect(shown).toEqual({
    box: "0 0 29 29",
    light: "#fff",
    dark: "#000",
    words: "code: 3497-011-2332 · qr_code: MT:Y.K90AFN00KA0648G00",
  });
  expect(await barriers(page)).toEqual([]);
  await picture(page, "plugin-code");
});
