// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of blueprints look like those of JavaScript.
// Blueprints in their folder while the hub runs: found, changed, broken, removed, and what their rules do then.
import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { openRulesRig, type RulesRig } from "../store/rig.ts";

const blueprint = (text: string): string => `name = "Shout"
[inputs.said]
type = "text"
name = "What to say"
[trigger]
type = "custom_event"
event_type = "shout"
[[actions]]
type = "log_message"
message = "${text}"
`;
const RULE = `# mine
name = "Mine"
use = "shout"

[inputs]
said = "hello" # to all
`;

async function openRig(): Promise<{ rig: RulesRig; put: (text: string) => void; at: string }> {
  const rig = await openRulesRig({ "mine.toml": RULE });
  mkdirSync(rig.at("blueprints"), { recursive: true });
  const at = rig.at("blueprints/shout.toml");
  return { rig, at, put: (text) => writeFileSync(at, text) };
}
const only = (rig: RulesRig) => {
  const [rule] = rig.rules.list();
  if (!rule) throw new Error("there is no rule");
  return rule;
};
const messageOf = (rig: RulesRig): unknown => only(rig).rule?.actions[0]?.message;

test("a changed blueprint changes its rules; a broken or removed one leaves them as they were, and says so", async () => {
  const { rig, put, at } = await openRig();
  await using _ = rig;
  expect(only(rig)).toMatchObject({ state: "broken", runningVersion: "none" });
  expect(only(rig).problems[0]).toMatchObject({ path: "use", line: 4 });
  put(blueprint("I say ${said}"));
  await rig.look();
  expect(only(rig)).toMatchObject({ state: "enabled", made: { use: "shout", inputs: { said: "hello" } } });
  const { id } = only(rig);
  expect(rig.rules.blueprints.get("shout").usedBy).toEqual([{ id, name: "Mine" }]);
  put(blueprint("Now I say ${said}"));
  await rig.look();
  expect(messageOf(rig)).toBe("Now I say hello");

  put(blueprint("${sayd}"));
  await rig.look();
  expect(only(rig)).toMatchObject({ id, state: "broken", runningVersion: "last_good" });
  expect(only(rig).problems[0]?.message).toMatch(
    /^the blueprint "shout" has problems \(line 10: .*did you mean "said"/,
  );
  expect(rig.rules.problems().map(({ file }) => file)).toEqual([rig.at("mine.toml"), at]);
  await rig.shout();
  expect(rig.fired()).toEqual([id]);

  rmSync(at);
  await rig.look();
  expect(only(rig).problems[0]?.message).toMatch(/^there is no blueprint "shout"/);
  await rig.shout();
  expect(rig.fired()).toEqual([id, id]);
  put(blueprint("${said}"));
  await rig.look();
  expect(only(rig)).toMatchObject({ state: "enabled", problems: [] });
});

test("the folder of the blueprints is no rule, and its files are none", async () => {
  const { rig, put } = await openRig();
  await using _ = rig;
  put(blueprint("${said}"));
  await rig.look();
  await rig.restart();
  expect(rig.states()).toEqual(["Mine: enabled"]);
  expect(rig.rules.blueprints.list().map(({ id, source }) => `${id} ${source}`)).toContain("shout own");
});

test("a rule made over the API is a file that uses the blueprint, and edits keep its comments", async () => {
  const { rig, put } = await openRig();
  await using _ = rig;
  put(blueprint("${said}"));
  await rig.look();
  const made = rig.rules.create({ name: "Made", use: "shout", inputs: { said: 'a "quoted" text' } });
  expect(made).toMatchObject({ state: "enabled", rule: { actions: [{ message: 'a "quoted" text' }] } });
  expect(rig.read(made.file)).not.toContain("log_message");
  const mine = rig.rules.list().find(({ name }) => name === "Mine");
  const edited = rig.rules.replace(mine?.id ?? "", { name: "Mine", use: "shout", inputs: { said: "goodbye" } });
  expect(edited.rule?.actions).toMatchObject([{ message: "goodbye" }]);
  expect(rig.read("mine.toml")).toMatch(/# mine[\s\S]*said = "goodbye" # to all/);
  rig.rules.patch(edited.id, { enabled: false });
  expect(rig.read("mine.toml")).toMatch(/enabled = false[\s\S]*\[inputs\]\nsaid = "goodbye" # to all/);
  expect(() => rig.rules.create({ name: "Wrong", use: "shout", inputs: { said: 3 } })).toThrow(
    "inputs.said: must be text",
  );
});

test("an own blueprint stands in front of the hub's own of that name, until it is removed", async () => {
  const { rig } = await openRig();
  await using _ = rig;
  const { blueprints } = rig.rules;
  expect(blueprints.get("motion-light")).toMatchObject({ source: "shipped", shadows: false });
  expect(() => blueprints.remove("motion-light")).toThrow("part of the hub");
  const { text, etag } = blueprints.text("motion-light");
  const mine = text.replace('default = "5m"', 'default = "9m"');
  expect(() => blueprints.putText("motion-light", mine, '"another"')).toThrow("was changed meanwhile");
  expect(blueprints.putText("motion-light", mine, etag)).toMatchObject({ source: "own", shadows: true });
  expect(readFileSync(rig.at("blueprints/motion-light.toml"), "utf8")).toBe(mine);
  expect(blueprints.get("motion-light").blueprint?.inputs.find(({ id }) => id === "off_after")?.default).toBe("9m");
  expect(() => blueprints.putText("motion-light", "name = 3")).toThrow("missing: its name");
  blueprints.remove("motion-light");
  expect(blueprints.get("motion-light")).toMatchObject({ source: "shipped" });
});

test("two files of one name, and a name that no rule could write, are said", async () => {
  const { rig } = await openRig();
  await using _ = rig;
  writeFileSync(rig.at("blueprints/shout.toml"), blueprint("${said}"));
  writeFileSync(rig.at("blueprints/shout.ron"), '(name: "Other")');
  writeFileSync(rig.at("blueprints/My Lamp.toml"), blueprint("${said}"));
  await rig.look();
  const said = rig.rules.blueprints.problems().map(({ file, message }) => `${file.split("/").at(-1)}: ${message}`);
  expect(said.sort()).toEqual([
    expect.stringMatching(/^My Lamp\.toml: the name of the file is what rules write/),
    expect.stringMatching(/^shout\.ron: must be a table with at least one input/),
    expect.stringMatching(/^shout\.toml: shout\.ron is the blueprint "shout" already/),
  ]);
});
