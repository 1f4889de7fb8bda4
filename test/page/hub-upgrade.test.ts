// Another version of the hub, sent from the page, and back.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { otherHub } from "../support/other-hub.ts";
import { until } from "../support/wait.ts";
import { openBrowser, type Visitors } from "./support/browser.ts";
import { PASSWORD, type PageHouse, startPageHouse } from "./support/page-house.ts";
import { barriers, picture, press } from "./support/seen.ts";

const files = new Map<string, string>();
let house: PageHouse;
let visitors: Visitors;

beforeAll(async () => {
  for (const [version, kind] of [
    ["99.1.0", "plain"],
    ["99.2.0", "late"],
  ] as const)
    files.set(version, await otherHub(version, kind));
  house = await startPageHouse({ zigbee: 3, virtual: false, fromHome: true, toml: "[upgrade]\nwatch_secs = 2\n" });
  visitors = await openBrowser();
});
afterAll(async () => {
  await visitors?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

test("a version that fails is said, one that works takes over, and there is a way back", async () => {
  await using visitor = await visitors.visit(house, { role: "admin", path: "/upgrade" });
  const { page } = visitor;
  const says = (text: string): Promise<true> =>
    until(text, async () => (await page.$eval("main", (main) => main.textContent ?? "")).includes(text), {
      timeoutMs: 60_000,
    }).then(() => true);
  const send = async (name: string): Promise<void> => {
    const input = await page.waitForSelector("input[type=file]:not(:disabled)");
    await (input as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(files.get(name) ?? "");
    await press(page, "Send it and restart with it");
    await confirm();
  };
  const confirm = async (): Promise<void> => {
    const password = await page.waitForSelector("dialog[open] input[type=password]:not(:disabled)");
    expect(await barriers(page)).toEqual([]);
    await password?.type(PASSWORD);
    await press(page, "Go on");
  };
  const { version: own } = await house.hub.get<{ version: string }>("/health");
  await says(`This hub is version ${own}.`);
  expect(await barriers(page)).toEqual([]);

  const input = await page.waitForSelector("input[type=file]:not(:disabled)");
  await (input as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(files.get("99.1.0") ?? "");
  await press(page, "Send it and restart with it");
  await page.waitForSelector("dialog[open] input[type=password]");
  await picture(page, "upgrade-password");
  await press(page, "Leave it");
  await says("Nothing was done, as the password was not given.");

  await send("99.2.0");
  await says("The hub restarts and tries the other version");
  await says("99.2.0 did not work here");
  await picture(page, "upgrade-failed");
  expect(await barriers(page)).toEqual([]);

  await send("99.1.0");
  await says("The hub is version 99.1.0 now.");
  await picture(page, "upgrade-done");

  await press(page, `Go back to ${own}`);
  await press(page, `Go back to ${own}`);
  await confirm();
  await says(`The hub is version ${own} now.`);
}, 180_000);
