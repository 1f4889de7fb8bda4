// Every kind of trigger, condition and action is a sentence on the page, in each language: its own, or the first of what the hub says
// of it. And the page understands what the engine writes into traces.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { actions } from "../../src/rules/actions/index.ts";
import { conditions } from "../../src/rules/conditions/index.ts";
import { triggers } from "../../src/rules/triggers/index.ts";
import "./browser.ts";

type Words = (spec: object) => string | undefined;
interface Found {
  what: string;
  found: string;
  wanted: string;
}

const page = "../../src/page";
const LANGUAGES = ["en", "de"] as const;
let words: { whenOf: Words; ifOf: Words; doOf: Words };
let kindLabel: (type: string, words: readonly object[]) => string;
let textFor: (key: string) => string | undefined;
let foundIn: (trace: object) => Found;
let setLanguage: (language: string) => Promise<void>;

// By a computed name: the page is checked with the types of browsers, and this test is not.
beforeAll(async () => {
  const from = (path: string) => import(`${page}/${path}`);
  const { whenOf } = await from("views/rules/words/rule-triggers.ts");
  const { ifOf } = await from("views/rules/words/rule-conditions.ts");
  const { doOf } = await from("views/rules/words/rule-actions.ts");
  words = { whenOf, ifOf, doOf };
  ({ foundIn } = await from("views/rules/words/rule-found.ts"));
  ({ kindLabel } = await from("model/rules/rule-kinds.ts"));
  const texts = await from("texts/index.ts");
  ({ textFor } = texts);
  await texts.loadLater();
  setLanguage = texts.setLanguage;
});

async function expectWords(of: keyof typeof words, spec: object, english: string, german: string): Promise<void> {
  for (const [language, wanted] of [
    ["en", english],
    ["de", german],
  ] as const) {
    await setLanguage(language);
    expect((words[of](spec) ?? "").replace(/[\u2068\u2069]/g, "")).toBe(wanted);
  }
}

describe.each([...LANGUAGES])("in %s", (language) => {
  beforeAll(() => setLanguage(language));

  const all = [
    ...triggers.map((definition) => ({ ...definition, of: "whenOf" as const })),
    ...conditions.map((definition) => ({ ...definition, of: "ifOf" as const })),
    ...actions.map((definition) => ({ ...definition, of: "doOf" as const })),
  ].map(({ type, doc, example, of }) => ({ name: `${of} ${type}`, type, doc, example, of }));

  test.each(all)("$name", ({ type, doc, example, of }) => {
    const clause = words[of]({ type, ...example });
    const label = kindLabel(type, [{ type, doc }]);
    // A sentence of its own comes with a name in the guide, and that with the sentence.
    expect(textFor(`kind.${type}`) === undefined).toBe(clause === undefined);
    for (const said of [clause ?? label, label]) expect(said).not.toMatch(/\{\w+\}|undefined|NaN|\[object|^[a-z]+_|^$/);
    // What stands in for it is read in a list, and in the middle of the rule's sentence.
    if (clause === undefined) expect(label.length).toBeLessThan(90);
  });

  test("a kind without words is what the hub says of it", () => {
    expect(kindLabel("moon_phase", [{ type: "moon_phase", doc: "The moon is new. Or full." }])).toBe("The moon is new");
    expect(kindLabel("moon_phase", [])).toBe("moon phase");
  });
});

describe("devices by area, type and tag, and spans as text", () => {
  const state = { attribute: "motion", to: true };
  const rows: [of: "whenOf" | "ifOf" | "doOf", spec: object, english: string, german: string][] = [
    [
      "whenOf",
      { type: "device_state_changed", area: ["hall", "attic"], ...state, for_duration_secs: "1h30m" },
      "any device in hall or attic sees somebody and stays so for 1 hr 30 min",
      "irgendein Gerät im Bereich hall oder attic jemanden sieht und das 1 Std. 30 Min. so bleibt",
    ],
    [
      "doOf",
      { type: "set_device_state", device_type: "light", tag: "xmas", state: { on: false } },
      "every light with the tag xmas goes off",
      "jedes Licht mit der Marke xmas geht aus",
    ],
    ["doOf", { type: "delay", duration_secs: "5m" }, "wait 5 min", "5 Min. warten"],
    ["ifOf", { type: "some_new_kind" }, "", ""],
  ];
  test.each(rows)("%s %o", expectWords);
});

describe("what sensors say, in rules", () => {
  const DOOR = { contact: { type: "boolean", class: "door", inverted: true, readOnly: true } };
  const devices = {
    front: { ...DOOR, open: { type: "boolean", derived: true, of: "contact", word: "open" } },
    // What its source calls `contact` is open while it is true.
    odd: { contact: { type: "boolean", class: "door", readOnly: true } },
    alarm: {
      ...{ smoke: { type: "boolean", word: "smoke" }, carbon_monoxide: { type: "boolean", word: "carbon_monoxide" } },
      ...{ leak_alarm_1: { type: "boolean", word: "leak", part: "alarm_1" }, bolt: { type: "boolean", class: "lock" } },
    },
  };
  beforeAll(async () => {
    const { putDevice } = await import(`${page}/state/house/devices.ts`);
    for (const [id, properties] of Object.entries(devices))
      putDevice({ id, name: id, attributes: {}, last_changed: {}, schema: { properties }, capabilities: null });
  });
  afterAll(async () => {
    const { forgetHouse } = await import(`${page}/state/house/house.ts`);
    forgetHouse();
  });

  const when = (device_id: string | undefined, attribute: string, to: unknown, more: object = {}) => ({
    ...{ type: "device_state_changed", attribute, to },
    ...(device_id !== undefined && { device_id }),
    ...more,
  });
  const is = (device_id: string, attribute: string, value: unknown) => ({
    ...{ type: "device_state", device_id, attribute, value },
  });
  const rows: [of: "whenOf" | "ifOf", spec: object, english: string, german: string][] = [
    ["whenOf", when("front", "open", true), "front opens", "front aufgeht"],
    ["whenOf", when("front", "contact", false), "front opens", "front aufgeht"],
    ["whenOf", when("front", "contact", true), "front closes", "front zugeht"],
    ["whenOf", when("gone", "contact", false), "gone opens", "gone aufgeht"],
    ["whenOf", when(undefined, "contact", false), "any device opens", "irgendein Gerät aufgeht"],
    ["whenOf", when("odd", "contact", true), "odd opens", "odd aufgeht"],
    ["ifOf", is("front", "open", false), "front is closed", "front zu ist"],
    ["ifOf", is("front", "contact", true), "front is closed", "front zu ist"],
    [
      "whenOf",
      when("front", "open", false, { for_duration_secs: 300 }),
      "front closes and stays so for 5 min",
      "front zugeht und das 5 Min. so bleibt",
    ],
    ["whenOf", when("alarm", "smoke", true), "alarm reports smoke", "alarm Rauch meldet"],
    [
      "whenOf",
      when("alarm", "carbon_monoxide", false),
      "alarm no longer reports carbon monoxide",
      "alarm Kohlenmonoxid nicht mehr meldet",
    ],
    ["whenOf", when("alarm", "leak_alarm_1", true), "alarm (alarm 1) reports water", "alarm (Alarm 1) Wasser meldet"],
    ["whenOf", when("alarm", "bolt", true), "alarm is unlocked", "alarm aufgeschlossen wird"],
    ["ifOf", is("alarm", "smoke", false), "alarm does not report smoke", "alarm Rauch nicht meldet"],
  ];
  test.each(rows)("%s %o", expectWords);

  test("what was found is said in the same words", async () => {
    await setLanguage("en");
    const found = (expected: string, actual: unknown) => {
      const { what, ...values } = foundIn({ type: "device_state", expected, actual, passed: false });
      return [what.replace(/[\u2068\u2069]/g, ""), values.found, values.wanted];
    };
    expect(found("front.contact is true", false)).toEqual(["front", "open", "closed"]);
    expect(found("front.open is false", true)).toEqual(["front", "open", "closed"]);
    expect(found("alarm.smoke is false", true)).toEqual(["alarm", "“smoke”", "“no smoke”"]);
  });
});

describe("what a condition found", () => {
  beforeAll(() => setLanguage("en"));
  const plain = ({ what, found, wanted }: Found): Found => {
    const bare = (text: string): string => text.replace(/[\u2068\u2069]/g, "").replaceAll("\u00a0", " ");
    return { what: bare(what), found: bare(found), wanted: bare(wanted) };
  };

  // As their `evaluate` writes them.
  const rows: [type: string, expected: string, actual: unknown, Found][] = [
    ["device_state", "front.door.open is true", false, { what: "front.door", found: "closed", wanted: "open" }],
    [
      "device_state",
      "t.temperature is at least 21.5",
      19,
      { what: "temperature of t", found: "19", wanted: "at least 21.5" },
    ],
    ["device_state", 'm.state is not "on"', "on", { what: "state of m", found: "on", wanted: "not on" }],
    [
      "time_elapsed",
      "door.temperature unchanged for at least 600 s",
      "unchanged for 12.3 s",
      { what: "temperature of door", found: "unchanged for 12.3 sec", wanted: "at least 10 min" },
    ],
    ["mode_is", "mode night is on", "off", { what: "night", found: "off", wanted: "on" }],
    ["hub_variable", "variable guests is above 0", 0, { what: "the variable guests", found: "0", wanted: "above 0" }],
    ["sun", "the sun is below the horizon", "above the horizon", { what: "it", found: "light", wanted: "dark" }],
    [
      "time_window",
      "22:00–06:30:30 on mon, tue",
      "sun 14:05:00",
      { what: "it", found: "Sun 14:05:00", wanted: "22:00–06:30:30 (Mon, Tue)" },
    ],
  ];
  test.each(rows)("%s: %s", (type, expected, actual, found) => {
    expect(plain(foundIn({ type, expected, actual, passed: false }))).toEqual(found);
  });

  test("in words that are not known is shown as it is", () => {
    const found = plain(foundIn({ type: "moon_phase", expected: "full", actual: "new", passed: false }));
    expect(found).toEqual({ what: "moon phase", found: "new", wanted: "full" });
  });
});
