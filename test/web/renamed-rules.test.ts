// Rules about attributes that mean something else now: what is said of them, and which part of a line changes.
import "./browser.ts";
import { afterEach, beforeAll, expect, test } from "bun:test";
import { partsOf, renamedSentences } from "../../src/page/model/rules/renamed-words.ts";
import type { Trace } from "../../src/page/model/rules/rule.ts";
import { fromHub, loadLater, setLanguage } from "../../src/page/texts/index.ts";
import { outcomeWords } from "../../src/page/views/rules/words/rule-happened.ts";

beforeAll(loadLater);
afterEach(() => setLanguage("en"));

/** Without the marks that keep a name's direction. */
const plain = (text: string): string => text.replace(/[\u2068\u2069]/g, "");
const device = (device_name: string, from = "contact", to = "open") => ({
  ...{ device_id: device_name, device_name, from, to },
});
const said = (...devices: ReturnType<typeof device>[]): string[] => renamedSentences({ devices }).map(plain);

test("devices that changed alike are one sentence, and a long list is cut", async () => {
  expect(said(device("Front door"))).toEqual(["“contact” of Front door is “open” now"]);
  expect(said(device("Front door"), device("Front door", "voltage", "voltage_mv"), device("Back door"))).toEqual([
    "“contact” of Front door and Back door is “open” now",
    "“voltage” of Front door is “voltage_mv” now",
  ]);
  const many = ["a", "b", "c", "d", "e"].map((name) => device(name));
  expect(said(...many)).toEqual(["“contact” of a, b, c, and 2 more is “open” now"]);
  await setLanguage("de");
  expect(said(device("Haustür"))).toEqual(["„contact“ von Haustür heißt jetzt „open“"]);
  expect(said(...many)).toEqual(["„contact“ von a, b, c und 2 weiteren heißt jetzt „open“"]);
});

/** What changes in brackets. */
function shown(before: string, after: string): string[] {
  const parts = partsOf({ before, after });
  return [parts.before, parts.after].map((line) =>
    line.map(({ text, isChanged }) => (isChanged ? `[${text}]` : text)).join(""),
  );
}

test.each([
  ['    attribute: "contact",', '    attribute: "open",', ['attribute: "[contact]",', 'attribute: "[open]",']],
  ['attribute = "voltage"', 'attribute = "voltage_mv"', ['attribute = "[voltage]"', 'attribute = "[voltage_mv]"']],
  ["a.contact && b.contact", "a.open && b.open", ["a.[contact && b.contact]", "a.[open && b.open]"]],
  ["contact", "open", ["[contact]", "[open]"]],
])("of %s the names are marked whole", (before, after, expected) => {
  expect(shown(before, after)).toEqual(expected);
});

test("a rule that was held back is not said to have been paused", async () => {
  const trace: Trace = {
    ...{ id: "t", rule_id: "r", at: "2026-01-01T00:00:00Z", dry_run: false, outcome: "paused", conditions: [] },
    ...{ actions: [], ended_at: null, trigger: { type: "device_state_changed", label: "", context: {} } },
    why: 'what "contact" of front door meant is "open" now: turn the rule on the page or with `hub rules turn`, or say there that it is right as it is',
  };
  expect(plain(outcomeWords(trace))).toBe(
    "Did not run: “contact” of front door is “open” now, and nobody has decided yet what the rule means",
  );
  expect(outcomeWords({ ...trace, why: "it is paused until it is resumed" })).toBe("Did not run: it was paused");
  await setLanguage("de");
  expect(plain(outcomeWords(trace))).toBe(
    "Lief nicht: „contact“ von front door ist jetzt „open“, und niemand hat entschieden, was die Regel meint",
  );
});

const TWO = "make two of it by hand, one for each name, or say that it is right as it is";
const SPLIT = "Mach von Hand zwei Regeln daraus, eine für jeden Namen, oder sag, dass sie so richtig ist";

test.each([
  [
    `"contact" still means the same of mailbox, and "open" is right for the others only: ${TWO}`,
    `„contact“ bedeutet bei mailbox noch dasselbe, und „open“ passt nur für die anderen. ${SPLIT}`,
  ],
  [
    `"contact" still means the same of a, b, c, and 2 more, and "open" is right for the others only: ${TWO}`,
    `„contact“ bedeutet bei a, b, c und 2 weiteren noch dasselbe, und „open“ passt nur für die anderen. ${SPLIT}`,
  ],
  [
    `"pressure" is called pressure_kpa or pressure_own now, by device: ${TWO}`,
    `„pressure“ heißt jetzt je nach Gerät anders (pressure_kpa or pressure_own). ${SPLIT}`,
  ],
  [
    "doors.ron has problems: mend its text first, then it can be turned",
    "doors.ron hat Fehler. Beheb sie zuerst, dann lässt sich die Regel umstellen",
  ],
  [
    "it would have a problem then: no attribute; change it by hand",
    "Sie hätte dann einen Fehler (no attribute). Ändere sie von Hand",
  ],
  [
    "its text cannot be changed by itself: change it by hand",
    "Ihr Text lässt sich nicht von selbst ändern. Ändere sie von Hand",
  ],
  [
    '"contact" is written in it in a way that only a person can change: change it by hand',
    "„contact“ steht so darin, dass nur ein Mensch es ändern kann. Ändere sie von Hand",
  ],
  [
    '"contact" comes from the blueprint "door", and every rule that uses it has it from there: change it in rules/blueprints',
    "„contact“ kommt aus der Vorlage „door“, und jede ihrer Regeln hat es von dort. Ändere die Vorlage, in rules/blueprints",
  ],
  [
    "the rule uses no attribute that is called otherwise now: there is nothing to turn",
    "In der Regel ist nichts mehr umzustellen.",
  ],
])("why the hub does not change one is said in German: %s", async (sentence, german) => {
  expect(fromHub(sentence)).toBe(sentence);
  await setLanguage("de");
  expect(fromHub(sentence)).toBe(german);
});
