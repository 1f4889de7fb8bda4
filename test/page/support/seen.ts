// What somebody sees on the page: read from the browser.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import axe from "axe-core";
import type { Page } from "puppeteer-core";

const PICTURES = process.env.PAGE_PICTURES;

/** Waits until the view is there, live, and reads nothing more. */
export async function settled(page: Page): Promise<void> {
  await page.waitForSelector("main[data-live=live]");
  await page.waitForFunction(() => document.querySelector("main h1")?.textContent?.trim());
  await page.waitForNetworkIdle({ idleTime: 150, timeout: 5000 }).catch(() => {});
  await page.waitForFunction(() => !document.querySelector("main [aria-busy=true]"), { timeout: 5000 });
}

/** Findings of axe-core, one line each. */
export async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const checker = (window as unknown as { axe: typeof import("axe-core") }).axe;
    const { violations } = await checker.run(document, { resultTypes: ["violations"] });
    return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes[0]?.html.slice(0, 200)} (${nodes.length})`);
  });
}

/** What sticks out of the window sideways: nothing, if all is well. */
export function overflowing(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const root = document.scrollingElement;
    if (!root || root.scrollWidth <= innerWidth) return [];
    const wide = [...document.querySelectorAll("body *")].filter(
      (one) => one.getBoundingClientRect().right > innerWidth + 1,
    );
    return [`${root.scrollWidth} > ${innerWidth}`, ...wide.slice(0, 5).map((one) => one.outerHTML.slice(0, 160))];
  });
}

/** Writes a picture where they are wanted: PAGE_PICTURES names the folder. */
export async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  writeFileSync(join(PICTURES, `${name}.png`), await page.screenshot());
}

/** The text of the tile of a device; undefined where there is none. */
export function tileText(page: Page, name: string): Promise<string | undefined> {
  return page.evaluate((wanted) => {
    const tiles = [...document.querySelectorAll(".tile")];
    return tiles.find((tile) => tile.querySelector(".name")?.textContent === wanted)?.textContent ?? undefined;
  }, name);
}

export interface SwitchSeen {
  isOn: boolean;
  isDisabled: boolean;
}

/** The switch of a device on the start. */
export function switchSeen(page: Page, name: string): Promise<SwitchSeen | undefined> {
  return page.evaluate((wanted) => {
    const tiles = [...document.querySelectorAll<HTMLElement>(".tile")];
    const tile = tiles.find((one) => one.querySelector(".name")?.textContent === wanted);
    const found = tile?.querySelector<HTMLButtonElement>("[role=switch]");
    return found ? { isOn: found.ariaChecked === "true", isDisabled: found.disabled } : undefined;
  }, name);
}

/** Touches the switch of a device on the start. */
export async function touchSwitch(page: Page, name: string): Promise<void> {
  const handle = await page.evaluateHandle((wanted) => {
    const tiles = [...document.querySelectorAll<HTMLElement>(".tile")];
    const tile = tiles.find((one) => one.querySelector(".name")?.textContent === wanted);
    return tile?.querySelector<HTMLElement>("[role=switch]") ?? null;
  }, name);
  const element = handle.asElement();
  if (!element) throw new Error(`${name} has no switch`);
  await (element as import("puppeteer-core").ElementHandle<HTMLElement>).click();
}

export function connectionShown(page: Page): Promise<string | undefined> {
  return page.evaluate(() => document.querySelector<HTMLElement>("main[data-live]")?.dataset.live);
}

/** Touches the button or link with this text, once it is there and can be touched. */
export async function press(page: Page, text: string): Promise<void> {
  // Puppeteer's own selectors for texts and roles do not work under Bun.
  const found = await page.waitForFunction(
    (wanted) =>
      [...document.querySelectorAll("button, a")].find(
        (one) => one.textContent?.trim() === wanted && !one.matches(":disabled"),
      ) ?? false,
    {},
    text,
  );
  await found.asElement()?.evaluate((one) => (one as HTMLElement).click());
}
