import { describe, expect, test } from "bun:test";
import { EVERYTHING, inTopics, LAMP, type Messages } from "./homie-messages.ts";
import { createRig } from "./rig.ts";

const ACCOUNT = "homie";
const CAR = "homie_super-car";

async function rigWith(
  messages: Messages,
  { kept = false, ...options }: Parameters<typeof createRig>[0] & { kept?: boolean } = {},
) {
  const rig = createRig(options);
  const receives = async (all: Messages, retain = false): Promise<void> => {
    for (const [topic, payload] of all) rig.publish(topic, payload, { account: ACCOUNT, retain });
    await rig.clock.advance(1000);
  };
  await receives(messages, kept);
  return {
    ...rig,
    receives,
    says: (topic: string, payload: string) => rig.publish(topic, payload, { account: ACCOUNT }),
    state: (id = CAR) => rig.registry.get(id).attributes,
    properties: (id = CAR) => rig.registry.get(id).details.schema?.properties as Record<string, object>,
    problems: () => rig.discovery.list().map(({ problem }) => problem),
    async command(wanted: object, id = CAR): Promise<string[]> {
      await rig.discovery.command(id, wanted as never);
      return rig.published.splice(0).map(({ topic, payload, qos, retain }) => `${topic} ${payload} ${qos}${retain}`);
    },
    [Symbol.dispose]: () => rig[Symbol.dispose](),
  };
}

const inJson = (description: object | string, { id = "all", state = "ready" } = {}): Messages => [
  [`homie/5/${id}/$state`, "init"],
  [`homie/5/${id}/$description`, typeof description === "string" ? description : JSON.stringify(description)],
  [`homie/5/${id}/$state`, state],
];

/** The same order for the same seed. */
function shuffled<T>(all: readonly T[], seed: number): T[] {
  let state = seed;
  const next = (): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state;
  };
  return all
    .map((one) => ({ one, at: next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);
}

describe("a lamp of version 4", () => {
  test("is there with its name, its values and the words of the house", async () => {
    using rig = await rigWith(inTopics("super-car", LAMP));
    rig.says("homie/super-car/light/power", "true");
    rig.says("homie/super-car/light/brightness", "40");
    rig.says("homie/super-car/light/color", "255,136,0");
    rig.says("homie/super-car/climate/temperature", "21.5");
    expect(rig.registry.get(CAR)).toMatchObject({
      name: "Super car",
      deviceType: "light",
      pluginId: ACCOUNT,
      available: true,
    });
    expect(rig.state()).toMatchObject({
      ...{ on: true, brightness_pct: 40, color: { r: 255, g: 136, b: 0 }, color_rgb: "#ff8800", temperature: 21.5 },
    });
    expect(rig.properties()).toMatchObject({
      on: { type: "boolean", word: "on", description: "Power" },
      brightness_pct: { minimum: 0, maximum: 100, unit: "%" },
      temperature: { unit: "°C", class: "temperature", readOnly: true },
      humidity: { class: "humidity" },
    });
  });

  test("is commanded on its set topics, retained never", async () => {
    using rig = await rigWith(inTopics("super-car", LAMP));
    expect(await rig.command({ on: true, brightness_pct: 40, color_rgb: "#ff8800" })).toEqual([
      "homie/super-car/light/power/set true 1false",
      "homie/super-car/light/brightness/set 40 1false",
      "homie/super-car/light/color/set 255,136,0 1false",
    ]);
  });

  test("refuses what it does not take, with what it does", async () => {
    using rig = await rigWith(inTopics("super-car", LAMP));
    for (const [wanted, message] of [
      [{ brightness_pct: 101 }, "brightness_pct: must be a whole number from 0 to 100"],
      [{ brightness_pct: 1.5 }, "brightness_pct: must be a whole number from 0 to 100"],
      [{ on: "yes" }, "on: must be true or false"],
      [{ temperature: 20 }, "temperature: the device only reports it"],
      [{ nothing: 1 }, "nothing: the device has no such attribute"],
      [{ color_rgb: "red" }, 'color_rgb: must be a colour such as "#ff8800"'],
    ] as const)
      await expect(rig.command(wanted)).rejects.toThrow(message);
  });

  test("goes as it says: lost, back, asleep, disconnected, however often", async () => {
    using rig = await rigWith(inTopics("super-car", LAMP));
    const available = (state: string): boolean => {
      rig.says("homie/super-car/$state", state);
      return rig.registry.get(CAR).available;
    };
    expect(["lost", "init", "ready", "sleeping", "disconnected", "alert", "what"].map(available)).toEqual([
      ...[false, false, true, true, false, true, true],
    ]);
    for (let at = 0; at < 2000; at++) rig.says("homie/super-car/$state", at % 2 === 0 ? "lost" : "ready");
    await rig.clock.advance(60_000);
    expect(rig.registry.get(CAR).available).toBe(true);
  });

  test("is gone when its topics are cleared, and the same one when it returns", async () => {
    using rig = await rigWith(inTopics("super-car", LAMP));
    await rig.receives(inTopics("super-car", LAMP).map(([topic]) => [topic, ""]));
    expect(rig.registry.get(CAR).available).toBe(false);
    await rig.receives(inTopics("super-car", { extra: { power: { datatype: "boolean", settable: "true" } }, ...LAMP }));
    rig.says("homie/super-car/light/power", "true");
    rig.says("homie/super-car/extra/power", "false");
    expect(rig.state()).toMatchObject({ on: true, on_2: false });
  });

  test("of another account is another's: its messages say nothing", async () => {
    using rig = await rigWith(inTopics("super-car", LAMP));
    rig.publish("homie/super-car/light/power", "true", { account: "other" });
    rig.publish("homie/super-car/$state", "lost", { account: "other" });
    expect(rig.state().on).toBeUndefined();
    expect(rig.registry.get(CAR).available).toBe(true);
  });

  test("waits for a person where the house asks", async () => {
    using rig = await rigWith(inTopics("super-car", LAMP), { discovery: { approve: "ask" } });
    const [entry] = rig.discovery.list();
    expect(entry).toMatchObject({ id: "homie:homie:homie/super-car", state: "waiting", name: "Super car" });
    rig.discovery.decide(entry?.id ?? "", "accepted");
    expect(rig.registry.get(CAR).name).toBe("Super car");
  });

  test("is taken back by empty retained messages when a person removes it", async () => {
    using rig = await rigWith(inTopics("super-car", LAMP));
    rig.registry.remove(CAR);
    const cleared = rig.published.filter(({ payload, retain }) => payload === "" && retain).map(({ topic }) => topic);
    expect(cleared).toContain("homie/super-car/$homie");
    expect(cleared).toContain("homie/super-car/light/power/$datatype");
    expect(cleared).toContain("homie/super-car/light/power");
  });
});

test("any order of what the broker has kept gives the same device", async () => {
  const kept = new Map(inTopics("super-car", LAMP, { more: { "$stats/battery": "80" } }));
  const seen: string[] = [];
  for (let seed = 0; seed < 60; seed++) {
    using rig = await rigWith(shuffled([...kept], seed + 1), { kept: true });
    const { name, deviceType, available, details } = rig.registry.get(CAR);
    seen.push(JSON.stringify({ name, deviceType, available, details }));
  }
  expect(new Set(seen).size).toBe(1);
});

test("an array of version 3 is a node each, and each has its name", async () => {
  using rig = await rigWith(
    inTopics(
      "super-car",
      { "lights[]": { intensity: { datatype: "integer", format: "0:100", unit: "%", settable: "true" } } },
      {
        version: "3.0.1",
        more: { "lights/$array": "0-1", "lights_0/$name": "Back", "lights_1/$name": "Front", "$stats/battery": "80" },
      },
    ),
  );
  rig.says("homie/super-car/lights_1/intensity", "70");
  rig.says("homie/super-car/$stats/battery", "79");
  expect(rig.state()).toMatchObject({ brightness_pct_lights_1: 70, battery: 79 });
  expect(await rig.command({ brightness_pct: 5 })).toEqual(["homie/super-car/lights_0/intensity/set 5 1false"]);
});

test("nodes with the same properties are distinguished by the node; what a node adds later changes no name", async () => {
  const room = { temperature: { datatype: "float", unit: "°C" } };
  using rig = await rigWith(inTopics("super-car", { kitchen: room }));
  await rig.receives(inTopics("super-car", { attic: room, kitchen: room }));
  rig.says("homie/super-car/kitchen/temperature", "20");
  rig.says("homie/super-car/attic/temperature", "30");
  expect(rig.state()).toMatchObject({ temperature: 20, attic_temperature: 30 });
});

describe("version 5", () => {
  test("every datatype is read and commanded", async () => {
    using rig = await rigWith(inJson(EVERYTHING));
    const id = "homie_all";
    const says = (place: string, text: string) => rig.says(`homie/5/all/${place}`, text);
    says("light/power", "true");
    says("light/brightness", "0.25");
    says("light/color", "xyz,0.64,0.33");
    says("light/effect", " slow");
    says("relay/state", "false");
    says("heater/setpoint", "21.5");
    says("heater/label", "\0");
    says("heater/until", "2026-11-27T18:30:00Z");
    says("heater/boost", "PT1H30M");
    says("heater/plan", '{"a":[1]}');
    says("engine-temp/value", "75");
    expect(rig.state(id)).toMatchObject({
      ...{
        on: true,
        brightness: 0.25,
        brightness_pct: 25,
        color: { x: 0.64, y: 0.33 },
        effect: " slow",
        on_relay: false,
      },
      ...{
        target_temperature: 21.5,
        label: "",
        until: "2026-11-27T18:30:00Z",
        boost: 5400,
        plan: { a: [1] },
        engine_temp: 75,
      },
    });
    for (const [place, text] of [
      ["light/power", "TRUE"],
      ["heater/setpoint", "NaN"],
      ["heater/plan", "7"],
      ["light/color", "rgb,1,2"],
    ])
      says(place ?? "", text ?? "");
    expect(rig.state(id)).toMatchObject({
      on: true,
      target_temperature: 21.5,
      plan: { a: [1] },
      color: { x: 0.64, y: 0.33 },
    });
    const to = async (wanted: object): Promise<string> =>
      (await rig.command(wanted, id))[0]?.replace("homie/5/all/", "") ?? "";
    expect(await to({ brightness_pct: 33 })).toBe("light/brightness/set 0.33 1false");
    expect(await to({ color: { r: 255, g: 0, b: 0 } })).toStartWith("light/color/set xyz,0.");
    expect(await to({ effect: " slow" })).toBe("light/effect/set  slow 1false");
    expect(await to({ target_temperature: 21.3 })).toBe("heater/setpoint/set 21.5 1false");
    expect(await to({ count: 5 })).toBe("heater/count/set 4 1false");
    expect(await to({ label: "" })).toBe("heater/label/set \0 1false");
    expect(await to({ boost: 3661 })).toBe("heater/boost/set PT1H1M1S 1false");
    expect(await to({ plan: [1] })).toBe("heater/plan/set [1] 1false");
    expect(await to({ brew: true })).toBe("remote/brew/set true 0false");
    for (const [wanted, message] of [
      [{ effect: "fast" }, "effect: must be one of none, party,  slow"],
      [{ open: -1 }, "open: must be a whole number of 0 or more"],
      [{ until: "soon" }, "until: must be a date and time such as"],
      [{ boost: "PT5M" }, "boost: must be a number of seconds"],
      [{ plan: 3 }, "plan: must be an object or a list"],
    ] as const)
      await expect(rig.command(wanted, id)).rejects.toThrow(message);
  });

  test("what is not retained is an action, each time", async () => {
    using rig = await rigWith(inJson(EVERYTHING));
    for (const key of ["up", "up", "sideways"]) rig.says("homie/5/all/remote/key", key);
    rig.says("homie/5/all/remote/brew", "true");
    expect(rig.actions.map(({ action }) => action)).toEqual(["remote_key_up", "remote_key_up", "remote_brew"]);
    expect(rig.properties("homie_all").action).toMatchObject({
      enum: ["remote_key_up", "remote_key_down", "remote_brew", "remote_brew_off"],
    });
    await rig.receives([["homie/5/all/remote/key", "down"]], true);
    expect(rig.actions).toHaveLength(3);
  });

  test("children are behind their parent, and lost with their root", async () => {
    const nodes = { s: { properties: { temperature: { datatype: "float", unit: "°C" } } } };
    const child = { homie: "5.0", version: 1, name: "Sensor", root: "bridge", nodes };
    using rig = await rigWith([
      ...inJson(child, { id: "sensor" }),
      ...inJson({ homie: "5.0", version: 1, name: "Bridge", children: ["sensor"] }, { id: "bridge" }),
    ]);
    expect(rig.registry.get("homie_sensor").details.parent_device_id ?? rig.registry.get("homie_sensor")).toBeDefined();
    expect(JSON.stringify(rig.registry.get("homie_sensor"))).toContain("homie_bridge");
    rig.says("homie/5/bridge/$state", "lost");
    expect(rig.registry.get("homie_sensor").available).toBe(false);
    rig.says("homie/5/bridge/$state", "ready");
    expect(rig.registry.get("homie_sensor").available).toBe(true);
  });

  test("alerts are a text, until they are solved", async () => {
    using rig = await rigWith(inJson(EVERYTHING));
    rig.says("homie/5/all/$alert/battery", "Battery is low");
    expect(rig.state("homie_all").device_alert).toBe("Battery is low");
    rig.says("homie/5/all/$alert/battery", "");
    expect(rig.state("homie_all").device_alert ?? null).toBeNull();
  });

  test("is gone with an empty state; new firmware of version 5 goes on as the device it was", async () => {
    using rig = await rigWith(inTopics("super-car", LAMP));
    await rig.receives(inJson({ ...EVERYTHING, nodes: { light: EVERYTHING.nodes.light } }, { id: "super-car" }));
    rig.says("homie/5/super-car/light/power", "true");
    expect(rig.state().on).toBe(true);
    expect([...rig.registry.list()]).toHaveLength(1);
    rig.says("homie/5/super-car/$state", "");
    expect(rig.registry.get(CAR).available).toBe(false);
  });

  test("any domain is found, unless the house names one", async () => {
    const elsewhere = inJson(EVERYTHING).map(([topic, text]) => [topic.replace("homie/", "ebus/"), text] as const);
    using rig = await rigWith(elsewhere);
    expect(rig.registry.get("ebus_all").available).toBe(true);
    using named = await rigWith(elsewhere, { discovery: { homie_base: "homie" } });
    expect([...named.registry.list()]).toHaveLength(0);
    const deep = inJson(EVERYTHING).map(([topic, text]) => [`my/house/${topic}`, text] as const);
    using below = await rigWith(deep, { discovery: { homie_base: "my/house/homie" } });
    expect(below.registry.get("my_house_homie_all").available).toBe(true);
  });
});

describe("bad input", () => {
  const manyOf = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, { datatype: "float" }]));

  test.each([
    [
      "5,000 properties",
      inJson({ ...EVERYTHING, nodes: { n: { properties: manyOf(5000) } } }),
      "it announces more than 1000 properties",
    ],
    [
      "5,000 properties in topics",
      inTopics("super-car", { n: manyOf(5000) }),
      "it announces more than 1000 properties",
    ],
    ["no JSON", inJson("{no"), "its $description must be a JSON object of at most 262144 bytes"],
    [
      "a description of 300 kB",
      inJson({ ...EVERYTHING, name: "x".repeat(300_000) }),
      "its $description must be a JSON object of at most 262144 bytes",
    ],
    [
      "another version",
      inTopics("super-car", LAMP, { version: "2.0.1" }),
      "it speaks Homie 2.0.1; the hub understands 3, 4 and 5",
    ],
    [
      "an id that is none",
      inJson(EVERYTHING, { id: "süß" }),
      'the device "süß" has no valid id: an id is 1 to 100 letters, digits, hyphens and underscores',
    ],
    [
      "an unknown datatype",
      inJson({ ...EVERYTHING, nodes: { n: { properties: { a: { datatype: "blob" }, b: { datatype: "float" } } } } }),
      'its property "n/a" has the datatype "blob", which is none',
    ],
    [
      "a property that never comes",
      inTopics("super-car", { ...LAMP, n: { ghost: {} } }),
      'its property "n/ghost" has no $datatype',
    ],
    [
      "a node that never comes",
      inTopics("super-car", LAMP, { more: { $nodes: "light,ghost" } }),
      'its node "ghost" has no $properties',
    ],
  ])("%s is said in the inbox, and the hub goes on", async (_, messages, problem) => {
    using rig = await rigWith(messages);
    expect(rig.problems()).toEqual([problem]);
    await rig.receives(inTopics("other", LAMP));
    expect(rig.registry.get("homie_other").available).toBe(true);
  });

  test("what else of a device is in order is taken", async () => {
    using rig = await rigWith(inTopics("super-car", { ...LAMP, n: { ghost: {} } }));
    rig.says("homie/super-car/light/power", "true");
    expect(rig.state().on).toBe(true);
  });

  test("a name of 10 kB and a format of 100 kB are cut, and mended when they are announced anew", async () => {
    const property = { datatype: "enum", name: "x".repeat(10_000), format: "a,".repeat(50_000), settable: true };
    using rig = await rigWith(
      inJson({ ...EVERYTHING, name: "y".repeat(10_000), nodes: { n: { properties: { mode: property } } } }),
    );
    expect(rig.registry.get("homie_all").name).toHaveLength(100);
    expect(JSON.stringify(rig.properties("homie_all")).length).toBeLessThan(1000);
    await rig.receives(
      inJson({ ...EVERYTHING, nodes: { n: { properties: { mode: { ...property, format: "eco,boost" } } } } }),
    );
    expect(rig.properties("homie_all").mode).toMatchObject({ enum: ["eco", "boost"] });
  });

  test("a topic that the account may not publish to itself is refused", async () => {
    using rig = await rigWith(inTopics("super-car", LAMP), { mayPublish: (topic) => !topic.includes("/light/") });
    expect(rig.problems()[0]).toContain("which it may not publish to itself");
    expect([...rig.registry.list()]).toHaveLength(0);
  });

  test("one account has 500 devices at most, and noise takes no room", async () => {
    const noise = Array.from({ length: 600 }, (_, at) => [`noise/n${at}/$any`, "1"] as const);
    const many = Array.from({ length: 501 }, (_, at) =>
      inJson({ ...EVERYTHING, nodes: { light: EVERYTHING.nodes.light } }, { id: `d${at}` }),
    ).flat();
    using rig = await rigWith([...noise, ...many]);
    expect([...rig.registry.list()]).toHaveLength(500);
    expect(rig.problems().filter(Boolean)).toEqual([
      "one account may announce 500 devices: give others an account of their own",
    ]);
  });
});
