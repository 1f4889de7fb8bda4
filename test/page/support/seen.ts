// What somebody sees on the page: read from the browser.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import axe from "axe-core";
import type { Page } from "puppeteer-core";
import { messageOf } from "../../../src/kit/schema/errors.ts";
import { until } from "../../support/wait.ts";
import { quiet } from "./network.ts";

const PICTURES = process.env.PAGE_PICTURES;

/** Waits until the view is there, live, and reads nothing more. */
export async function settled(page: Page): Promise<void> {
  await page.waitForSelector("main[data-live=live]");
  await page.waitForFunction(() => document.querySelector("main h1")?.textContent?.trim());
  await quiet(page);
  await page.waitForFunction(() => !document.querySelector("main [aria-busy=true]"));
}

/** Goes there without loading the page anew, as by a link. */
export async function walk(page: Page, path: string): Promise<void> {
  await page.evaluate(walkTo, path);
  // Until the next view is there, the former one stays.
  await page.waitForFunction(() => !document.querySelector("main h1[data-former]"));
}

/** In the browser: follows a link to the path, and marks the heading of the view that is left. */
function walkTo(path: string): Promise<void> {
  const { pathname } = new URL(path, location.href);
  if (pathname !== location.pathname) document.querySelector("main h1")?.setAttribute("data-former", "");
  history.pushState(null, "", path);
  dispatchEvent(new PopStateEvent("popstate"));
  return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())));
}

/** Findings of axe-core, one line each; of these rules only, where some are given. */
export async function barriers(page: Page, rules?: string[]): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  return page.evaluate(async (only) => {
    const checker = (window as unknown as { axe: typeof import("axe-core") }).axe;
    const { violations } = await checker.run(document, {
      resultTypes: ["violations"],
      ...(only && { runOnly: { type: "rule", values: only } }),
    });
    return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes[0]?.html.slice(0, 200)} (${nodes.length})`);
  }, rules);
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

/** What is read from the page; undefined while it is being loaded anew. */
async function readFrom<T>(page: Page, look: (name: string) => T, name = ""): Promise<T | undefined> {
  try {
    return (await page.evaluate(look, name)) as T;
  } catch (error) {
    if (/context was destroyed|context is not available|frame (was|got) detached/i.test(messageOf(error)))
      return undefined;
    throw error;
  }
}

/** The text of the tile of a device; undefined where there is none. */
export function tileText(page: Page, name: string): Promise<string | undefined> {
  return readFrom(
    page,
    (wanted) => {
      const tiles = [...document.querySelectorAll(".tile")];
      return tiles.find((tile) => tile.querySelector(".name")?.textContent === wanted)?.textContent ?? undefined;
    },
    name,
  );
}

/** Resolves when the tile of a device says this. */
export const showsTile = (page: Page, name: string, text: string) =>
  until(`${name} shows ${text}`, async () => (await tileText(page, name))?.includes(text));

export interface SwitchSeen {
  isOn: boolean;
  isDisabled: boolean;
}

/** The switch of a device on the start. */
export function switchSeen(page: Page, name: string): Promise<SwitchSeen | undefined> {
  return readFrom(
    page,
    (wanted) => {
      const tiles = [...document.querySelectorAll<HTMLElement>(".tile")];
      const tile = tiles.find((one) => one.querySelector(".name")?.textContent === wanted);
      const found = tile?.querySelector<HTMLButtonElement>("[role=switch]");
      return found ? { isOn: found.ariaChecked === "true", isDisabled: found.disabled } : undefined;
    },
    name,
  );
}

/** Resolves when the switch of a device is like this. */
export const showsSwitch = (page: Page, name: string, wanted: Partial<SwitchSeen>) =>
  until(`the switch of ${name} is ${JSON.stringify(wanted)}`, async () => {
    const now = await switchSeen(page, name);
    return now && Object.entries(wanted).every(([key, value]) => now[key as keyof SwitchSeen] === value);
  });

/** Touches the switch of a device on the start, once it can be. Without the mouse: what loads above it would move it away. */
export function touchSwitch(page: Page, name: string): Promise<boolean> {
  return until(`${name} has a switch that can be touched`, () =>
    readFrom(
      page,
      (wanted) => {
        const tiles = [...document.querySelectorAll<HTMLElement>(".tile")];
        const tile = tiles.find((one) => one.querySelector(".name")?.textContent === wanted);
        const found = tile?.querySelector<HTMLButtonElement>("[role=switch]:enabled");
        found?.click();
        return found !== undefined && found !== null;
      },
      name,
    ),
  );
}

export function connectionShown(page: Page): Promise<string | undefined> {
  return readFrom(page, () => document.querySelector<HTMLElement>("main[data-live]")?.dataset.live);
}

/** Touches the button or link with this text, once it is there and can be touched. */
export function press(page: Page, text: string): Promise<boolean> {
  // Puppeteer's own selectors for texts and roles do not work under Bun. Found and touched at once: it may be drawn anew in between.
  return until(`"${text}" can be pressed`, () =>
    readFrom(
      page,
      (wanted) => {
        const all = [...document.querySelectorAll<HTMLElement>("button, a")];
        const found = all.find((one) => one.textContent?.trim() === wanted && !one.matches(":disabled"));
        found?.click();
        return found !== undefined;
      },
      text,
    ),
  );
}

/** The same by a selector. */
export function tap(page: Page, selector: string): Promise<boolean> {
  return until(`"${selector}" can be touched`, () =>
    readFrom(
      page,
      (wanted) => {
        const found = document.querySelector<HTMLElement>(wanted);
        const isReady = found !== null && !found.matches(":disabled");
        if (isReady) found.click();
        return isReady;
      },
      selector,
    ),
  );
}

const LEAST_PX = 44;

/** What a finger may miss: buttons, links that look like them, and fields of less than 44 px, with their labels and what they answer around them. */
export function tooSmall(page: Page): Promise<string[]> {
  return page.evaluate((least) => {
    const answersTo = (one: Element, x: number, y: number): boolean => {
      const hit = document.elementFromPoint(x, y);
      return hit !== null && (one.contains(hit) || hit.contains(one.closest("label")));
    };
    const isLarge = (one: Element): boolean => {
      one.scrollIntoView({ block: "center" });
      const { left, top, width, height } = (one.closest("label") ?? one).getBoundingClientRect();
      if (width >= least - 0.5 && height >= least - 0.5) return true;
      const [x, y, half] = [left + width / 2, top + height / 2, least / 2 - 1];
      // Behind a sheet.
      if (!answersTo(one, x, y)) return true;
      const isWide = width >= least - 0.5 || (answersTo(one, x - half, y) && answersTo(one, x + half, y));
      const isHigh = height >= least - 0.5 || (answersTo(one, x, y - half) && answersTo(one, x, y + half));
      return isWide && isHigh;
    };
    const all = document.querySelectorAll("button, a.button, nav a, input, select, textarea, summary");
    return [...all]
      .filter((one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
      .filter((one) => one.closest(".visually-hidden, .day-bar, .cm-editor") === null && !isLarge(one))
      .map((one) => {
        const { width, height } = one.getBoundingClientRect();
        return `${Math.round(width)} × ${Math.round(height)}: ${one.outerHTML.slice(0, 160)}`;
      });
  }, LEAST_PX);
}
