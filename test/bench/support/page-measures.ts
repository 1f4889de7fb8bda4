// What a browser reports of a page. The functions it runs are texts: here nobody knows its types.
import type { Visitor } from "../../page/support/browser.ts";

/** Goes to the address, and answers when it was painted first, and what came over the wire for it. */
export async function firstPaintMs({ page, cdp }: Visitor, path: string): Promise<{ ms: number; bytes: number }> {
  let bytes = 0;
  const count = ({ encodedDataLength }: { encodedDataLength: number }): void => {
    bytes += encodedDataLength;
  };
  cdp.on("Network.loadingFinished", count);
  await cdp.send("Network.enable");
  await page.goto(new URL(path, page.url()).href, { waitUntil: "load" });
  const ms = (await page.evaluate(`new Promise((resolve) => {
    new PerformanceObserver((list) => {
      const paint = list.getEntriesByName("first-contentful-paint")[0];
      if (paint) resolve(paint.startTime);
    }).observe({ type: "paint", buffered: true });
  })`)) as number;
  cdp.off("Network.loadingFinished", count);
  return { ms, bytes };
}

/** Touches the switch of a device: ms until its tile shows what the device itself has said. */
export async function touchMs({ page }: Visitor, name: string): Promise<number> {
  return (await page.evaluate(`new Promise((resolve, reject) => {
    const isIt = (tile) => tile.querySelector(".name")?.textContent === ${JSON.stringify(name)};
    const tile = [...document.querySelectorAll(".tile")].find(isIt);
    const begun = performance.now();
    tile.querySelector("[role=switch]").click();
    const look = () => {
      const took = performance.now() - begun;
      if (!tile.classList.contains("pending")) resolve(took);
      else if (took > 5000) reject(new Error("the device does not follow"));
      else setTimeout(look, 1);
    };
    setTimeout(look, 1);
  })`)) as number;
}

export async function watchLongTasks({ page }: Visitor): Promise<void> {
  await page.evaluate(`{
    globalThis.longTasks = [];
    new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration)))
      .observe({ type: "longtask" });
  }`);
}

/** Durations of those since, in ms. */
export async function longTasks({ page }: Visitor): Promise<number[]> {
  return (await page.evaluate("globalThis.longTasks")) as number[];
}

/** After garbage collection. */
export async function heapMiB({ cdp }: Visitor): Promise<number> {
  await cdp.send("HeapProfiler.collectGarbage");
  const { usedSize } = await cdp.send("Runtime.getHeapUsage");
  return usedSize / 1024 / 1024;
}
