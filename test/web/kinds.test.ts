// Devices in words: what a tile says, which icon it has and what a touch does.
import "./browser.ts";
import { afterAll, describe, expect, test } from "bun:test";
import { partsOf } from "../../src/page/model/device/attribute-parts.ts";
import { labelOf, valueInWords } from "../../src/page/model/device/attribute-words.ts";
import type { Device } from "../../src/page/model/device/device.ts";
import type { Attributes } from "../../src/page/model/device/json.ts";
import { attributeName, iconOf, isActive, measureInWords, stateInWords } from "../../src/page/model/device/kinds.ts";
import type { Property } from "../../src/page/model/device/schema.ts";
import { setLanguage } from "../../src/page/texts/index.ts";

afterAll(() => setLanguage("en"));

const device = (attributes: Attributes, more: Partial<Device> = {}): Device =>
  ({
    ...{ id: "d", name: "D", plugin_id: "p", area: null, device_type: null, available: true, attributes },
    ...{ last_seen: null, last_changed: {}, schema: null, capabilities: null, manufacturer: null, model: null },
    ...{ sw_version: null, parent_device_id: null, history: true },
    ...more,
  }) as Device;
const words = (attributes: Attributes): string => stateInWords(device(attributes), attributes);

test.each([
  [{ on: true, brightness_pct: 60 }, "On · 60 %"],
  [{ on: false, brightness_pct: 60 }, "Off"],
  [{ position: 0 }, "Closed"],
  [{ locked: false }, "Unlocked"],
  [{ contact: true }, "Closed"],
  [{}, "Nothing reported yet"],
] as const)("%j is %s", (attributes, expected) => {
  expect(words(attributes as unknown as Attributes)).toBe(expected);
});

test("a moment that a device reports is a time, and what is none stays as it is", () => {
  const schema = { properties: { picture_at: { type: "string", class: "timestamp", category: "diagnostic" } } };
  const said = (picture_at: string): string => {
    const one = device({ picture_at }, { schema });
    return stateInWords(one, one.attributes);
  };
  expect(said("2024-11-27T18:30:00.123Z")).toMatch(/^Picture at: 11\/2[78]\/24, \d+:\d\d\s[AP]M$/);
  expect(said("soon")).toBe("Picture at: soon");
});

test("values that nobody would choose are words, not failures", () => {
  for (const odd of ["NaN", null, {}, [], 1e308, -0, "<b>", true]) {
    const attributes: Attributes = {
      on: odd,
      brightness_pct: odd,
      position: odd,
      temperature: odd,
      locked: odd,
      contact: odd,
    };
    expect(typeof words(attributes)).toBe("string");
    expect(words(attributes)).not.toContain("undefined");
    expect(iconOf(device(attributes))).toBeTruthy();
    expect(typeof isActive(attributes)).toBe("boolean");
  }
});

/** A device that says this of its attributes. */
const described = (properties: Record<string, Property>, attributes: Attributes, type: string | null = null): Device =>
  device(attributes, { schema: { properties }, device_type: type });
async function inBoth(words: () => string): Promise<[string, string]> {
  await setLanguage("de");
  const german = words();
  await setLanguage("en");
  return [words(), german];
}

describe("a class decides the sentence, whatever the attribute is called", () => {
  // Every class of Home Assistant's binary sensors: what `on` and `off` mean there.
  const rows: [of: string, on: string, off: string, an: string, aus: string][] = [
    ["battery", "Battery low", "Battery good", "Batterie schwach", "Batterie gut"],
    ["battery_charging", "Charging", "Not charging", "Lädt", "Lädt nicht"],
    ["carbon_monoxide", "Carbon monoxide!", "No carbon monoxide", "Kohlenmonoxid!", "Kein Kohlenmonoxid"],
    ["cold", "Too cold!", "Not too cold", "Zu kalt!", "Nicht zu kalt"],
    ["connectivity", "Connected", "Not connected", "Verbunden", "Nicht verbunden"],
    ["door", "Open", "Closed", "Offen", "Zu"],
    ["garage_door", "Open", "Closed", "Offen", "Zu"],
    ["gas", "Gas!", "No gas", "Gas!", "Kein Gas"],
    ["heat", "Too hot!", "Not too hot", "Zu heiß!", "Nicht zu heiß"],
    ["light", "Light", "No light", "Licht", "Kein Licht"],
    ["lock", "Unlocked", "Locked", "Aufgeschlossen", "Abgeschlossen"],
    ["moisture", "Water!", "Dry", "Wasser!", "Trocken"],
    ["motion", "Motion", "No motion", "Bewegung", "Keine Bewegung"],
    ["moving", "Moving", "Still", "Bewegt sich", "Steht still"],
    ["occupancy", "Motion", "No motion", "Bewegung", "Keine Bewegung"],
    ["opening", "Open", "Closed", "Offen", "Zu"],
    ["plug", "Plugged in", "Unplugged", "Eingesteckt", "Ausgesteckt"],
    ["power", "Power", "No power", "Strom", "Kein Strom"],
    ["presence", "Somebody there", "Nobody there", "Jemand da", "Niemand da"],
    ["problem", "Problem!", "No problem", "Störung!", "Keine Störung"],
    ["running", "Running", "Not running", "Läuft", "Läuft nicht"],
    ["safety", "Danger!", "Safe", "Gefahr!", "Sicher"],
    ["smoke", "Smoke!", "No smoke", "Rauch!", "Kein Rauch"],
    ["sound", "Sound!", "No sound", "Geräusch!", "Kein Geräusch"],
    ["tamper", "Tampering!", "No tampering", "Sabotage!", "Keine Sabotage"],
    ["update", "Update available", "Up to date", "Update verfügbar", "Aktuell"],
    ["vibration", "Vibration!", "No vibration", "Erschütterung!", "Keine Erschütterung"],
    ["window", "Open", "Closed", "Offen", "Zu"],
  ];
  test.each(rows)("%s", async (of, on, off, an, aus) => {
    const says = (value: boolean, more: Property = {}) =>
      inBoth(() => {
        const one = described({ zone_3: { type: "boolean", class: of, ...more } }, { zone_3: value });
        return stateInWords(one, one.attributes);
      });
    expect(await says(true)).toEqual([on, an]);
    expect(await says(false)).toEqual([off, aus]);
    expect(await says(false, { inverted: true })).toEqual([on, an]);
  });

  test("a name that only sounds like a class is none", () => {
    const one = described({ lock: { type: "boolean" }, update: { type: "boolean" } }, { lock: true, update: false });
    expect(stateInWords(one, one.attributes)).toBe("Lock: Yes · Update: No");
  });
});

describe("an alarm panel", () => {
  test.each([
    ["disarmed", "Disarmed", "Unscharf"],
    ["armed_home", "Armed, somebody home", "Scharf, jemand daheim"],
    ["armed_away", "Armed, all away", "Scharf, alle weg"],
    ["armed_night", "Armed for the night", "Scharf für die Nacht"],
    ["armed_vacation", "Armed for holidays", "Scharf für den Urlaub"],
    ["armed_custom_bypass", "Armed in part", "Teilweise scharf"],
    ["arming", "Arming…", "Wird scharf…"],
    ["disarming", "Disarming…", "Wird unscharf…"],
    ["pending", "About to set off the alarm", "Löst gleich Alarm aus"],
    ["triggered", "Alarm!", "Alarm!"],
  ])("that is %s", async (alarm, english, german) => {
    const one = described({ alarm: { type: "string", word: "alarm", readOnly: true } }, { alarm }, "alarm");
    expect(await inBoth(() => stateInWords(one, one.attributes))).toEqual([english, german]);
  });
});

describe("a lock", () => {
  test.each<[Attributes, string, string]>([
    [{ locked: null, lock_state: "jammed" }, "Jammed!", "Klemmt!"],
    [{ locked: null, lock_state: "unlocking" }, "Unlocking…", "Schließt auf…"],
    [{ locked: null, lock_state: "locking" }, "Locking…", "Schließt ab…"],
    [{ locked: true, lock_state: "locked" }, "Locked", "Abgeschlossen"],
    // As it is shown while a command is under way.
    [{ locked: true, lock_state: "jammed" }, "Locked", "Abgeschlossen"],
  ])("%j", async (attributes, english, german) => {
    const properties: Record<string, Property> = {
      locked: { type: "boolean", word: "locked" },
      lock_state: { type: "string", readOnly: true, word: "lock_state" },
    };
    const one = described(properties, attributes, "lock");
    expect(await inBoth(() => stateInWords(one, attributes))).toEqual([english, german]);
  });
});

test("what a shared word says is not said twice on a tile, and in the details in its own words", async () => {
  const one = described(
    {
      contact: { type: "boolean", readOnly: true, class: "door", inverted: true },
      open: { type: "boolean", readOnly: true, derived: true, of: "contact", word: "open" },
    },
    { contact: true, open: false },
  );
  expect(stateInWords(one, one.attributes)).toBe("Closed");
  expect(partsOf(one)).toMatchObject({ readings: ["open"], diagnostics: ["contact"] });
  const own: Property = { type: "boolean", class: "door", inverted: true };
  expect(await inBoth(() => `${attributeName(one, "contact")}: ${valueInWords("contact", true, own)}`)).toEqual([
    "Contact: Closed",
    "Kontakt: Zu",
  ]);
});

test("what is measured has the unit that the device says; of itself only a shared word has one", () => {
  const one = described({ temperature: { type: "number", unit: "°F" }, flow: { type: "number" } }, {});
  expect(measureInWords(one, "temperature", 70)).toBe("70 °F");
  expect(measureInWords(device({}), "temperature", 20)).toBe("20 °C");
  expect(measureInWords(one, "flow", 3)).toBe("3");
});

test("a siren that is on is an alarm, and what it does while it is off is not", async () => {
  const siren = (on: boolean) => described({ on: { type: "boolean", word: "on" } }, { on }, "siren");
  expect(await inBoth(() => stateInWords(siren(true), { on: true }))).toEqual(["Siren on!", "Sirene an!"]);
  expect(await inBoth(() => stateInWords(siren(false), { on: false }))).toEqual(["Off", "Aus"]);
});

test("a value has as many digits as its device says, and what several are titled the same is distinguished", async () => {
  expect(await inBoth(() => valueInWords("power", 1234.5678, { precision: 1, unit: "W" }))).toEqual([
    "1,234.6 W",
    "1.234,6 W",
  ]);
  expect(valueInWords("level", 21, { precision: 2 })).toBe("21.00");
  for (const precision of [-1, 0.5, 1e9, Number.NaN]) expect(valueInWords("level", 21.25, { precision })).toBe("21.25");
  const title = "Board firmware";
  const one = described(
    { installed_version: { type: "string", title }, latest_version: { type: "string", title } },
    {},
  );
  expect([labelOf(one, "installed_version"), labelOf(one, "latest_version")]).toEqual([
    "Board firmware: installed version",
    "Board firmware: latest version",
  ]);
  expect(labelOf(described({ one: { title } }, {}), "one")).toBe("Board firmware");
});
