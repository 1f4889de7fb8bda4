// Rule files that people edit while the hub runs: what takes effect when, and what goes on meanwhile.
import { expect, test } from "bun:test";
import { chmodSync, copyFileSync, readdirSync, renameSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createRuleExpressions } from "../../../src/rules/read/expressions.ts";
import { checkRuleFiles } from "../../../src/rules/store/check.ts";
import { openRulesRig, toml } from "./rig.ts";

const ID = "11111111-1111-4111-8111-111111111111";
const OTHER = "22222222-2222-4222-8222-222222222222";
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test("files of both languages run; whatever else lies there does not", async () => {
  await using rig = await openRulesRig({
    "a.toml": toml("A", { id: ID }),
    "b.ron": `(id: "${OTHER}", name: "B", trigger: CustomEvent(event_type: "shout"), actions: [LogMessage(message: "🎉 21 °C")])`,
    "c.ron~": toml("C"),
    ".d.ron.swp": toml("D"),
    "notes.txt": "not a rule",
  });
  expect(rig.states()).toEqual(["A: enabled", "B: enabled"]);
  await rig.shout();
  expect(rig.fired()).toEqual([ID, OTHER]);
});

test("a change takes effect within a second, and the file's other rule state stays", async () => {
  await using rig = await openRulesRig({ "a.ron": toml("A", { id: ID, top: "cooldown_secs = 600" }) });
  await rig.shout();
  rig.put("a.ron", toml("A, renamed", { id: ID, top: "cooldown_secs = 600" }));
  await rig.look();
  expect(rig.states()).toEqual(["A, renamed: enabled"]);
  await rig.shout();
  expect(rig.fired()).toEqual([ID]);
  expect(rig.rules.get(ID).activity).toMatchObject({ fire_count: 1 });
  expect(rig.rules.traces(ID)[0]?.outcome).toBe("cooldown");
});

test("a hundred actions inside each other are read from both languages, written and run", async () => {
  const wrap = (start: string, end: string, inner: string): string => start.repeat(100) + inner + end.repeat(100);
  const ron = wrap("Parallel(actions: [", "])", 'LogMessage(message: "deep")');
  const tables = wrap('{ type = "parallel", actions = [', "] }", '{ type = "log_message", message = "deep" }');
  await using rig = await openRulesRig({
    "a.ron": `(id: "${ID}", name: "A", trigger: CustomEvent(event_type: "shout"), actions: [${ron}])`,
    "b.toml": `id = "${OTHER}"\nname = "B"\nactions = [${tables}]\n[trigger]\ntype = "custom_event"\nevent_type = "shout"\n`,
  });
  expect(rig.states()).toEqual(["A: enabled", "B: enabled"]);
  const { rule } = rig.rules.get(ID);
  const { id } = rig.rules.create({ ...rule, id: "", name: "C" } as never);
  await rig.shout();
  expect(rig.fired()).toEqual([ID, OTHER, id]);
  expect(JSON.stringify(rig.rules.traces(id)[0]?.actions).match(/"result":"ok"/g)).toHaveLength(101);
});

test("a rule that needs the sun gets a warning where the location of the house is not known", async () => {
  const sunset = 'trigger: SunEvent(event: "sunset"), conditions: [Sun(position: "down")]';
  await using rig = await openRulesRig({ "a.ron": `(id: "${ID}", name: "A", ${sunset}, actions: [Comment("x")])` });
  const warnings = (): string[] => rig.rules.get(ID).warnings.map(({ line, message }) => `${line}: ${message}`);
  const missing = "is not known without latitude and longitude in [location] of hub.toml";
  expect(warnings()).toEqual([`1: the sun's "sunset" ${missing}`, `1: the sun's "below_horizon" ${missing}`]);
  const findings = (known: boolean): number =>
    checkRuleFiles(rig.folder, { exists: { location: () => known }, expressions: createRuleExpressions() }).findings
      .length;
  expect([findings(false), findings(true)]).toEqual([2, 0]);
});

test("a saved file is logged, and one that is gone", async () => {
  await using rig = await openRulesRig({ "a.ron": toml("A", { id: ID }) });
  expect(rig.logged).toEqual([]);
  rig.put("a.ron", toml("A, mended", { id: ID }));
  await rig.look();
  rig.put("a.ron", `# the same rule\n${toml("A, mended", { id: ID })}`);
  await rig.look();
  rig.remove("a.ron");
  await rig.look();
  expect(rig.logged).toEqual(["a rule was loaded: a.ron", `a rule was removed: ${ID}`]);
});

test("a broken file keeps its last good version, and says what is wrong where", async () => {
  await using rig = await openRulesRig({ "a.ron": toml("A", { id: ID }) });
  rig.put("a.ron", toml("A", { id: ID }).replace('type = "custom_event"', 'type = "custom_evnt"'));
  await rig.look();
  const [listed] = rig.rules.list();
  expect(listed).toMatchObject({ id: ID, state: "broken", enabled: true, runningVersion: "last_good" });
  expect(listed?.problems[0]).toMatchObject({ path: "trigger.type", line: 5, column: expect.any(Number) });
  expect(listed?.problems[0]?.message).toContain('did you mean "custom_event"?');
  expect(listed?.problems[0]?.frame).toContain("> 5 | type");
  expect(rig.warnings.join("\n")).toContain("its last good version");
  await rig.shout();
  expect(rig.fired()).toEqual([ID]);
  rig.put("a.ron", toml("A is mended", { id: ID }));
  await rig.look();
  expect(rig.states()).toEqual(["A is mended: enabled"]);
  expect(rig.rules.problems()).toEqual([]);
});

test("after a start with a broken file the rule is listed, disabled, with the error", async () => {
  const broken = toml("A", { id: ID }).replace("[trigger]", "[trigger");
  await using rig = await openRulesRig({ "a.ron": broken, "b.ron": "(name: ", "empty.ron": "" });
  expect(
    rig.rules
      .list()
      .map(({ id, name, enabled, state, runningVersion }) => ({ id, name, enabled, state, runningVersion })),
  ).toEqual([
    { id: ID, name: "a.ron", enabled: false, state: "broken", runningVersion: "none" },
    { id: "b.ron", name: "b.ron", enabled: false, state: "broken", runningVersion: "none" },
    { id: "empty.ron", name: "empty.ron", enabled: false, state: "broken", runningVersion: "none" },
  ]);
  expect(rig.rules.get(ID).problems[0]).toMatchObject({ line: 4 });
  expect(rig.rules.traces(ID)).toEqual([]);
  await expect(rig.rules.run(ID)).rejects.toMatchObject({ code: "conflict" });
  expect(rig.rules.problems()).toHaveLength(3);
  expect(rig.read("a.ron")).toBe(broken);
  rig.put("a.ron", toml("A", { id: ID }));
  await rig.look();
  await rig.shout();
  expect(rig.fired()).toEqual([ID]);
});

test("a file half saved does not run half", async () => {
  await using rig = await openRulesRig({ "a.ron": toml("A", { id: ID }) });
  const next = toml("A", { id: ID, action: 'type = "set_device_state"\ndevice_id = "lamp"\nstate = { on = true }' });
  for (let length = 0; length <= next.length; length += 20) {
    rig.put("a.ron", next.slice(0, length));
    await rig.clock.advance(150);
  }
  rig.put("a.ron", next);
  expect(rig.rules.get(ID).problems).toEqual([]);
  await rig.look();
  expect(rig.rules.get(ID).rule?.actions[0]?.type).toBe("set_device_state");
});

test("a file that is deleted takes its rule along; one that is renamed does not", async () => {
  await using rig = await openRulesRig({ "a.ron": toml("A", { id: ID }), "b.ron": toml("B", { id: OTHER }) });
  await rig.shout();
  rig.remove("b.ron");
  renameSync(rig.at("a.ron"), rig.at("z.ron"));
  await rig.look();
  expect(rig.rules.list().map(({ id, file }) => ({ id, file }))).toEqual([{ id: ID, file: "z.ron" }]);
  expect(rig.rules.traces(ID)).toHaveLength(1);
  await rig.shout();
  expect(rig.fired()).toEqual([ID, OTHER, ID]);
});

test("empty and zero ids become UUIDs in the text, and nothing else is touched", async () => {
  const texts = {
    "absent.ron": '// Küche 🍳\r\n(\r\n    name: "A", // °C\r\n)\r\n',
    "empty.ron": toml("B"),
    "none.ron": '(id: None, name: "D", actions: [])',
    "zero.toml": toml("C", { id: "00000000-0000-0000-0000-000000000000" }),
  };
  await using rig = await openRulesRig(texts);
  const rules = rig.rules.list();
  expect(rules.map(({ state }) => state)).toEqual(["enabled", "enabled", "enabled", "enabled"]);
  expect(new Set(rules.map(({ id }) => id)).size).toBe(4);
  for (const { id, file } of rules) {
    expect(id).toMatch(UUID);
    expect(rig.read(file)).toContain(`"${id}"`);
  }
  const [absent, empty] = rules;
  expect(rig.read("empty.ron")).toBe(texts["empty.ron"].replace('id = ""', `id = "${empty?.id}"`));
  expect(rig.read("absent.ron").replace(/\s*id: "[^"]*",/, "")).toBe(texts["absent.ron"]);
  expect(rig.read("absent.ron")).toContain(absent?.id as string);
  await rig.restart();
  expect(rig.rules.list().map(({ id }) => id)).toEqual(rules.map(({ id }) => id));
});

test("who empties the id of a running rule keeps it", async () => {
  await using rig = await openRulesRig({ "a.ron": toml("A", { id: ID }) });
  rig.put("a.ron", toml("A, again"));
  await rig.look();
  expect(rig.rules.list().map(({ id, name }) => `${name} ${id}`)).toEqual([`A, again ${ID}`]);
  expect(rig.read("a.ron")).toContain(ID);
});

test("a file keeps its mode, and a link stays a link, when an id is written", async () => {
  await using rig = await openRulesRig();
  writeFileSync(rig.home.at("elsewhere.toml"), toml("Linked"));
  symlinkSync(rig.home.at("elsewhere.toml"), rig.at("link.toml"));
  rig.put("a.ron", toml("A"));
  chmodSync(rig.at("a.ron"), 0o664);
  await rig.look();
  expect(rig.states()).toEqual(["A: enabled", "Linked: enabled"]);
  expect(statSync(rig.at("a.ron")).mode & 0o777).toBe(0o664);
  expect(
    readdirSync(rig.folder, { withFileTypes: true })
      .find(({ name }) => name === "link.toml")
      ?.isSymbolicLink(),
  ).toBe(true);
  expect(rig.read("link.toml")).not.toContain('id = ""');
});

test("of two files with one id the first goes on, and the other one says so until it is changed", async () => {
  await using rig = await openRulesRig({ "b.ron": toml("B", { id: ID }) });
  copyFileSync(rig.at("b.ron"), rig.at("a.ron"));
  await rig.look();
  expect(rig.rules.list().map(({ id, file, state }) => ({ id, file, state }))).toEqual([
    { id: "a.ron", file: "a.ron", state: "broken" },
    { id: ID, file: "b.ron", state: "enabled" },
  ]);
  const [problem] = rig.rules.get("a.ron").problems;
  expect(problem?.message).toContain("a.ron has the id of b.ron");
  expect(problem).toMatchObject({ line: 1, column: 1 });
  await rig.shout();
  expect(rig.fired()).toEqual([ID]);
  rig.put("a.ron", toml("A", { id: OTHER }));
  await rig.look();
  expect(rig.states()).toEqual(["A: enabled", "B: enabled"]);
});

test("at a start the alphabetically first of two files has the id, and the other one inherits it", async () => {
  await using rig = await openRulesRig({ "b.ron": toml("B", { id: ID }), "a.ron": toml("A", { id: ID }) });
  expect(rig.states()).toEqual(["A: enabled", "b.ron: broken"]);
  rig.remove("a.ron");
  await rig.look();
  expect(rig.states()).toEqual(["B: enabled"]);
  await rig.shout();
  expect(rig.fired()).toEqual([ID]);
});

test("files that change their ids with each other", async () => {
  await using rig = await openRulesRig({ "a.ron": toml("A", { id: ID }), "b.ron": toml("B", { id: OTHER }) });
  rig.put("a.ron", toml("A", { id: OTHER }));
  rig.put("b.ron", toml("B", { id: ID }));
  await rig.look();
  expect(rig.rules.list().map(({ id, name, state }) => `${name} ${id} ${state}`)).toEqual([
    `A ${OTHER} enabled`,
    `B ${ID} enabled`,
  ]);
  await rig.shout();
  expect(rig.fired().sort()).toEqual([ID, OTHER]);
  rig.remove("a.ron");
  await rig.look();
  await rig.shout();
  expect(rig.fired().sort()).toEqual([ID, ID, OTHER]);
});

test("a file is put in the place of another one that is renamed away", async () => {
  await using rig = await openRulesRig({ "a.ron": toml("A", { id: ID }), "b.ron": toml("B", { id: OTHER }) });
  renameSync(rig.at("a.ron"), rig.at("c.ron"));
  renameSync(rig.at("b.ron"), rig.at("a.ron"));
  await rig.look();
  expect(rig.rules.list().map(({ id, file, state }) => `${file} ${id} ${state}`)).toEqual([
    `a.ron ${OTHER} enabled`,
    `c.ron ${ID} enabled`,
  ]);
  await rig.shout();
  expect(rig.fired().sort()).toEqual([ID, OTHER]);
});

test("what is no text is a problem with a place, and never written over", async () => {
  await using rig = await openRulesRig();
  writeFileSync(rig.at("latin.ron"), Buffer.from(toml("K\xfcche", { id: ID }), "latin1"));
  writeFileSync(rig.at("large.ron"), `# ${"x".repeat(1024 * 1024)}\n${toml("Large")}`);
  const before = statSync(rig.at("latin.ron"));
  await rig.look();
  const [large, latin] = rig.rules.list();
  expect(large?.problems[0]?.message).toContain("a megabyte at most");
  expect(latin?.problems[0]).toMatchObject({ line: 2, message: expect.stringContaining("save it again as UTF-8") });
  expect(statSync(rig.at("latin.ron")).mtimeMs).toBe(before.mtimeMs);
});

test("a folder that goes away for a while takes no rule along", async () => {
  await using rig = await openRulesRig({ "a.ron": toml("A", { id: ID }) });
  renameSync(rig.folder, rig.home.at("away"));
  await rig.clock.advance(5000);
  await rig.shout();
  expect(rig.fired()).toEqual([ID]);
  expect(rig.rules.problems()[0]?.message).toContain("cannot be read");
  renameSync(rig.home.at("away"), rig.folder);
  await rig.look();
  expect(rig.rules.problems()).toEqual([]);
});

test("a restart keeps what rules remember", async () => {
  await using rig = await openRulesRig({ "a.ron": toml("A", { id: ID, top: "cooldown_secs = 600" }) });
  await rig.shout();
  await rig.clock.advance(2000);
  await rig.restart(() => rig.clock.step(60_000));
  await rig.shout();
  expect(rig.fired()).toEqual([ID]);
  await rig.clock.advance(540_000);
  await rig.shout();
  expect(rig.fired()).toEqual([ID, ID]);
});

test("a missing device, scene, mode or channel is a warning with its place, which goes when it appears", async () => {
  const action = `type = "set_device_state"
device_id = "lamp"
state = { on = true }
[[actions]]
type = "activate_scene"
scene_id = "evening"
[[actions]]
type = "notify"
channel = "phone"
message = "hello"
[[actions]]
type = "conditional"
condition = 'mode("night") && device_state("lamp").on'
then_actions = []`;
  await using rig = await openRulesRig({ "a.toml": toml("A", { id: ID, action }) });
  const warned = (): string[] =>
    rig.rules.get(ID).warnings.map(({ line, message }) => `${line} ${message.split(";")[0]}`);
  expect(warned()).toEqual([
    '10 there is no device "lamp" at present',
    '14 there is no scene "evening" at present',
    '17 there is no channel "phone" at present',
    '21 there is no mode "night" at present',
  ]);
  expect(rig.states()).toEqual(["A: enabled"]);
  rig.house.put("lamp", {});
  rig.house.scenes.add("evening");
  rig.house.modes.set("night", false);
  expect(warned()).toEqual(['17 there is no channel "phone" at present']);
});
