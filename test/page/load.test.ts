// A house of a thousand devices with 500 events a second: the page stays usable, and ends with what is true.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../support/wait.ts";
import { openBrowser, type Visitor, type Visitors } from "./support/browser.ts";
import { LAMP, type PageHouse, startPageHouse } from "./support/page-house.ts";
import { connectionShown, settled, switchSeen, tileText } from "./support/seen.ts";
import { madeUp } from "./support/zigbee-devices.ts";

const DEVICES = 1000;
const RATE = 500;
const SECONDS = 20;
const BATCH_MS = 20;
/** What somebody still bears, on a machine that runs the hub, the house and other tests as well. */
const ANSWER_MS = 1000;
/** Its memory is looked at as often as this many touches. */
const HEAP_EVERY = 6;
/** Lists that are bounded may fill; ten minutes are in the bench. */
const GROWTH_MB = 6;

const lamps = madeUp(DEVICES, 5000);
let house: PageHouse;
let visitors: Visitors;
beforeAll(async () => {
  house = await startPageHouse({ zigbee: DEVICES + 3, virtual: false, more: lamps });
  visitors = await openBrowser();
});
afterAll(async () => {
  await visitors?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

/** Of what is still needed. */
async function heapMb({ cdp }: Visitor): Promise<number> {
  await cdp.send("HeapProfiler.collectGarbage");
  const { usedSize } = await cdp.send("Runtime.getHeapUsage");
  return usedSize / 1024 / 1024;
}

/** Time from a touch to the next frame. */
const answerTime = ({ page }: Visitor): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const begun = performance.now();
        setTimeout(() => requestAnimationFrame(() => resolve(performance.now() - begun)));
      }),
  );

test("it answers within a second all the time, and shows the last values in the end", async () => {
  await using visitor = await visitors.visit(house, { role: "user" });
  await settled(visitor.page);
  const contacts = lamps.filter(({ state }) => "brightness" in state).map(({ device }) => device.friendly_name);
  const answers: number[] = [];
  const heaps: number[] = [];
  const states = new Set<string | undefined>();
  const begun = performance.now();
  let sent = 0;
  let next = 0;
  while (performance.now() - begun < SECONDS * 1000) {
    const due = ((performance.now() - begun) / 1000) * RATE;
    for (; sent < due; sent++)
      house.network.report(contacts[sent % contacts.length] as string, { state: "ON", brightness: 1 + (sent % 254) });
    if (performance.now() > next) {
      answers.push(await answerTime(visitor));
      states.add(await connectionShown(visitor.page));
      next = performance.now() + 500;
      if (answers.length % HEAP_EVERY === 0) heaps.push(await heapMb(visitor));
    }
    await Bun.sleep(BATCH_MS);
  }
  const last = new Map<string, number>();
  for (let number = sent - contacts.length; number < sent; number++)
    last.set(contacts[number % contacts.length] as string, 1 + (number % 254));
  expect(answers.length).toBeGreaterThan(SECONDS / 4);
  expect(answers.sort((a, b) => a - b).at(Math.floor(answers.length * 0.95))).toBeLessThan(ANSWER_MS);
  expect([...states]).toEqual(["live"]);
  // After the first look, which is before all tiles are awake.
  const [, settledHeap = 0, ...later] = heaps;
  expect(Math.max(...later) - settledHeap).toBeLessThan(GROWTH_MB);
  for (const [name, brightness] of [...last].slice(-20)) {
    const text = `On · ${Math.round((brightness / 254) * 100)} %`;
    await until(`${name} shows ${text}`, async () => (await tileText(visitor.page, name))?.includes(text));
  }
  expect(await switchSeen(visitor.page, LAMP)).toMatchObject({ isDisabled: false });
  expect(visitor.complaints).toEqual([]);
});
