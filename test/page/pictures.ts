// bun run pictures: the pictures of the README, as the page itself looks, in both schemes, into docs/pictures/.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../support/wait.ts";
import { openBrowser, SCHEMES } from "./support/browser.ts";
import { type PageHouse, startPageHouse } from "./support/page-house.ts";
import { settled } from "./support/seen.ts";
import { member } from "./support/zigbee-devices.ts";

const FOLDER = join(import.meta.dir, "..", "..", "docs", "pictures");
const WINDOW = { width: 1120, height: 720 };

interface Picture {
  name: string;
  path(house: PageHouse): Promise<string>;
}

const PICTURES: readonly Picture[] = [
  { name: "home", path: async () => "/" },
  { name: "why", path: whyPath },
  { name: "plot", path: plotPath },
];

/** Kind and name, by room. */
const ROOMS: Readonly<Record<string, readonly (readonly [kind: number, name: string])[]>> = {
  Hall: [
    [0, "Hall lamp"],
    [4, "Hall motion"],
    [3, "Front door"],
  ],
  Kitchen: [
    [0, "Worktop light"],
    [1, "Coffee machine"],
    [2, "Kitchen climate"],
  ],
  "Living room": [
    [0, "Floor lamp"],
    [5, "Terrace blind"],
    [2, "Living room climate"],
    [1, "Television"],
  ],
  Bedroom: [
    [0, "Bedside lamp"],
    [5, "Bedroom blind"],
    [3, "Bedroom window"],
  ],
};
const FIRST = 2000;
const members = Object.values(ROOMS)
  .flat()
  .map(([kind, name], index) => member(FIRST + index, kind, name));
const idOf = (name: string): string =>
  members.find(({ device }) => device.friendly_name === name)?.device.ieee_address ?? "";

/** Each thing in its room, and a rule that waits. */
async function furnish({ hub }: PageHouse): Promise<void> {
  const areas = await hub.get<{ id: string; name: string }[]>("/areas");
  for (const [room, things] of Object.entries(ROOMS)) {
    const area = areas.find(({ name }) => name === room)?.id;
    for (const [, name] of things) await hub.request("PATCH", `/devices/${idOf(name)}`, { body: { area } });
  }
  for (const path of ["/timers/eggs", "/devices/0x00158d0000000002", "/devices/0x00158d0000000003"])
    await hub.request("DELETE", path);
  await hub.request("POST", "/rules", {
    body: {
      id: "hall_light",
      name: "Hall light follows motion",
      trigger: { type: "device_state_changed", device_id: idOf("Hall motion"), attribute: "motion", to: true },
      conditions: [{ type: "device_state", device_id: idOf("Front door"), attribute: "open", value: false }],
      actions: [
        { type: "set_device_state", device_id: idOf("Hall lamp"), state: { on: true, brightness_pct: 60 } },
        { type: "delay", duration_secs: 300 },
        { type: "set_device_state", device_id: idOf("Hall lamp"), state: { on: false } },
      ],
    },
  });
}

/** A rule that has set a lamp, and waits to set it back. */
async function whyPath({ hub, network }: PageHouse): Promise<string> {
  network.report("Front door", { contact: true });
  network.report("Hall motion", { occupancy: false });
  const isFalse = async (name: string, attribute: string): Promise<boolean> => {
    const { attributes } = await hub.get<{ attributes: Record<string, unknown> }>(`/devices/${idOf(name)}`);
    return attributes[attribute] === false;
  };
  await until("the door is closed", () => isFalse("Front door", "open"));
  await until("nothing moves", () => isFalse("Hall motion", "motion"));
  network.report("Hall motion", { occupancy: true });
  await until("the rule waits", async () => {
    const { running } = await hub.get<{ running: number }>("/rules/hall_light");
    return running > 0;
  });
  return "/rules/hall_light";
}

/** The moments in which something happened. */
async function plotPath(): Promise<string> {
  const [from, to] = [begun - 2000, Date.now()].map((at) => new Date(at).toISOString());
  return `/devices/${idOf("Living room climate")}?from=${from}&to=${to}`;
}

/** Something to see in a plot. */
async function live({ network }: PageHouse): Promise<void> {
  for (let step = 0; step < 120; step++) {
    const [day, ripple] = [Math.sin(step / 19), Math.sin(step / 5)];
    network.report("Living room climate", {
      temperature: Math.round((20.5 + day + ripple / 6) * 10) / 10,
      humidity: Math.round(48 - 5 * day),
      battery: 90,
    });
    await Bun.sleep(100);
  }
}

const begun = Date.now();
const print = (text: string): void => void process.stdout.write(`${text}\n`);

await using house = await startPageHouse({ zigbee: 3, tidy: true, virtual: false, more: members });
await using visitors = await openBrowser("whole");
await using visitor = await visitors.visit(house, { role: "admin" });
const { page } = visitor;
await furnish(house);
await live(house);
mkdirSync(FOLDER, { recursive: true });
for (const { name, path } of PICTURES) {
  const at = await path(house);
  for (const scheme of SCHEMES) {
    await visitor.look({ scheme });
    await page.setViewport({ ...WINDOW, deviceScaleFactor: 1.5 });
    await visitor.go(at);
    await settled(page);
    writeFileSync(join(FOLDER, `${name}-${scheme}.webp`), await page.screenshot({ type: "webp", quality: 80 }));
    print(`${name}-${scheme}.webp`);
  }
}
