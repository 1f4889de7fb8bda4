// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of blueprints look like those of JavaScript.
// What becomes of a blueprint and the inputs of a rule: typed values, texts, expressions, messages, and what is left out.
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Json } from "../../../src/kit/schema/json.ts";
import { writeRon } from "../../../src/rules/parse/ron/write.ts";
import { createRuleExpressions } from "../../../src/rules/read/expressions.ts";
import { examples } from "../../support/examples.ts";
import { createHouse } from "../support/host.ts";
import { readUse } from "./read.ts";

const INPUTS = `name = "Lamp"
[inputs.lamps]
type = "devices"
name = "Lamps"
[inputs.level]
type = "number"
name = "Level"
default = 40
[inputs.after]
type = "duration"
name = "After"
default = "1h30m"
[inputs.note]
type = "text"
name = "Note"
default = "-"
[inputs.maybe]
type = "text"
name = "Perhaps"
required = false
[inputs.told]
type = "message"
name = "Message"
default = "-"
[inputs.when]
type = "choice"
name = "When"
options = ["dark", "always"]
default = "always"
`;
const use = (inputs: string, more = ""): string =>
  `name = "Mine"\nuse = "lamp"\n${more}\n[inputs]\nlamps = ["a", "b"]\n${inputs}`;
const action = (fields: string): string => `${INPUTS}\n[[actions]]\n${fields}`;

function actionsOf(blueprint: string, rule: string): Json {
  const { good, problems } = readUse(blueprint, rule);
  expect(problems).toEqual([]);
  return (good?.rule.actions ?? []) as Json;
}

test("a value that is one placeholder takes the type of its input, and texts are put into texts", () => {
  const text = action(`type = "set_device_state"
device_ids = "\${lamps}"
state = { on = true, level = "\${level}", label = "\${level} % of \${rule.name}, $\${kept}" }
[[actions]]
type = "delay"
duration_secs = "\${after}"`);
  expect(actionsOf(text, use("level = 55.5"))).toMatchObject([
    { device_ids: ["a", "b"], state: { on: true, level: 55.5, label: "55.5 % of Mine, ${kept}" } },
    { duration_secs: 5400 },
  ]);
});

test("a table comes for each item, is left out without its input, and keys can be placeholders", () => {
  const text = action(`type = "set_device_state"
for_each_input = "lamps"
device_id = "\${lamps}"
state = { "\${when}" = true }
[[actions]]
type = "comment"
if_input = "maybe"
text = "\${maybe}"
[[actions]]
type = "comment"
unless_input = "maybe"
text = "none"
[[actions]]
type = "comment"
if_input = { when = "dark" }
text = "dark"`);
  expect(actionsOf(text, use(""))).toMatchObject([
    { device_id: "a", state: { always: true } },
    { device_id: "b", state: { always: true } },
    { text: "none" },
  ]);
  const others = actionsOf(text, use('maybe = "a note"\nwhen = "dark"')) as Json[];
  expect(others.slice(2)).toMatchObject([{ text: "a note" }, { text: "dark" }]);
});

test("what a rule says itself goes before the blueprint", () => {
  const text = `tags = ["light"]\nrun_mode = "queued"\n${action('type = "comment"\ntext = "x"')}`;
  const { good } = readUse(text, use("", 'enabled = false\ntags = ["own"]\npriority = 7'));
  expect(good?.rule).toMatchObject({ name: "Mine", enabled: false, tags: ["own"], priority: 7, run_mode: "queued" });
});

test("whatever a text holds, in an expression it is a text and never code", () => {
  const { evaluate } = createRuleExpressions();
  const text = action('type = "set_hub_variable"\nname = "x"\nexpression = "${note} + string(${level}) + ${lamps}[0]"');
  const anyText = fc.string({ unit: "binary", minLength: 1, maxLength: 40 }).filter((note) => note.isWellFormed());
  fc.assert(
    fc.property(fc.oneof(anyText, fc.constantFrom('"', "'", "\\", '" + mode("x") + "', "\n//", "${level}")), (note) => {
      const { good, problems } = readUse(text, writeRon({ name: "x", use: "lamp", inputs: { lamps: ["a"], note } }));
      expect(problems).toEqual([]);
      const expression = String(good?.rule.actions[0]?.expression);
      expect(evaluate(expression, createHouse(), { trigger: {}, vars: {} })).toBe(`${note}40a`);
    }),
    { numRuns: examples(200) },
  );
});

test("only a message may hold placeholders of messages", () => {
  const text = action('type = "notify"\nchannel = "log"\ntitle = "${note}!"\nmessage = "${told}"');
  expect(actionsOf(text, use('note = "{x}"\ntold = "{{device.name}} is on"'))).toMatchObject([
    { title: "{x}!", message: "{{device.name}} is on" },
  ]);
  const { problems } = readUse(text, use('note = "{{trigger.body}}"\ntold = "x"'));
  expect(problems.map(({ path, line }) => ({ path, line }))).toEqual([{ path: "inputs.note", line: 6 }]);
  const inside = action('type = "notify"\nchannel = "log"\nmessage = "{{devices.${note}.name}}"');
  expect(readUse(inside, use('note = "a}} {{trigger.body"')).problems[0]?.message).toMatch(/must not hold \{ or \}/);
});

test("problems of a rule stand at its inputs: wrong, unknown, missing, and what only the whole rule shows", () => {
  const text = action(
    'type = "fade_device"\ndevice_id = "x"\nattribute = "${when}"\nto = "${level}"\nduration_secs = "${after}"',
  );
  const problems = (inputs: string): string[] =>
    readUse(text, `name = "Mine"\nuse = "lamp"\n[inputs]\n${inputs}`).problems.map(
      ({ line, path, message }) => `${line} ${path} ${message}`,
    );
  expect(problems('lamps = ["a"]\nafter = "soon"\nlevle = 3\nwhen = "dusk"')).toEqual([
    '5 inputs.after must be a duration such as "5m" or "1h30m", or a number of seconds',
    '6 inputs.levle the blueprint has no input "levle" – did you mean "level"?',
    '7 inputs.when must be one of "dark", "always"',
  ]);
  expect(problems("level = 1")).toEqual(["3 inputs.lamps missing: Lamps"]);
  // Within what the input takes, and more than the action does.
  expect(problems('lamps = ["a"]\nafter = "300d"')).toEqual([
    '5 inputs.after must be a number of seconds from 0 to 86400, or a duration such as "5m" or "1h30m" (as actions[0].duration_secs of the blueprint "lamp")',
  ]);
  const own = readUse(text, use("", '[[actions]]\ntype = "comment"\ntext = "x"'));
  expect(own.problems[0]?.message).toMatch(/^comes from the blueprint "lamp": leave it out/);
});

test("a blueprint that would make megabytes of a few inputs is refused at once", () => {
  const bomb = action(`type = "comment"\ntext = "${"${note}".repeat(1000)}"`);
  const { problems } = readUse(bomb, use(`note = "${"x".repeat(2000)}"`));
  expect(problems[0]).toMatchObject({ path: "inputs" });
  expect(problems[0]?.message).toMatch(/more than a megabyte/);
});
