// The rules that ship with the hub, and those in its documentation, are read, checked and run.
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readBlueprint } from "../../src/rules/blueprints/read-blueprint.ts";
import { shippedBlueprints } from "../../src/rules/blueprints/shipped.ts";
import { createRuleExpressions } from "../../src/rules/read/expressions.ts";
import { lint } from "../../src/rules/read/lint.ts";
import { ruleShape, vocabulary } from "../../src/rules/read/vocabulary.ts";
import { BlueprintFiles } from "../../src/rules/store/blueprint-files.ts";
import { createRuleReader } from "../../src/rules/store/read-rule.ts";
import { openRulesRig } from "./store/rig.ts";

const root = resolve(import.meta.dir, "..", "..");
const examples = join(root, "rules", "examples");
const names = readdirSync(examples).sort();
const expressions = createRuleExpressions();
const shape = ruleShape();
const shipped = new BlueprintFiles({
  ...{ folder: "", shape, checkExpression: expressions.check, onChange() {} },
  shipped: shippedBlueprints,
});
const reader = createRuleReader(expressions, shipped);

describe("examples", () => {
  for (const name of names) {
    test(`${name} is a disabled rule that says what it does and how to use it`, () => {
      const text = readFileSync(join(examples, name), "utf8");
      const { good, problems, warnings, lacksId } = reader.read(text, {
        file: name,
        id: "11111111-1111-4111-8111-111111111111",
      });
      expect({ problems, warnings, lacksId }).toEqual({ problems: [], warnings: [], lacksId: false });
      expect(good && lint(good.rule, {})).toEqual([]);
      expect(good?.rule.enabled).toBe(false);
      expect(text).toMatch(/^(?:#|\/\/) .*\n(?:#|\/\/) To use it, copy it one folder up, into rules\/,.* set enabled/);
    });
  }

  test("all of them travel in the executable", () => {
    const assets = readFileSync(join(root, "src", "app", "cli", "assets.ts"), "utf8");
    expect(names.filter((name) => !assets.includes(`path: "rules/examples/${name}"`))).toEqual([]);
  });

  test("a door that is open for ten minutes is reported to the second, and every ten minutes", async () => {
    const text = readFileSync(join(examples, "door-left-open.ron"), "utf8").replace("enabled: false", "enabled: true");
    await using rig = await openRulesRig({ "door.ron": text });
    const opened = rig.clock.now();
    rig.house.put("front_door", { attributes: { open: true }, lastChanged: { open: opened } });
    await rig.clock.advance(600_000 - 1);
    expect(rig.house.done.notifications).toEqual([]);
    await rig.clock.advance(1);
    expect(rig.house.done.notifications.map(({ channel, title }) => `${channel} ${title}`)).toEqual(["log Door"]);
    await rig.clock.advance(600_000 - 1);
    expect(rig.house.done.notifications).toHaveLength(1);
    await rig.clock.advance(1);
    expect(rig.house.done.notifications).toHaveLength(2);
    rig.house.put("front_door", { attributes: { open: false }, lastChanged: { open: rig.clock.now() } });
    await rig.clock.advance(3_600_000);
    expect(rig.house.done.notifications).toHaveLength(2);
  });

  test("the temperature alert comes at once, and again an hour later", async () => {
    const text = readFileSync(join(examples, "temperature-alert.ron"), "utf8").replace(
      "enabled: false",
      "enabled: true",
    );
    await using rig = await openRulesRig({ "warm.ron": text });
    const report = async (temperature: number): Promise<void> => {
      const device_id = "living_room_sensor";
      rig.house.put(device_id, { attributes: { temperature }, lastChanged: { temperature: rig.clock.now() } });
      const current = { temperature };
      rig.feed.emit({
        type: "device_state_changed",
        device_id,
        previous: {},
        current,
        changed: ["temperature"],
      } as never);
      await rig.clock.advance(0);
    };
    await report(28);
    expect(rig.house.done.notifications).toHaveLength(0);
    await report(28.5);
    expect(rig.house.done.notifications[0]).toMatchObject({
      message: "It is {{device.temperature}} °C in the living room",
    });
    expect(rig.house.done.notifications[0]?.context.deviceId).toBe("living_room_sensor");
    await rig.clock.advance(3_599_000);
    await report(30);
    expect(rig.house.done.notifications).toHaveLength(1);
    await rig.clock.advance(1000);
    await report(31);
    expect(rig.house.done.notifications).toHaveLength(2);
  });
});

describe("docs/rules.md and docs/rules/", () => {
  const pages = readdirSync(join(root, "docs", "rules")).map((name) => join("rules", name));
  const text = ["rules.md", ...pages].map((page) => readFileSync(join(root, "docs", page), "utf8")).join("\n");
  const blocks = [...text.matchAll(/^```(ron|toml)\n([\s\S]*?)^```$/gm)].map(([, language = "", code = ""]) => ({
    language,
    code,
  }));
  const inline = [...text.matchAll(/^\| `([a-z_]+)`.*\| `([A-Z].*)` +\|$/gm)].map(([, type = "", code = ""]) => ({
    type,
    code,
  }));
  const id = "11111111-1111-4111-8111-111111111111";
  const isBlueprint = (code: string): boolean => /^\[inputs\./m.test(code);

  test("every block with inputs is a blueprint", () => {
    const blueprints = blocks.filter(({ code }) => isBlueprint(code));
    expect(blueprints.length).toBeGreaterThan(0);
    for (const { language, code } of blueprints) {
      const reading = { shape, checkExpression: expressions.check, id: "own", file: `own.${language}` };
      const { problems } = readBlueprint(code, reading);
      expect({ code, problems }).toEqual({ code, problems: [] });
    }
  });

  test("every other block is a rule of its language", () => {
    expect(blocks.length).toBeGreaterThanOrEqual(3);
    for (const { language, code } of blocks.filter(({ code }) => !isBlueprint(code))) {
      const { good, problems, format } = reader.read(code, { id });
      const warnings = good && lint(good.rule, {});
      expect({ code, problems, warnings, format, good: good !== undefined }).toEqual({
        code,
        problems: [],
        warnings: [],
        format: language,
        good: true,
      } as never);
    }
  });

  test("every trigger, condition and action has its row with an example that is one", () => {
    const { triggers, conditions, actions } = vocabulary();
    const kinds = { triggers, conditions, actions };
    expect(inline.map(({ type }) => type).sort()).toEqual(
      Object.values(kinds)
        .flatMap((words) => words.map(({ type }) => type))
        .sort(),
    );
    for (const { type, code } of inline) {
      const kind = Object.entries(kinds).find(([, words]) => words.some((word) => word.type === type))?.[0];
      const { good, problems } = reader.read(`(name: "Example", ${kind}: [${code}])`, { id });
      expect({ code, problems }).toEqual({ code, problems: [] });
      const read = (good?.rule ?? {}) as Record<string, { type: string }[]>;
      expect(read[kind ?? ""]?.map((word) => word.type)).toEqual([type]);
    }
  });
});
