// The page's own bookkeeping, without a browser: sessions and their renewal, which page is which, and commands that fail.
import { devices, dropDevice, putDevice } from "../../src/page/state/house/devices.ts";
import "./browser.ts";
import { afterEach, describe, expect, test } from "bun:test";
import { load } from "../../src/page/browser/storage.ts";
import type { Device } from "../../src/page/model/device/device.ts";
import { sections } from "../../src/page/state/home/start.ts";
import { command, forgetCommands, pending, refused, shown } from "../../src/page/state/house/command.ts";
import { takeEvent } from "../../src/page/state/house/house.ts";
import { areas } from "../../src/page/state/house/lists.ts";
import { isFailedImport } from "../../src/page/state/hub/parts.ts";
import { dueAt, isDue } from "../../src/page/state/hub/renewal.ts";
import {
  allows,
  type Session,
  session,
  sessionExpired,
  setSession,
  signedOutBecause,
  viewsOf,
} from "../../src/page/state/hub/session.ts";
import { namesOf } from "../../src/page/state/hub/version-watch.ts";

const LAMP: Device = {
  ...{ id: "lamp", name: "Lamp", plugin_id: "z", area: null, device_type: "light", available: true },
  ...{ attributes: { on: false, level: 1 }, last_seen: null, last_changed: {}, schema: null },
  ...{ manufacturer: null, model: null, sw_version: null, parent_device_id: null, capabilities: null, history: true },
};
const ANN: Session = { token: "t1", expires_in: 100, user: { id: "1", username: "ann", role: "user" } };
const answering = (status: number, body: object): typeof fetch =>
  (async () => new Response(JSON.stringify(body), { status })) as unknown as typeof fetch;
const realFetch = globalThis.fetch;

afterEach(() => {
  globalThis.fetch = realFetch;
  setSession(undefined);
  forgetCommands();
  for (const id of devices.peek().keys()) dropDevice(id);
});

describe("a session", () => {
  test("may what its role may", () => {
    expect(allows("viewer")).toBe(false);
    setSession(ANN);
    expect([allows("viewer"), allows("user"), allows("admin")]).toEqual([true, true, false]);
  });

  test("that expires leaves its views, and nothing in the browser", () => {
    setSession(ANN);
    sessionExpired();
    expect([session.value, viewsOf.value, signedOutBecause.value]).toEqual([undefined, "1", "expired"]);
    expect(load("session")).toBeUndefined();
    setSession({ ...ANN, token: "t2" });
    expect([viewsOf.value, signedOutBecause.value]).toEqual(["1", undefined]);
  });

  test("that is signed out leaves no views", () => {
    setSession(ANN);
    setSession(undefined);
    expect([viewsOf.value, signedOutBecause.value]).toEqual([undefined, undefined]);
  });

  test("is renewed at half its lifetime, and at once where nothing is known of it", () => {
    const got = { ...ANN, gotAt: 1_000_000 };
    expect(dueAt(got)).toBe(1_050_000);
    expect([isDue(got, 1_049_999), isDue(got, 1_050_000), isDue(got, 999_999)]).toEqual([false, true, true]);
    expect(isDue({ token: "old", user: ANN.user }, 5)).toBe(true);
  });
});

describe("a command", () => {
  test("shows at once, and is over when the device follows", async () => {
    putDevice(LAMP);
    globalThis.fetch = answering(202, {});
    const done = command("lamp", { on: true });
    expect(shown("lamp", LAMP.attributes)).toEqual({ on: true, level: 1 });
    // The event may be here before the answer.
    takeEvent({
      ...{ type: "device_state_changed", timestamp: "2026-11-22T12:00:00Z", seq: 1, device_id: "lamp" },
      ...{ changed: ["on"], current: { on: true, level: 1 } },
    });
    await done;
    expect([pending.value.size, refused.value.size]).toEqual([0, 0]);
  });

  test("goes back with the hub's own reason", async () => {
    putDevice(LAMP);
    globalThis.fetch = answering(409, { code: "conflict", detail: "the device is not available" });
    await command("lamp", { on: true });
    expect(shown("lamp", LAMP.attributes)).toEqual({ on: false, level: 1 });
    expect(refused.value.get("lamp")).toMatchObject({ status: 409, message: "the device is not available" });
  });

  test("that was refused is forgiven when the device does it after all", async () => {
    putDevice(LAMP);
    globalThis.fetch = answering(504, { code: "timeout", detail: "no answer" });
    await command("lamp", { on: true });
    expect(refused.value.size).toBe(1);
    putDevice({ ...LAMP, attributes: { on: true, level: 1 } });
    expect(refused.value.size).toBe(0);
  });
});

test("two pages are the same where they name the same files", () => {
  const html = (main: string): string =>
    `<link rel="icon" href="/icon.svg"><link href="/styles-abcd1234.css"><script src="${main}"></script>`;
  expect(namesOf(html("/main-abcd1234.js"))).toEqual(["/main-abcd1234.js", "/styles-abcd1234.css"]);
  expect(namesOf(html("/main-abcd1234.js"))).not.toEqual(namesOf(html("/main-00000000.js")));
  expect(namesOf("<html>a proxy's own page</html>")).toEqual([]);
});

test("a part that could not be loaded is distinguished from other failures, in every browser's words", () => {
  for (const text of [
    "Failed to fetch dynamically imported module: http://hub/more.js",
    "error loading dynamically imported module: http://hub/more.js",
    "Importing a module script failed.",
  ])
    expect(isFailedImport(new TypeError(text))).toBe(true);
  expect(isFailedImport(new TypeError("x is undefined"))).toBe(false);
  expect(isFailedImport(new Error("module"))).toBe(false);
});

describe("rooms", () => {
  const sectionsOf = (): [string, number][] =>
    sections.value.filter(({ id }) => !id.startsWith("/")).map(({ name, items }) => [name, items.length]);

  afterEach(() => {
    areas.value.value = [];
  });

  test("that plugins spell in their own ways are one, with the name that people gave", () => {
    areas.value.value = [{ id: "living_room", name: "Lounge" }];
    for (const [id, area] of Object.entries({ a: "living_room", b: "Living Room", c: "lounge", d: " LOUNGE " }))
      putDevice({ ...LAMP, id, area });
    expect(sectionsOf()).toEqual([["Lounge", 4]]);
  });

  test("that nobody has named are one as well", () => {
    for (const [id, area] of Object.entries({ a: "Hall", b: "hall", c: "Hall-way" })) putDevice({ ...LAMP, id, area });
    expect(sectionsOf()).toEqual([
      ["Hall", 2],
      ["Hall-way", 1],
    ]);
  });
});
