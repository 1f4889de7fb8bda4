// bun run pictures: the pictures of the README, as the page itself looks, in both schemes, into docs/pictures/.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openBrowser, SCHEMES } from "./support/browser.ts";
import { type PageHouse, startPageHouse } from "./support/page-house.ts";
import { settled } from "./support/seen.ts";
import { addressOf } from "./support/zigbee-devices.ts";
import { rulePath } from "./views.ts";

const FOLDER = join(import.meta.dir, "..", "..", "docs", "pictures");
const WINDOW = { width: 1120, height: 720 };

interface Picture {
  name: string;
  path(house: PageHouse): Promise<string>;
}

const PICTURES: readonly Picture[] = [
  { name: "home", path: async () => "/" },
  { name: "why", path: whyPath },
  { name: "plot", path: async () => `/devices/${addressOf(1)}` },
];

/** A rule that has just run. */
async function whyPath(house: PageHouse): Promise<string> {
  house.network.report("Stairs lamp", { state: "ON" });
  await Bun.sleep(1000);
  return rulePath(house);
}

/** Something to see in a plot. */
async function live({ network }: PageHouse): Promise<void> {
  for (let step = 0; step < 40; step++) {
    network.report("Reading lamp", { state: step % 9 === 0 ? "OFF" : "ON", brightness: 20 + ((step * 37) % 230) });
    await Bun.sleep(100);
  }
}

const print = (text: string): void => void process.stdout.write(`${text}\n`);

await using house = await startPageHouse({ zigbee: 24, tidy: true });
await using visitors = await openBrowser();
await using visitor = await visitors.visit(house, { role: "admin" });
const { page } = visitor;
await live(house);
mkdirSync(FOLDER, { recursive: true });
for (const { name, path } of PICTURES) {
  const at = await path(house);
  for (const scheme of SCHEMES) {
    await visitor.look({ scheme });
    await page.setViewport({ ...WINDOW, deviceScaleFactor: 1.5 });
    await visitor.go(at);
    await settled(page);
    writeFileSync(join(FOLDER, `${name}-${scheme}.png`), await page.screenshot());
    print(`${name}-${scheme}.png`);
  }
}
