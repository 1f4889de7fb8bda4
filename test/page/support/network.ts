// What a page still waits for. Puppeteer's own count keeps for ever what a former document had asked for when it was left.
import type { CDPSession, Page } from "puppeteer-core";

/** Of each page: the requests under way, with the document that made them. */
const underWay = new WeakMap<Page, Map<string, string>>();

const QUIET_MS = 150;
const MAX_MS = 5000;
const LOOK_MS = 10;

export async function watchNetwork(page: Page, cdp: CDPSession): Promise<void> {
  const open = new Map<string, string>();
  underWay.set(page, open);
  const ended = ({ requestId }: { requestId: string }): void => void open.delete(requestId);
  cdp.on("Network.requestWillBeSent", ({ requestId, loaderId }) => void open.set(requestId, loaderId));
  cdp.on("Network.loadingFinished", ended);
  cdp.on("Network.loadingFailed", ended);
  cdp.on("Page.frameNavigated", ({ frame }) => {
    if (frame.parentId !== undefined) return;
    for (const [id, loader] of open) if (loader !== frame.loaderId) open.delete(id);
  });
  await cdp.send("Network.enable");
  await cdp.send("Page.enable");
}

/** Resolves when nothing was under way for a moment, or when something takes very long. */
export async function quiet(page: Page): Promise<void> {
  const open = underWay.get(page);
  if (!open) throw new Error("nobody watches the network of this page");
  const begun = performance.now();
  let busyAt = begun;
  for (;;) {
    const now = performance.now();
    if (open.size > 0) busyAt = now;
    if (now - busyAt >= QUIET_MS || now - begun >= MAX_MS) return;
    await Bun.sleep(LOOK_MS);
  }
}
