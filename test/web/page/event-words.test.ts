// Every event of the catalogue is a sentence on the page, in each language; those that have no words there show their fields.
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { catalog } from "../../../src/server/events/catalog.ts";

type Part = string | { text: string; href: string };
interface Words {
  eventInWords: (event: Record<string, unknown>) => Part[];
  EVENT_TYPES: readonly string[];
}

// The page is made for browsers and has a project of its own: its types are not read here.
const page = join(import.meta.dir, "../../../src/page");
const { eventInWords, EVENT_TYPES } = (await import(join(page, "views/activity/event-words.ts"))) as Words;
const { setLanguage, loadLater, textFor } = (await import(join(page, "texts/index.ts"))) as {
  setLanguage: (to: string) => Promise<void>;
  textFor: (key: string) => string | undefined;
  loadLater: () => Promise<void>;
};

// The one thing of a browser that choosing a language touches.
const world = globalThis as { document?: unknown };
beforeAll(async () => {
  world.document = { documentElement: {} };
  await loadLater();
});
afterEach(() => setLanguage("en"));
afterAll(() => {
  delete world.document;
});

const stamp = { timestamp: "2026-11-21T05:20:00Z", seq: 1 };

function sentence(event: Record<string, unknown>): string {
  return eventInWords({ ...stamp, ...event })
    .map((part) => (typeof part === "string" ? part : part.text))
    .join("");
}

for (const language of ["en", "de"]) {
  test(`all events have words: ${language}`, async () => {
    await setLanguage(language);
    for (const { type, example } of catalog.filter(({ type }) => type !== "mqtt_message")) {
      // A sentence of its own comes with a name in the filter.
      expect([type, textFor(`type.${type}`) !== undefined]).toEqual([type, EVENT_TYPES.includes(type)]);
      const words = sentence({ type, ...example });
      expect(words).not.toMatch(/[{}]|undefined|\[object/);
      expect(words.length).toBeGreaterThan(10);
    }
  });
}

test("sentences say what happened, with links to what they are about", () => {
  const event = {
    type: "device_state_changed",
    device_id: "hall",
    current: { on: true, power_w: 9 },
    changed: ["on", "power_w"],
  };
  expect(sentence(event)).toBe("hall: switched on · power 9 W");
  expect(eventInWords({ ...stamp, ...event })[0]).toEqual({ text: "hall", href: "/devices/hall" });
  expect(sentence({ type: "stream_gap", from: "2026-11-21T05:18:00Z" })).toMatch(/^Events between .+ and .+ are lost$/);
});

test("alarms come first, in words, and what is reported in a better word is reported once", async () => {
  const { putDevice, setDevices } = (await import(join(page, "state/house/devices.ts"))) as {
    putDevice: (device: unknown) => void;
    setDevices: (devices: readonly unknown[]) => void;
  };
  const properties = {
    contact: { type: "boolean", class: "door", inverted: true },
    open: { type: "boolean", derived: true, of: "contact", word: "open" },
    carbon_monoxide: { type: "boolean", word: "carbon_monoxide" },
    leak_alarm_2: { type: "boolean", word: "leak", part: "alarm_2" },
  };
  const about = { attributes: {}, last_changed: {}, capabilities: null };
  putDevice({ ...about, id: "hall", name: "Hall", schema: { properties } });
  const current = { battery: 80, voltage: 3, linkquality: 9, contact: false, open: true, carbon_monoxide: true };
  const event = { type: "device_state_changed", device_id: "hall", current, changed: Object.keys(current) };
  const leak = { ...event, current: { leak_alarm_2: false }, changed: ["leak_alarm_2"] };
  expect(sentence(event)).toStartWith("Hall: reports carbon monoxide · battery 80");
  expect(sentence({ ...event, changed: ["contact", "open"] })).toBe("Hall: opened");
  expect(sentence({ ...event, changed: ["contact"] })).toBe("Hall: opened");
  expect(sentence(leak)).toBe("Hall: no longer reports water (alarm 2)");
  await setLanguage("de");
  expect(sentence({ ...event, changed: ["contact", "carbon_monoxide"] })).toBe("Hall: meldet Kohlenmonoxid");
  expect(sentence(leak)).toBe("Hall: meldet Wasser nicht mehr (Alarm 2)");
  setDevices([]);
});

test("a custom event shows its fields, whatever they are", () => {
  const hostile = {
    type: "custom_door_bell",
    floor: 1,
    who: "<img src=x>",
    deep: { a: [null, 1e300] },
    long: "x".repeat(5000),
  };
  const words = sentence(hostile);
  expect(words).toStartWith("door bell: floor 1 · who <img src=x> · deep {");
  expect(words.length).toBeLessThan(300);
});
