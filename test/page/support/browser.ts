// Debian's Chromium, and people who visit the page with it.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import puppeteer, { type Browser, type BrowserContext, type CDPSession, type Page } from "puppeteer-core";
import { watchNetwork } from "./network.ts";
import { nameOf, PASSWORD, type PageHouse, type Role } from "./page-house.ts";

export const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const SHELL = "/usr/bin/chromium-headless-shell";
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--lang=en-US",
];
const LIVE = "main[data-live=live]";
const NAME = ".sign-in input[name=username]";

export const SCHEMES = ["light", "dark"] as const;
export const WIDTHS = [360, 1280] as const;

export interface Look {
  scheme?: (typeof SCHEMES)[number];
  width?: number;
}

export interface Visitor extends AsyncDisposable {
  readonly page: Page;
  readonly cdp: CDPSession;
  /** What the browser complained about. */
  readonly complaints: string[];
  /** Addresses of other hosts that were asked for. */
  readonly abroad: string[];
  /** What the hub answered with 401 or 403. */
  readonly refused: string[];
  go(path: string): Promise<void>;
  /** By its own form. */
  signIn(role: Role): Promise<void>;
  look(look: Look): Promise<void>;
}

export interface VisitOptions extends Look {
  /** Signed in. */
  role?: Role;
  path?: string;
  /** In a browser that was never here. Without it, one of this role that was here and left comes back, with its session. */
  isNew?: boolean;
}

export interface Visitors extends AsyncDisposable {
  readonly browser: Browser;
  /** Somebody who shares nothing with the others that are there; at the address already. */
  visit(house: Pick<PageHouse, "origin">, options?: VisitOptions): Promise<Visitor>;
}

/**
 * `shell`: Chromium without its window, where it is there: the same pages for two thirds of the processor time, but no notifications.
 * A Chromium that is named by CHROMIUM is taken for everything.
 */
export async function openBrowser(kind: "whole" | "shell" = "shell"): Promise<Visitors> {
  const isShell = kind === "shell" && process.env.CHROMIUM === undefined && existsSync(SHELL);
  const folder = mkdtempSync(join(tmpdir(), "hub-page-"));
  const browser = await puppeteer.launch({
    executablePath: isShell ? SHELL : CHROMIUM,
    args: ARGUMENTS,
    userDataDir: folder,
    protocolTimeout: 60_000,
  });
  /** The browsers of those who left, by role and house. */
  const left = new Map<string, BrowserContext[]>();
  return {
    browser,
    async visit({ origin }, { role, path = "/", isNew = role === undefined, ...look } = {}) {
      const who = `${role} at ${origin}`;
      const context = (isNew ? undefined : left.get(who)?.pop()) ?? (await browser.createBrowserContext());
      const visitor = await visitorOf(await context.newPage(), origin, async () => {
        if (isNew) return context.close();
        for (const page of await context.pages()) await page.close();
        left.set(who, [...(left.get(who) ?? []), context]);
      });
      await visitor.look(look);
      await visitor.go(path);
      if (role === undefined) return visitor;
      const shown = await visitor.page.waitForSelector(`${LIVE}, ${NAME}`);
      if (await shown?.evaluate((one) => one.localName === "input")) await visitor.signIn(role);
      return visitor;
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function visitorOf(page: Page, origin: string, leave: () => Promise<void>): Promise<Visitor> {
  const complaints: string[] = [];
  const abroad: string[] = [];
  const refused: string[] = [];
  page.setDefaultTimeout(45_000);
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(`${message.text()} ${message.location().url ?? ""}`);
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (/^(https?|wss?):$/.test(url.protocol) && url.host !== new URL(origin).host) abroad.push(url.href);
  });
  page.on("response", (answer) => {
    if (answer.status() === 401 || answer.status() === 403) refused.push(`${answer.status()} ${answer.url()}`);
  });
  const cdp = await page.createCDPSession();
  await watchNetwork(page, cdp);
  const visitor: Visitor = {
    page,
    cdp,
    complaints,
    ...{ abroad, refused },
    async go(path) {
      await page.goto(origin + path, { waitUntil: "load" });
    },
    async signIn(role) {
      await page.locator(NAME).fill(nameOf(role));
      await page.locator(".sign-in input[name=password]").fill(PASSWORD);
      await page.locator(".sign-in button.main").click();
      await page.waitForSelector(LIVE);
    },
    async look({ scheme = "light", width = 1280 }) {
      await page.setViewport({ width, height: width < 800 ? 780 : 900 });
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    },
    [Symbol.asyncDispose]: leave,
  };
  return visitor;
}
