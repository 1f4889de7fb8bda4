// Rules from before an attribute got another name: they are found in whatever way they say it, held back, turned in their own text, or
// said to be right.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { RenamedName, RenamedNames } from "../../../src/rules/store/renamed/renamed-rules.ts";
import { openRulesRig, type RulesRig } from "./rig.ts";

// Two door sensors (Aqara MCCGQ11LM, VSmart HS-SEDR00ZB-VNM), and a switch of a plugin that has a `contact` of its own.
const FRONT = "0x00158d0001a2b3c4";
const BACK = "0xc77988cf21dc11c0";
const OWN = "mailbox";
const ID = "11111111-1111-4111-8111-111111111111";

/** As the registry reports it. */
function createNames(): RenamedNames & { rename(deviceId: string, from: string, to: string): void } {
  const known: RenamedName[] = [];
  const listeners = new Set<(one: RenamedName) => void>();
  return {
    list: () => known,
    of: (device, name) => known.find(({ deviceId, from }) => deviceId === device && from === name),
    onAdded(_, listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    rename(deviceId, from, to) {
      const one = { deviceId, from, to };
      known.push(one);
      for (const listener of listeners) listener(one);
    },
  };
}

let rig: RulesRig;
let names: ReturnType<typeof createNames>;
beforeEach(async () => {
  names = createNames();
  rig = await openRulesRig({}, { renamed: names, names: { idOf, onChanged: () => ({ [Symbol.dispose]() {} }) } });
  rig.house.put(FRONT, {
    name: "Front door",
    area: "hall",
    tags: ["outside"],
    attributes: { contact: false, open: true },
  });
  rig.house.put(BACK, { name: "Back door", area: "hall", attributes: { contact: true, open: false } });
  rig.house.put(OWN, { name: "Mailbox", area: "garden", attributes: { contact: true } });
  // The rows of renamed attributes belong to those of their devices.
  using db = new (await import("bun:sqlite")).Database(rig.home.at("state.redb"));
  for (const id of [FRONT, BACK, OWN])
    db.query("INSERT INTO devices (id, plugin_id, name, details, created_at) VALUES (?, 'z2m', ?, '{}', 0)").run(
      id,
      id,
    );
  for (const id of [FRONT, BACK])
    db.query("INSERT INTO renamed_attributes VALUES (?, 'contact', 'open', 0, 0)").run(id);
});
afterEach(() => rig[Symbol.asyncDispose]());

function idOf(name: string): string | undefined {
  return { "Front door": FRONT, front_door: FRONT }[name];
}

async function loaded(file: string, text: string): Promise<void> {
  rig.put(file, text);
  await rig.look();
}

const ofFront = (): void => names.rename(FRONT, "contact", "open");
const listed = () => rig.rules.renamed.list();
const open = (device: string, isOpen: boolean) =>
  rig.feed.emit({
    type: "device_state_changed",
    device_id: device,
    previous: { contact: isOpen, open: !isOpen },
    current: { contact: !isOpen, open: isOpen },
    changed: ["contact", "open"],
  });

const RON = `// When the front door opens. Its contact is what counts.
(
    id: "${ID}", name: "contact of the front door",
    trigger: DeviceStateChanged(device_id: "${FRONT}", attribute: "contact", to: true), // contact!
    conditions: [
        DeviceState(device_id: "${OWN}", attribute: "contact", op: Eq, value: true),
        Expression(expression: "device_state(\\"${FRONT}\\").contact == true && device_state('${OWN}')['contact'] && vars.contact != 'contact'"),
    ],
    variables: {"contact": "x"},
    actions: [
        LogMessage(message: "contact: {{device.contact}}, {{devices.${FRONT}.contact}}, {{devices.${OWN}.contact}}, {{= device_state('${FRONT}')[\\"contact\\"] }}"),
    ],
)
`;

test("a rule in RON: only what is an attribute of that device gets the other name, every other character stays", async () => {
  await loaded("door.ron", RON);
  ofFront();
  expect(listed()).toEqual([
    {
      ...{ id: ID, name: "contact of the front door", file: "door.ron", whyNot: undefined },
      devices: [{ deviceId: FRONT, deviceName: "Front door", from: "contact", to: "open" }],
    },
  ]);
  const { changes } = rig.rules.renamed.turn(ID);
  expect(changes.map(({ line }) => line)).toEqual([4, 7, 11]);
  expect(rig.read("door.ron")).toBe(RON);
  rig.rules.rename(ID);
  expect(rig.read("door.ron")).toBe(
    RON.replace('attribute: "contact", to', 'attribute: "open", to')
      .replace('\\").contact ==', '\\").open ==')
      .replace("{{device.contact}}", "{{device.open}}")
      .replace(`{{devices.${FRONT}.contact}}`, `{{devices.${FRONT}.open}}`)
      .replace('[\\"contact\\"]', '[\\"open\\"]'),
  );
  expect(listed()).toEqual([]);
  expect(() => rig.rules.renamed.turn(ID)).toThrow("nothing to turn");
});

test("it does not fire until somebody has decided, says why, and fires as it was meant once it is turned", async () => {
  await loaded(
    "door.ron",
    `(id: "${ID}", name: "Door", trigger: DeviceStateChanged(device_id: "${FRONT}", attribute: "contact", to: true), actions: [])`,
  );
  ofFront();
  open(FRONT, false);
  await rig.clock.advance(0);
  expect(rig.fired()).toEqual([]);
  expect(rig.rules.traces(ID)[0]).toMatchObject({
    outcome: "paused",
    why: expect.stringContaining('what "contact" of Front door meant is "open" now: turn the rule'),
  });
  rig.rules.rename(ID);
  open(FRONT, true);
  await rig.clock.advance(0);
  expect(rig.fired()).toEqual([ID]);
  open(FRONT, false);
  await rig.clock.advance(0);
  expect(rig.fired()).toEqual([ID]);
});

test("one that is right as it is is no longer listed, fires, and that outlives a restart", async () => {
  await loaded(
    "door.ron",
    `(id: "${ID}", name: "Door", trigger: DeviceStateChanged(device_id: "${FRONT}", attribute: "contact", to: true), actions: [])`,
  );
  ofFront();
  expect(rig.rules.renamed.waiting()).toHaveLength(1);
  rig.rules.renamed.dismiss(ID);
  expect([listed(), rig.rules.renamed.waiting()]).toEqual([[], []]);
  open(FRONT, false);
  await rig.clock.advance(0);
  expect(rig.fired()).toEqual([ID]);
  await rig.restart();
  expect(listed()).toEqual([]);
  expect(() => rig.rules.renamed.dismiss("nobody")).toThrow("no rule");
});

test("a rule that was listed is so after a restart; one that is written later means what the attribute means then", async () => {
  const text = (id: string, name: string): string =>
    `(id: "${id}", name: "${name}", trigger: DeviceStateChanged(device_id: "${FRONT}", attribute: "contact"), actions: [])`;
  await loaded("before.ron", text(ID, "Before"));
  ofFront();
  expect(listed()).toHaveLength(1);
  await loaded("after.ron", text("22222222-2222-4222-8222-222222222222", "After"));
  expect(listed().map(({ name }) => name)).toEqual(["Before"]);
  await rig.restart();
  expect(listed().map(({ name }) => name)).toEqual(["Before"]);
  rig.remove("before.ron");
  await rig.look();
  expect(listed()).toEqual([]);
});

test("while the rules are being read, nobody can say which name the attribute", async () => {
  await loaded("door.ron", RON);
  const renamed = [{ deviceId: FRONT, from: "contact", to: "open" }];
  let refusal: unknown;
  await rig.restart(undefined, (rules) => {
    try {
      rules.renamed.plan(renamed);
    } catch (error) {
      refusal = error;
    }
  });
  expect(refusal).toMatchObject({ code: "unavailable" });
  expect(rig.rules.renamed.plan(renamed)).toHaveLength(1);
});

test("what happened while no rule was loaded yet is found at the start", async () => {
  await rig.restart(() => {
    rig.put(
      "door.ron",
      `(id: "${ID}", name: "Door", trigger: DeviceStateChanged(device_id: "${FRONT}", attribute: "contact"), actions: [])`,
    );
    ofFront();
  });
  expect(listed()).toHaveLength(1);
});

const MANUAL = "trigger: ManualTrigger()";
test.each([
  [
    "in RON",
    "ron",
    `(id: "${ID}", name: "Shut", ${MANUAL}, actions: [
    SetDeviceState(device_id: "${FRONT}", state: { "contact": true, "contact_2": 1 }), // contact
    SetDeviceStatePerMode(device_id: "${FRONT}", states: { "night": {"contact": false} }, default: {"contact" : true}),
    SetDeviceState(device_id: "${OWN}", state: {"contact": true}),
])`,
  ],
  [
    "in a table of TOML",
    "toml",
    `id = "${ID}"
name = "Shut"
trigger = { type = "manual_trigger" }
[[actions]]
type = "set_device_state"
device_id = "${FRONT}"
state = { contact_2 = 1, "contact" = true }
[[actions]]
type = "set_device_state_per_mode"
device_id = "${FRONT}"
[actions.states.night]
contact = false
`,
  ],
])("the keys of a wanted state are turned, %s", async (_, ending, text) => {
  await loaded(`shut.${ending}`, text);
  expect(rig.rules.problems()).toEqual([]);
  ofFront();
  rig.rules.rename(ID);
  const turned = text
    .split("\n")
    .map((line) => (line.includes(OWN) ? line : line.replaceAll(/\bcontact("?\s*[:=])/g, "open$1")))
    .join("\n");
  expect(turned).not.toBe(text);
  expect(rig.read(`shut.${ending}`)).toBe(turned);
});

test("the key of a wanted state that is written in a way of its own is named, and stays", async () => {
  const text = `id = "${ID}"
name = "Shut"
trigger = { type = "manual_trigger" }
[[actions]]
type = "set_device_state"
device_id = "${FRONT}"
state."con\\u0074act" = true
`;
  await loaded("shut.toml", text);
  ofFront();
  expect(listed()[0]?.whyNot).toContain("change it by hand");
  expect(rig.read("shut.toml")).toBe(text);
});

test("the address of a picture is turned", async () => {
  const text = `(id: "${ID}", name: "Bell", ${MANUAL}, actions: [
    Notify(channel: "log", message: "contact", image: "device:${FRONT}/contact"),
    Notify(channel: "log", message: "contact", image: "device:${OWN}/contact"),
])`;
  await loaded("bell.ron", text);
  ofFront();
  rig.rules.rename(ID);
  expect(rig.read("bell.ron")).toBe(text.replace(`${FRONT}/contact`, `${FRONT}/open`));
});

const TOML = `id = "${ID}"
name = "Doors"

[[triggers]] # contact
type = "device_state_changed"
device_ids = ["${FRONT}", '${BACK}']
attribute = 'contact'
to = false

[[conditions]]
type = "expression"
expression = """
trigger.attribute == "contact" && trigger.value == false
  && devices("hall").exists(door, door["contact"]) // the contact
"""

[[actions]]
type = "log_message"
message = "{{trigger.attribute}}"
`;

describe("several devices", () => {
  test("of which all are called otherwise: in TOML, with expressions over several lines", async () => {
    await loaded("doors.toml", TOML);
    ofFront();
    names.rename(BACK, "contact", "open");
    rig.house.remove(OWN);
    expect(listed()[0]?.devices.map(({ deviceName }) => deviceName)).toEqual(["Front door", "Back door"]);
    rig.rules.rename(ID);
    expect(rig.read("doors.toml")).toBe(
      TOML.replace("attribute = 'contact'", "attribute = 'open'")
        .replace('== "contact"', '== "open"')
        .replace('["contact"]', '["open"]'),
    );
  });

  test("of which one is not: a person has to decide, and learns which", async () => {
    await loaded(
      "doors.ron",
      `(id: "${ID}", name: "Doors", trigger: DeviceStateChanged(device_ids: ["${FRONT}", "${OWN}"], attribute: "contact"), actions: [])`,
    );
    ofFront();
    const [rule] = listed();
    expect(rule?.devices.map(({ deviceId }) => deviceId)).toEqual([FRONT]);
    expect(rule?.whyNot).toBe(
      '"contact" still means the same of Mailbox, and "open" is right for the others only: make two of it by hand, one for each name, or say that it is right as it is',
    );
    expect(() => rig.rules.rename(ID)).toThrow("still means the same of Mailbox");
  });

  test.each([
    ["by area", 'area: "hall"'],
    ["by tag", 'tag: "outside"'],
    ["any", ""],
  ])("that are found %s", async (_, selector) => {
    rig.house.remove(OWN);
    await loaded(
      "doors.ron",
      `(id: "${ID}", name: "Doors", trigger: DeviceStateChanged(${selector}${selector ? ", " : ""}attribute: "contact", to: true), actions: [])`,
    );
    ofFront();
    names.rename(BACK, "contact", "open");
    rig.rules.rename(ID);
    expect(rig.read("doors.ron")).toContain('attribute: "open", to: true');
  });
});

test("a voltage that is in mV under another name", async () => {
  await loaded(
    "low.ron",
    `(id: "${ID}", name: "Low", trigger: NumericThreshold(device_id: "${FRONT}", attribute: "contact", below: 2500), actions: [])`,
  );
  names.rename(FRONT, "contact", "contact_mv");
  rig.rules.rename(ID);
  expect(rig.read("low.ron")).toContain('attribute: "contact_mv", below: 2500');
});

describe("blueprints", () => {
  const BLUEPRINT = `name = "Told"
[inputs.door]
type = "device"
name = "Door"
[inputs.what]
type = "text"
name = "What"
[trigger]
type = "device_state_changed"
device_id = "\${door}"
attribute = "\${what}"
[[actions]]
type = "log_message"
message = "x"
`;
  const use = (inputs: string): string => `id = "${ID}"\nname = "Told"\nuse = "told"\n\n[inputs]\n${inputs}`;

  async function withBlueprint(blueprint: string, text: string): Promise<void> {
    await rig.restart(() => {
      require("node:fs").mkdirSync(rig.at("blueprints"), { recursive: true });
      rig.put("blueprints/told.toml", blueprint);
      rig.put("told.toml", text);
    });
    expect([rig.rules.problems(), rig.states()]).toEqual([[], ["Told: enabled"]]);
    ofFront();
  }

  test("an input with the attribute is turned", async () => {
    const text = use(`door = "${FRONT}"\nwhat = "contact" # the contact\n`);
    await withBlueprint(BLUEPRINT, text);
    rig.rules.rename(ID);
    expect(rig.read("told.toml")).toBe(text.replace('what = "contact"', 'what = "open"'));
  });

  test("what a blueprint of the hub says means what it says", async () => {
    await rig.restart(() => {
      rig.put("left-open.toml", use(`doors = ["${FRONT}"]\n`).replace("told", "door-left-open"));
    });
    ofFront();
    expect([rig.states(), listed()]).toEqual([["Told: enabled"], []]);
  });

  test("what the blueprint itself says is changed there, by a person", async () => {
    const fixed = BLUEPRINT.replace('[inputs.what]\ntype = "text"\nname = "What"\n', "").replace(
      /\$\{what\}/,
      "contact",
    );
    await withBlueprint(fixed, use(`door = "${FRONT}"\n`));
    expect(listed()[0]?.whyNot).toContain('"contact" comes from the blueprint "told"');
  });
});

test("a rule of homeCore's, which calls the device by its name and is written in Rhai", async () => {
  const text = `Rule(
  id: "${ID}", name: "Front", enabled: true, priority: 0, tags: [], cooldown_secs: None,
  trigger: DeviceStateChanged(device_id: "Front door", attribute: Some("contact"), to: Some(true)),
  conditions: [ScriptExpression(script: "device_state(\\"Front door\\")[\\"contact\\"] == true")],
  actions: [RuleAction(enabled: true, action: LogMessage(message: "contact"))],
)
`;
  await loaded("front.ron", text);
  expect(rig.states()).toEqual(["Front: enabled"]);
  ofFront();
  expect(listed()[0]?.whyNot).toBeUndefined();
  rig.rules.rename(ID);
  expect(rig.read("front.ron")).toBe(
    text.replace('Some("contact")', 'Some("open")').replace('[\\"contact\\"]', '[\\"open\\"]'),
  );
});

describe("what cannot be turned now", () => {
  const text = `(id: "${ID}", name: "Door", trigger: DeviceStateChanged(device_id: "${FRONT}", attribute: "contact"), actions: [])`;

  test("a file with problems, until it is mended; what ran before goes on to be held back", async () => {
    await loaded("door.ron", text);
    await loaded("door.ron", text.replace("actions: []", "actions: [Nothing()]"));
    ofFront();
    expect(listed()[0]?.whyNot).toBe("door.ron has problems: mend its text first, then it can be turned");
    await loaded("door.ron", text);
    expect(listed()[0]?.whyNot).toBeUndefined();
  });

  test("a file that was never right is found when it is", async () => {
    await loaded("door.ron", text.replace("actions: []", "actions: [Nothing()]"));
    ofFront();
    expect(listed()).toEqual([]);
    await loaded("door.ron", text);
    expect(listed()).toHaveLength(1);
  });

  test("a text that was changed at this very moment is read again", async () => {
    await loaded("door.ron", text);
    ofFront();
    expect(listed()).toHaveLength(1);
    rig.put("door.ron", `// mine\n${text}`);
    expect(() => rig.rules.rename(ID)).toThrow("was changed meanwhile");
    rig.rules.rename(ID);
    expect(rig.read("door.ron")).toStartWith("// mine\n");
  });
});
