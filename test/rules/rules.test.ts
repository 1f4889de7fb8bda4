// What ships with the hub and what its documentation shows: every rule of it is read, checked and run.
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createRuleExpressions } from "../../src/rules/expressions.ts";
import { checkRuleFiles, formatFinding } from "../../src/rules/store/check.ts";
import { createRuleReader } from "../../src/rules/store/read-rule.ts";
import { vocabulary } from "../../src/rules/vocabulary.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { openRulesRig, toml } from "./store/rig.ts";

const root = resolve(import.meta.dir, "..", "..");
const examples = join(root, "rules", "examples");
const names = readdirSync(examples).sort();
const expressions = createRuleExpressions();
const reader = createRuleReader(expressions);

describe("examples", () => {
  for (const name of names) {
    test(`${name} is a rule, disabled, that says what it does and how to use it`, () => {
      const text = readFileSync(join(examples, name), "utf8");
      const { good, problems, warnings, lacksId } = reader.read(text, {
        file: name,
        id: "11111111-1111-4111-8111-111111111111",
      });
      expect({ problems, warnings, lacksId }).toEqual({ problems: [], warnings: [], lacksId: false });
      expect(good?.rule.enabled).toBe(false);
      expect(text).toMatch(/^(?:#|\/\/) .*\n(?:#|\/\/) To use it, copy it one folder up, into rules\/,.* set enabled/);
    });
  }

  test("all of them travel in the executable", () => {
    const assets = readFileSync(join(root, "src", "cli", "assets.ts"), "utf8");
    expect(names.filter((name) => !assets.includes(`path: "rules/examples/${name}"`))).toEqual([]);
  });

  test("the door that is open for ten minutes is told to the second, and every ten minutes", async () => {
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

  test("the temperature alert is told at once, and then an hour later", async () => {
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

describe("docs/rules.md", () => {
  const text = readFileSync(join(root, "docs", "rules.md"), "utf8");
  const blocks = [...text.matchAll(/^```(ron|toml)\n([\s\S]*?)^```$/gm)].map(([, language = "", code = ""]) => ({
    language,
    code,
  }));
  const inline = [...text.matchAll(/^\| `([a-z_]+)`.*\| `([A-Z].*)` +\|$/gm)].map(([, type = "", code = ""]) => ({
    type,
    code,
  }));
  const id = "11111111-1111-4111-8111-111111111111";

  test("every block is a rule of its language", () => {
    expect(blocks.length).toBeGreaterThanOrEqual(3);
    for (const { language, code } of blocks) {
      const { good, problems, format } = reader.read(code, { id });
      expect({ code, problems, format, good: good !== undefined }).toEqual({
        code,
        problems: [],
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

describe("webhooks", () => {
  const [first, second] = ["the first rule's secret", "the second rule's secret"];
  const hook = (name: string, secret: string): string => `(id: "${name}", name: "${name}",
    trigger: WebhookReceived(path: "bell", secret: "${secret}"), actions: [FireEvent(event_type: "rung")])`;
  const call = { path: "bell", method: "POST", query: { a: "1" }, body: { button: "front" } };

  test("of the rules on one path those fire whose secret was given", async () => {
    await using rig = await openRulesRig({ "a.ron": hook("a", first), "b.ron": hook("b", second) });
    expect(rig.rules.call({ ...call, secret: "neither" })).toBe(false);
    expect(rig.rules.call({ ...call, path: "other", secret: first })).toBe(false);
    expect(rig.rules.call({ ...call, secret: "" })).toBe(false);
    expect(rig.fired()).toEqual([]);
    expect(rig.rules.call({ ...call, secret: second })).toBe(true);
    expect(rig.fired()).toEqual(["b"]);
    rig.rules.putText("b", hook("b", first));
    expect(rig.rules.call({ ...call, secret: second })).toBe(false);
    expect(rig.rules.call({ ...call, secret: first })).toBe(true);
    expect(rig.fired()).toEqual(["b", "a", "b"]);
    rig.rules.remove("a");
    rig.rules.patch("b", { enabled: false });
    expect(rig.rules.call({ ...call, secret: first })).toBe(false);
  });

  test("no event, trace or log holds the secret, also where another rule waits for the call", async () => {
    const waiting = `(id: "w", name: "w", trigger: CustomEvent(event_type: "shout"), actions: [
      WaitForEvent(event_type: "webhook_received", fields: {"path": "bell"}, timeout_secs: 60), LogMessage(message: "came")])`;
    await using rig = await openRulesRig({ "a.ron": hook("a", first), "w.ron": waiting });
    await rig.shout();
    rig.rules.call({ ...call, secret: first });
    await rig.clock.advance(0);
    expect(rig.rules.traces("w")[0]?.actions.map(({ result }) => result)).toEqual(["ok", "ok"]);
    const [told] = rig.events.filter(({ type }) => type === "webhook_received");
    expect(told).toMatchObject(call);
    const everything = JSON.stringify([rig.events, rig.rules.traces("a"), rig.rules.traces("w"), rig.warnings]);
    expect(everything).not.toContain(first);
  });
});

describe("hub check", () => {
  test("tells every problem of every file with its place, and changes nothing", () => {
    using folder = createTemporaryFolder();
    const put = (name: string, code: string): void => writeFileSync(folder.at(name), code);
    const good = toml("A", { id: "a", action: 'type = "notify"\nchannel = "phone"\nmessage = "x"' });
    put("a.toml", good);
    put("b.toml", toml("B", { id: "a" }));
    put("c.ron", '(\n  name: "C",\n  trigger: Cronn(expression: "0 * * * * *"),\n  actions: [],\n)');
    put("d.toml", toml("D"));
    const { files, findings } = checkRuleFiles(folder.path, { exists: { channel: () => false }, expressions });
    expect(files).toBe(4);
    expect(
      findings.map(
        ({ file, line, column, warning }) => `${file.slice(folder.path.length + 1)}:${line}:${column} ${warning}`,
      ),
    ).toEqual(["a.toml:10:1 true", "b.toml:1:1 false", "c.ron:3:12 false"]);
    const told = findings.map(formatFinding);
    expect(told[0]).toContain('a.toml:10:1: warning: actions[0].channel: there is no channel "phone"');
    expect(told[2]).toContain('did you mean "cron"?');
    expect(told[2]).toContain("> 3 |");
    expect(readFileSync(folder.at("d.toml"), "utf8")).toBe(toml("D"));
  });

  test("a folder that is not there has no rules", () => {
    expect(checkRuleFiles("/nowhere/rules", { exists: {}, expressions })).toEqual({ files: 0, findings: [] });
  });
});
