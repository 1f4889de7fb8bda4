// What is shown as live is: a hub that hangs, dies, comes back or is replaced, and a network that does, under an open page.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { until } from "../support/wait.ts";
import { openBrowser, type Visitor, type Visitors } from "./support/browser.ts";
import { openDoor } from "./support/door.ts";
import { LAMP, MUTE, type PageHouse, startPageHouse } from "./support/page-house.ts";
import {
  barriers,
  connectionShown,
  picture,
  settled,
  showsSwitch,
  showsTile,
  switchSeen,
  tileText,
  touchSwitch,
} from "./support/seen.ts";

let house: PageHouse;
let visitors: Visitors;
beforeAll(async () => {
  house = await startPageHouse({ zigbee: 12, toml: "[events]\nbuffer = 100\n" });
  visitors = await openBrowser();
});
afterAll(async () => {
  await visitors?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});
beforeEach(() => house.network.report(LAMP, { state: "OFF", brightness: 100 }));

/** The page was not loaded anew since. */
const mark = ({ page }: Visitor) => page.evaluate(() => document.body.setAttribute("data-mark", "1"));
const isMarked = ({ page }: Visitor) => page.evaluate(() => document.body.hasAttribute("data-mark"));
const shows = ({ page }: Visitor, state: string, timeoutMs?: number) =>
  until(`the page is ${state}`, async () => (await connectionShown(page)) === state, {
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
const lampIs = ({ page }: Visitor, isOn: boolean) => showsSwitch(page, LAMP, { isOn });
/** The stream has sent it something: from then on it knows where it stands. */
async function receivesLamp(visitor: Visitor): Promise<void> {
  await lampIs(visitor, false);
  house.network.report(LAMP, { state: "ON", brightness: 100 });
  await lampIs(visitor, true);
  house.network.report(LAMP, { state: "OFF", brightness: 100 });
  await lampIs(visitor, false);
}
/** Addresses of the streams that are opened from now on. */
async function streamsOf({ cdp }: Visitor): Promise<string[]> {
  const opened: string[] = [];
  cdp.on("Network.webSocketCreated", ({ url }) => opened.push(url));
  await cdp.send("Network.enable");
  return opened;
}

test("a hub that hangs is reported within five seconds, and until it goes on nothing can be switched", async () => {
  await using visitor = await visitors.visit(house, { role: "user" });
  await mark(visitor);
  house.hub.kill("SIGSTOP");
  try {
    await shows(visitor, "offline", 5000);
    expect(await switchSeen(visitor.page, LAMP)).toMatchObject({ isDisabled: true });
    const filter = await visitor.page.evaluate(
      () => getComputedStyle(document.querySelector(".tiles") as Element).filter,
    );
    expect(filter).toContain("grayscale");
    expect(await visitor.page.$eval(".liveness", (one) => one.textContent)).toMatch(/Offline since/);
    expect(await barriers(visitor.page)).toEqual([]);
    await picture(visitor.page, "offline");
  } finally {
    house.hub.kill("SIGCONT");
  }
  await shows(visitor, "live");
  await showsSwitch(visitor.page, LAMP, { isDisabled: false });
  expect(await isMarked(visitor)).toBe(true);
});

test("a hub that is killed and started again is followed without loading anew, and the values are right", async () => {
  await using visitor = await visitors.visit(house, { role: "user" });
  await mark(visitor);
  await receivesLamp(visitor);
  const streams = await streamsOf(visitor);
  await house.kill();
  await shows(visitor, "offline", 5000);
  await house.start();
  house.network.report(LAMP, { state: "ON", brightness: 127 });
  await shows(visitor, "live");
  await lampIs(visitor, true);
  expect(streams.at(-1)).toContain("since=");
  expect(await isMarked(visitor)).toBe(true);
});

test("what happened behind a broken connection is reported by the stream itself", async () => {
  await using door = await openDoor(house.origin);
  await using visitor = await visitors.visit(door, { role: "user" });
  await lampIs(visitor, false);
  await receivesLamp(visitor);
  const reads = countReads(visitor);
  door.shut();
  await shows(visitor, "offline", 5000);
  house.network.report(LAMP, { state: "ON", brightness: 200 });
  door.open();
  await shows(visitor, "live");
  await lampIs(visitor, true);
  expect(reads()).toBe(0);
});

test("where more happened than the hub remembers, everything is read anew", async () => {
  await using door = await openDoor(house.origin);
  await using visitor = await visitors.visit(door, { role: "user" });
  await mark(visitor);
  await receivesLamp(visitor);
  const reads = countReads(visitor);
  door.stall();
  await shows(visitor, "offline", 6000);
  door.shut();
  house.network.report(LAMP, { state: "ON", brightness: 200 });
  for (let count = 0; count < 400; count++)
    house.network.report("Stairs lamp", { state: "ON", brightness: count % 250 });
  await until("the hub has taken all", async () => {
    const lamp = await house.hub.get<{ attributes: { brightness?: number } }>("/devices/0x00158d0000000003");
    return lamp.attributes.brightness === 399 % 250;
  });
  door.open();
  await shows(visitor, "live");
  await lampIs(visitor, true);
  await showsTile(visitor.page, "Stairs lamp", "59");
  expect(reads()).toBeGreaterThan(0);
  expect(await isMarked(visitor)).toBe(true);
});

/** How often the house was read since. */
function countReads({ page }: Visitor): () => number {
  let count = 0;
  page.on("request", (request) => {
    if (new URL(request.url()).pathname === "/api/v1/devices") count++;
  });
  return () => count;
}

test("a page that slept is not believed when it wakes", async () => {
  await using door = await openDoor(house.origin);
  await using visitor = await visitors.visit(door, { role: "user" });
  await lampIs(visitor, false);
  await visitor.cdp.send("Page.setWebLifecycleState", { state: "frozen" });
  door.stall();
  // Longer than it believes a house that says nothing.
  await Bun.sleep(5000);
  house.network.report(LAMP, { state: "ON", brightness: 200 });
  await visitor.cdp.send("Page.setWebLifecycleState", { state: "active" });
  await shows(visitor, "offline", 1500);
  expect(await switchSeen(visitor.page, LAMP)).toMatchObject({ isDisabled: true });
  door.shut();
  door.open();
  await shows(visitor, "live");
  await lampIs(visitor, true);
});

test("a phone that slept an hour in a pocket says so at once, and goes on without loading anew", async () => {
  await using door = await openDoor(house.origin);
  await using visitor = await visitors.visit(door, { role: "user" });
  const { page, cdp } = visitor;
  await mark(visitor);
  await receivesLamp(visitor);
  const streams = await streamsOf(visitor);
  door.shut();
  await cdp.send("Page.setWebLifecycleState", { state: "frozen" });
  house.network.report(LAMP, { state: "ON", brightness: 200 });
  // The clock went on, the page did not.
  await page.evaluate((hour) => {
    const now = Date.now.bind(Date);
    Date.now = () => now() + hour;
  }, 3_600_000);
  await cdp.send("Page.setWebLifecycleState", { state: "active" });
  await shows(visitor, "offline", 1500);
  expect(await switchSeen(page, LAMP)).toMatchObject({ isDisabled: true });
  expect(await page.$eval(".liveness", (one) => one.textContent)).toMatch(/Offline since/);
  door.open();
  await shows(visitor, "live");
  await lampIs(visitor, true);
  expect(streams.at(-1)).toContain("since=");
  expect(await isMarked(visitor)).toBe(true);
});

test("a lost network is reported at once, and found again at once", async () => {
  await using visitor = await visitors.visit(house, { role: "user" });
  const network = { latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
  await visitor.cdp.send("Network.enable");
  await visitor.cdp.send("Network.emulateNetworkConditions", { ...network, offline: true });
  await shows(visitor, "offline", 5000);
  await visitor.cdp.send("Network.emulateNetworkConditions", { ...network, offline: false });
  await shows(visitor, "live", 3000);
});

test("without the hub the page opens with what was seen last, greyed and locked", async () => {
  await using visitor = await visitors.visit(house, { role: "user" });
  const { page } = visitor;
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => {}));
  await lampIs(visitor, false);
  await house.kill();
  try {
    await visitor.go("/");
    await showsTile(page, LAMP, "Off");
    await shows(visitor, "offline");
    expect(await switchSeen(page, LAMP)).toEqual({ isOn: false, isDisabled: true });
    await picture(page, "without-hub");
  } finally {
    await house.start();
  }
  await shows(visitor, "live");
  await showsSwitch(page, LAMP, { isDisabled: false });
});

test("a touch shows at once, and goes back with the reason where the device does not follow", async () => {
  await using visitor = await visitors.visit(house, { role: "user" });
  const { page } = visitor;
  const { isOn: before } = await until("its switch is there", () => switchSeen(page, MUTE));
  await touchSwitch(page, MUTE);
  // Long before the device could be given up.
  await until("it shows at once", async () => (await switchSeen(page, MUTE))?.isOn === !before, { timeoutMs: 2000 });
  await showsSwitch(page, MUTE, { isOn: before });
  await showsTile(page, MUTE, "has not answered");
  // It was only slow.
  house.network.report(MUTE, { state: before ? "OFF" : "ON" });
  await until("nothing is said against it", async () => !(await tileText(page, MUTE))?.includes("has not answered"));
  house.network.report(MUTE, { state: before ? "ON" : "OFF" });
});

test("a touch reaches the device, and the tile follows it", async () => {
  await using visitor = await visitors.visit(house, { role: "user" });
  const { page } = visitor;
  await lampIs(visitor, false);
  // By the mouse, where everything has its place.
  await settled(page);
  const { x, y } = await page.evaluate((wanted) => {
    const tiles = [...document.querySelectorAll<HTMLElement>(".tile")];
    const tile = tiles.find((one) => one.querySelector(".name")?.textContent === wanted);
    tile?.scrollIntoView({ block: "center" });
    return tile?.querySelector(".state")?.getBoundingClientRect().toJSON() as DOMRect;
  }, LAMP);
  await page.mouse.click(x + 4, y + 4);
  await until("the lamp is commanded", () =>
    house.network.commanded.some(({ name, payload }) => name === LAMP && payload.state === "ON"),
  );
  await until("it is on in the hub", async () => {
    const { attributes } = await house.hub.get<{ attributes: { on?: boolean } }>("/devices/0x00158d0000000001");
    return attributes.on === true;
  });
  await lampIs(visitor, true);
});

test("the address is the state: loading anew shows the same view", async () => {
  await using visitor = await visitors.visit(house, { role: "user", path: "/devices/0x00158d0000000001" });
  await visitor.page.waitForSelector("main h1");
  await visitor.page.reload();
  await visitor.page.waitForFunction((name) => document.querySelector("main h1")?.textContent === name, {}, LAMP);
});
