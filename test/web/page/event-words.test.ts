// Every event of the catalogue is a sentence on the page, in each language; events of others show their fields.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { catalog } from "../../../src/events/catalog.ts";

type Part = string | { text: string; href: string };
interface Words {
  eventInWords: (event: Record<string, unknown>) => Part[];
  typeWords: (type: string) => string;
  EVENT_TYPES: readonly string[];
}

// The page is made for browsers and has a project of its own: its types are not read here.
const page = join(import.meta.dir, "../../../src/web/page");
const { eventInWords, typeWords, EVENT_TYPES } = (await import(join(page, "components/feed/event-words.ts"))) as Words;
const { setLanguage } = (await import(join(page, "texts/index.ts"))) as { setLanguage: (to: string) => Promise<void> };

// The one thing of a browser that choosing a language touches.
const world = globalThis as { document?: unknown };
beforeAll(() => {
  world.document = { documentElement: {} };
});
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
      expect(EVENT_TYPES).toContain(type);
      expect(typeWords(type)).not.toBe(type.replaceAll("_", " "));
      const words = sentence({ type, ...example });
      expect(words).not.toMatch(/[{}]|undefined|\[object/);
      expect(words.length).toBeGreaterThan(10);
    }
    await setLanguage("en");
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
