// What people change over the API, seen in the files: little of the text, never over somebody's work, in effect at once.
import { expect, test } from "bun:test";
import { chownSync, readdirSync, statSync, utimesSync } from "node:fs";
import type { HubError } from "../../../src/kit/schema/errors.ts";
import type { JsonObject } from "../../../src/kit/schema/json.ts";
import type { RuleInfo } from "../../../src/rules/store/describe.ts";
import { openRulesRig, type RulesRig, toml } from "./rig.ts";

const ID = "11111111-1111-4111-8111-111111111111";
const OTHER = "22222222-2222-4222-8222-222222222222";
const COMMENTED = `// Küche 🍳: when somebody shouts
Rule(
    id: "${ID}", // mine
    name: "Kitchen",
    enabled: true, /* really */
    tags: [
        "kitchen", // room
        "loud",
    ],
    // what sets it off
    trigger: CustomEvent(event_type: "shout"),
    actions: [LogMessage(message: "heard at 21 °C")],
)
// the end
`;
const received: JsonObject = {
  name: "Heard",
  trigger: { type: "custom_event", event_type: "shout" },
  actions: [{ type: "log_message", message: "heard" }],
};

function refusal(act: () => unknown): { code: string; message: string; problems: { line?: number; path?: string }[] } {
  try {
    act();
  } catch (error) {
    const { code, message, details } = error as HubError;
    return { code, message, problems: (details?.problems ?? []) as [] };
  }
  throw new Error("it was not refused");
}

/** Counts what the folder's poll makes of a change that was the hub's own. */
async function putsWhileLooking(rig: RulesRig): Promise<number> {
  const before = rig.events.length;
  await rig.clock.advance(3000);
  return rig.events.length - before;
}

test("a patch changes its places alone, at once, and the next look at the folder finds nothing new", async () => {
  await using rig = await openRulesRig({ "kitchen.ron": COMMENTED });
  const patched = rig.rules.patch(ID, { enabled: false, priority: 5, tags: ["kitchen", "quiet"], cooldown_secs: 60 });
  expect(patched).toMatchObject({ state: "disabled", priority: 5, tags: ["kitchen", "quiet"] });
  await rig.shout();
  expect(rig.fired()).toEqual([]);
  const text = rig.read("kitchen.ron");
  const expected = COMMENTED.replace("enabled: true", "enabled: false").replace('"loud"', '"quiet"');
  const added = text.split("\n").filter((line) => !expected.split("\n").includes(line));
  expect(added.map((line) => line.trim())).toEqual(["priority: 5,", "cooldown_secs: 60,"]);
  expect(
    text
      .split("\n")
      .filter((line) => !added.includes(line))
      .join("\n"),
  ).toBe(expected);
  expect(await putsWhileLooking(rig)).toBe(0);
  rig.rules.patch(ID, { enabled: true });
  await rig.shout();
  expect(rig.fired()).toEqual([ID]);
});

test("a patch that changes nothing writes nothing, and a wrong one is refused before it is written", async () => {
  await using rig = await openRulesRig({ "kitchen.ron": COMMENTED });
  utimesSync(rig.at("kitchen.ron"), 1000, 1000);
  rig.rules.patch(ID, { enabled: true });
  expect(refusal(() => rig.rules.patch(ID, { priority: 5e9 }))).toMatchObject({ code: "invalid" });
  expect(refusal(() => rig.rules.patch(ID, { name: "" })).problems[0]).toMatchObject({ path: "name", line: 4 });
  expect(refusal(() => rig.rules.patch(OTHER, { enabled: true })).code).toBe("not_found");
  expect(statSync(rig.at("kitchen.ron")).mtimeMs).toBe(1_000_000);
});

test("a patch works on what is in the file now, not on what was read last", async () => {
  await using rig = await openRulesRig({ "kitchen.ron": COMMENTED });
  rig.put("kitchen.ron", COMMENTED.replace("heard at 21 °C", "by hand, this very moment"));
  rig.rules.patch(ID, { priority: 7 });
  expect(rig.read("kitchen.ron")).toContain("by hand, this very moment");
  expect(rig.rules.get(ID).rule?.actions[0]).toMatchObject({ message: "by hand, this very moment" });
  rig.put("kitchen.ron", COMMENTED.replace("actions", "acts"));
  expect(refusal(() => rig.rules.patch(ID, { priority: 8 }))).toMatchObject({
    code: "conflict",
    message: expect.stringContaining("kitchen.ron has problems (line 12:"),
  });
  expect(rig.read("kitchen.ron")).toContain("acts");
  rig.remove("kitchen.ron");
  expect(refusal(() => rig.rules.patch(ID, { priority: 8 })).code).toBe("not_found");
});

test("a new rule gets a file of its own, named after it, over nobody's", async () => {
  await using rig = await openRulesRig({ "heard.ron": toml("Somebody's", { id: ID }), "heard_2.ron": "broken" });
  const { id, state, file } = rig.rules.create(received);
  expect({ state, file }).toEqual({ state: "enabled", file: "heard_3.ron" });
  expect(rig.read("heard_3.ron")).toBe(`(
    id: "${id}",
    name: "Heard",
    trigger: CustomEvent(event_type: "shout"),
    actions: [
        LogMessage(message: "heard"),
    ],
)
`);
  expect(statSync(rig.at("heard_3.ron")).mode & 0o777).toBe(0o600);
  expect(rig.read("heard.ron")).toBe(toml("Somebody's", { id: ID }));
  await rig.shout();
  expect(rig.fired().sort()).toEqual([ID, id].sort());
  expect(refusal(() => rig.rules.create({ ...received, id }))).toMatchObject({ code: "conflict" });
  expect(rig.rules.create({ ...received, name: "家".repeat(200) }).file).toBe(`${"家".repeat(40)}.ron`);
  expect(rig.rules.create({ ...received, name: "🎉" }).file).toMatch(/^[0-9a-f_]{36}\.ron$/);
  expect(rig.rules.create({ ...received, name: "../../etc/passwd" }).file).toBe("etc_passwd.ron");
});

test("what is no rule is refused with every problem, and no file is made", async () => {
  await using rig = await openRulesRig();
  const { code, problems } = refusal(() =>
    rig.rules.create({
      name: "X",
      trigger: { type: "crn" },
      actions: [{ type: "notify", channel: "log" }],
      priorty: 1,
    }),
  );
  expect(code).toBe("invalid");
  expect(problems.map(({ path }) => path).sort()).toEqual(["actions[0].message", "priorty", "trigger.type"]);
  expect(refusal(() => rig.rules.create({ ...received, id: "a/b" })).code).toBe("invalid");
  expect(refusal(() => rig.rules.create({ ...received, variables: { far: Number.POSITIVE_INFINITY } })).code).toBe(
    "invalid",
  );
  expect(rig.files()).toEqual([]);
});

test("replacing keeps the file, and the comments of what stays", async () => {
  await using rig = await openRulesRig({ "kitchen.ron": COMMENTED, "b.toml": `# mine\n${toml("B", { id: OTHER })}` });
  const rule = rig.rules.get(ID).rule as JsonObject;
  rig.rules.replace(ID, { ...rule, name: "Küche", tags: [] });
  expect(rig.read("kitchen.ron")).toContain("/* really */");
  expect(rig.rules.get(ID)).toMatchObject({ name: "Küche", tags: [] });
  rig.rules.replace(ID, { ...rule, actions: [{ type: "comment", text: "nothing" }] });
  expect(rig.read("kitchen.ron")).toContain("// what sets it off");
  expect(rig.read("kitchen.ron")).not.toContain("heard at");
  expect(rig.rules.get(ID)).toMatchObject({ file: "kitchen.ron", format: "ron" });

  rig.rules.replace(OTHER, { ...received, cooldown_secs: 5 });
  expect(rig.rules.get(OTHER)).toMatchObject({ file: "b.toml", format: "toml", name: "Heard" });
  expect(rig.read("b.toml")).toContain("cooldown_secs = 5");
  expect(rig.read("b.toml")).toContain(`id = "${OTHER}"`);
  // TOML has no word for nothing.
  rig.rules.replace(OTHER, { ...received, variables: { nothing: null } });
  expect(rig.rules.get(OTHER)).toMatchObject({ file: "b.toml", format: "ron", state: "enabled" });
  expect(refusal(() => rig.rules.replace(OTHER, { ...received, id: ID })).code).toBe("conflict");
  await rig.restart();
  expect(rig.states()).toEqual(["Heard: enabled", "Kitchen: enabled"]);
});

test("a text is taken as it is, or refused with the place and nothing written", async () => {
  await using rig = await openRulesRig({ "kitchen.ron": COMMENTED });
  const { text, etag } = rig.rules.text(ID);
  expect(text).toBe(COMMENTED);
  const { code, problems } = refusal(() => rig.rules.putText(ID, COMMENTED.replace("LogMessage", "LogMessge")));
  expect(code).toBe("invalid");
  expect(problems[0]).toMatchObject({ line: 12, column: expect.any(Number), frame: expect.stringContaining("> 12 |") });
  expect(rig.read("kitchen.ron")).toBe(COMMENTED);
  const edited = COMMENTED.replace("Kitchen", "Kitchen, edited").replaceAll("\n", "\r\n");
  const answer = rig.rules.putText(ID, edited, etag);
  expect(rig.read("kitchen.ron")).toBe(edited);
  expect(answer).toMatchObject({ name: "Kitchen, edited", text: edited, etag: rig.rules.text(ID).etag });
  expect(await putsWhileLooking(rig)).toBe(0);
});

test("a text that was changed meanwhile is not written over", async () => {
  await using rig = await openRulesRig({ "kitchen.ron": COMMENTED });
  const { etag } = rig.rules.text(ID);
  const byHand = COMMENTED.replace("Kitchen", "By hand");
  rig.put("kitchen.ron", byHand);
  expect(refusal(() => rig.rules.putText(ID, COMMENTED, etag))).toMatchObject({ code: "conflict" });
  expect(rig.read("kitchen.ron")).toBe(byHand);
  rig.rules.putText(ID, COMMENTED, rig.rules.text(ID).etag);
  rig.rules.putText(ID, byHand, "*");
  rig.rules.putText(ID, COMMENTED);
  expect(rig.states()).toEqual(["Kitchen: enabled"]);
});

test("a broken file is mended through its text, and so is one with another's id", async () => {
  await using rig = await openRulesRig({
    "a.ron": toml("A", { id: ID }),
    "b.ron": toml("B", { id: ID }),
    "c.ron": "(",
  });
  expect(refusal(() => rig.rules.putText("b.ron", toml("B", { id: ID }))).code).toBe("conflict");
  expect(rig.rules.putText("b.ron", toml("B", { id: OTHER }))).toMatchObject({ id: OTHER, state: "enabled" });
  const mended = rig.rules.putText("c.ron", toml("C"));
  expect(mended.id).toMatch(/^[0-9a-f-]{36}$/);
  expect(rig.read("c.ron")).toContain(mended.id);
  // A running rule keeps its id where the text leaves it out.
  expect(rig.rules.putText(OTHER, toml("B again")).id).toBe(OTHER);
  expect(rig.states()).toEqual(["A: enabled", "B again: enabled", "C: enabled"]);
});

test("a removed rule ends at once, and its file lies in the trash", async () => {
  await using rig = await openRulesRig({ "kitchen.ron": COMMENTED, "b.ron": toml("B", { id: OTHER }) });
  rig.rules.remove(ID);
  await rig.shout();
  expect(rig.fired()).toEqual([OTHER]);
  expect(rig.files()).toEqual(["b.ron"]);
  const trash = readdirSync(rig.at(".trash"));
  expect(trash).toEqual(["20260115T120000000Z-kitchen.ron"]);
  expect(rig.read(`.trash/${trash[0]}`)).toBe(COMMENTED);
  expect(refusal(() => rig.rules.remove(ID)).code).toBe("not_found");
  for (let index = 0; index < 205; index++) rig.rules.remove(rig.rules.create({ ...received, name: `R ${index}` }).id);
  expect(readdirSync(rig.at(".trash"))).toHaveLength(200);
  expect(await putsWhileLooking(rig)).toBe(0);
  expect(rig.states()).toEqual(["B: enabled"]);
});

test("a file into which nothing can be written runs with an id that stays, and a warning", async () => {
  // The temporary file beside it would have a name that is too long for any file system.
  const file = `${"x".repeat(246)}.toml`;
  await using rig = await openRulesRig({ [file]: toml("A") });
  const [{ id, state, warnings }] = rig.rules.list() as [RuleInfo];
  expect(state).toBe("enabled");
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect(warnings[0]?.message).toContain("ENAMETOOLONG");
  expect(rig.read(file)).toBe(toml("A"));
  expect(refusal(() => rig.rules.patch(id, { enabled: false })).code).toBe("storage");
  await rig.shout();
  await rig.restart();
  await rig.shout();
  expect(rig.fired()).toEqual([id, id]);
});

test("a file keeps its owner, where the hub may give files away", async () => {
  await using rig = await openRulesRig({ "kitchen.ron": COMMENTED });
  if (process.getuid?.() === 0) chownSync(rig.at("kitchen.ron"), 1234, 2345);
  const { uid, gid } = statSync(rig.at("kitchen.ron"));
  rig.rules.patch(ID, { priority: 9 });
  expect(rig.read("kitchen.ron")).toContain("priority: 9");
  expect(statSync(rig.at("kitchen.ron"))).toMatchObject({ uid, gid });
});
