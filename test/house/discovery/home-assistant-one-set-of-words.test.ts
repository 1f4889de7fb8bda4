// What Home Assistant's announcements say beyond values: where covers without a position are, dates and times, passwords, and what
// people see of attributes and devices.
import { describe, expect, test } from "bun:test";
import { createCommands } from "../../../src/house/state/commands/commands.ts";
import { passwordsOf } from "../../../src/house/state/passwords.ts";
import { createRig } from "./rig.ts";

type Rig = ReturnType<typeof createRig>;

async function announced(component: string, config: object, device: object = {}): Promise<Rig> {
  const rig = createRig();
  const block = { identifiers: ["abc"], name: "Thing", ...device };
  rig.publish(
    `homeassistant/${component}/x/config`,
    { unique_id: "x1", device: block, ...config },
    {
      account: "esp",
    },
  );
  await rig.clock.advance(1000);
  expect(rig.discovery.list().map(({ problem }) => problem)).toEqual([null]);
  return rig;
}

const say = (rig: Rig, payload: unknown, topic = "k") => rig.publish(topic, payload, { account: "esp" });
const attributes = (rig: Rig) => rig.registry.get("abc").attributes;
const properties = (rig: Rig) =>
  (rig.registry.get("abc").details.schema as { properties: Record<string, object> }).properties;

async function sent(rig: Rig, wanted: object): Promise<string[]> {
  await rig.discovery.command("abc", wanted as never);
  return rig.sent().map(({ payload }) => (typeof payload === "string" ? payload : JSON.stringify(payload)));
}

const refusal = (rig: Rig, wanted: object): Promise<string> =>
  rig.discovery.command("abc", wanted as never).then(
    () => "taken",
    ({ message }) => message,
  );

/** As the API checks and sends it. */
function commandsOf(rig: Rig) {
  return createCommands({
    registry: rig.registry,
    clock: rig.clock,
    random: (length) => new Uint8Array(length).fill(7),
    emit: (event) => rig.events.push(event),
    dispatch: (id, { _hc, ...wanted }) => rig.discovery.command(id, wanted),
    reaches: () => true,
    watch: { expect: () => new Promise(() => {}), forget() {}, sent() {} } as never,
    prepare: () => () => {},
  });
}

const ACTOR = { kind: "user", id: "1", name: "ann" };

describe("a cover without a position", () => {
  const CONFIG = { command_topic: "k/set", state_topic: "k" };

  test("is at its ends by what it says, and is sent there", async () => {
    using rig = await announced("cover", CONFIG);
    const known = (payload: string) => {
      say(rig, payload);
      return attributes(rig);
    };
    expect(known("open")).toMatchObject({ position: 100, moving: "stopped" });
    expect(known("closing")).toMatchObject({ position: 100, moving: "closing" });
    expect(known("closed")).toMatchObject({ position: 0, moving: "stopped" });
    expect(known("opening")).toMatchObject({ position: 0, moving: "opening" });
    expect(known("stopped")).toMatchObject({ position: 100 });
    expect(await sent(rig, { position: 100 })).toEqual(["OPEN"]);
    expect(await sent(rig, { position: 0 })).toEqual(["CLOSE"]);
    expect(await refusal(rig, { position: 50 })).toBe(
      "position: must be 0 (closed) or 100 (open): it knows nothing between",
    );
    expect(properties(rig).position).toMatchObject({ minimum: 0, maximum: 100, multipleOf: 100, word: "position" });
  });

  test("that says when it is closed is nowhere known when it stops on its way down", async () => {
    using rig = await announced("cover", CONFIG);
    for (const payload of ["closed", "open", "closing", "stopped"]) say(rig, payload);
    expect(attributes(rig)).not.toHaveProperty("position");
  });

  test("that only says that it stopped has come to its end", async () => {
    using rig = await announced("cover", CONFIG);
    for (const payload of ["closing", "stopped"]) say(rig, payload);
    expect(attributes(rig)).toMatchObject({ position: 0 });
  });

  test("that says nothing is where it was sent, whichever way it was commanded", async () => {
    using rig = await announced("cover", { command_topic: "k/set" });
    await sent(rig, { command: "open" });
    expect(attributes(rig)).toMatchObject({ position: 100 });
    await sent(rig, { position: 0 });
    expect(attributes(rig)).toMatchObject({ position: 0 });
    await sent(rig, { command: "stop" });
    expect(attributes(rig)).not.toHaveProperty("position");
    await sent(rig, { state: "CLOSE" });
    expect(attributes(rig)).toMatchObject({ position: 0 });
  });

  test("lists what it can be commanded, and takes what it says, too", async () => {
    using rig = await announced("cover", { ...CONFIG, state_open: "auf", state_closed: "zu", state_opening: "steigt" });
    expect(properties(rig).state).toMatchObject({ enum: ["OPEN", "CLOSE", "STOP"], reported: ["auf", "steigt", "zu"] });
    const { send } = commandsOf(rig);
    for (const state of ["OPEN", "open", "auf", "close", "zu"]) await send("abc", { state }, ACTOR);
    expect(rig.sent().map(({ payload }) => payload)).toEqual(["OPEN", "OPEN", "OPEN", "CLOSE", "CLOSE"]);
    expect(await send("abc", { state: "steigt" }, ACTOR).catch(({ message }) => message)).toContain(
      "must be one of OPEN, CLOSE, STOP",
    );
    say(rig, "steigt");
    expect(attributes(rig)).toMatchObject({ state: "steigt", moving: "opening" });
  });
});

describe("a valve", () => {
  test("without a position is open or closed", async () => {
    using rig = await announced("valve", { command_topic: "k/set", state_topic: "k" });
    say(rig, "open");
    expect(attributes(rig)).toMatchObject({ on: true, position: 100, moving: "stopped" });
    expect(await sent(rig, { position: 0 })).toEqual(["CLOSE"]);
    expect(await sent(rig, { on: true })).toEqual(["OPEN"]);
  });

  test("with one is on while it is not closed", async () => {
    using rig = await announced("valve", { command_topic: "k/set", state_topic: "k", reports_position: true });
    say(rig, "30");
    expect(attributes(rig)).toMatchObject({ on: true, position: 30 });
  });
});

interface Moment {
  component: string;
  format: string;
  taken: [given: string, sent: string][];
  refused: unknown[];
  error: string;
  says: [payload: string, known: string][];
}

const MOMENTS: readonly Moment[] = [
  {
    component: "date",
    format: "date",
    taken: [["2028-02-29", "2028-02-29"]],
    refused: ["2026-02-29", "29.02.2028", "tomorrow", 20280229],
    error: 'must be a date such as "2026-11-27"',
    says: [["2026-11-27", "2026-11-27"]],
  },
  {
    component: "time",
    format: "time",
    taken: [
      ["06:30", "06:30:00"],
      ["23:59:59", "23:59:59"],
    ],
    refused: ["24:00", "6:30", "06:30:61", true],
    error: 'must be a time of day such as "06:30" or "06:30:00"',
    says: [["06:30", "06:30:00"]],
  },
  {
    component: "datetime",
    format: "date-time",
    taken: [
      ["2026-11-27T06:30:00+01:00", "2026-11-27T06:30:00+01:00"],
      ["2026-11-27T05:30Z", "2026-11-27T05:30:00+00:00"],
    ],
    refused: ["2026-11-27T06:30:00", "2026-11-27", "2026-11-31T06:30:00Z"],
    error: "must be a date and a time with its zone",
    says: [
      ["2026-11-27 06:30:00+01:00", "2026-11-27T06:30:00+01:00"],
      ["soon", "soon"],
    ],
  },
];

describe("what is set to a moment", () => {
  test.each(MOMENTS.map((one) => [one.component, one] as const))(
    "%s",
    async (component, { format, taken, refused, error, says }) => {
      using rig = await announced(component, { command_topic: "k/set", state_topic: "k" });
      const [name = ""] = Object.keys(properties(rig));
      expect(properties(rig)[name]).toMatchObject({ type: "string", format });
      for (const [given, wire] of taken) expect(await sent(rig, { [name]: given })).toEqual([wire]);
      for (const given of refused) expect(await refusal(rig, { [name]: given })).toContain(`${name}: ${error}`);
      for (const [payload, known] of says) {
        say(rig, payload);
        expect(attributes(rig)[name]).toBe(known);
      }
    },
  );

  test("without a zone of its own is in the one that was announced", async () => {
    using rig = await announced("datetime", { command_topic: "k/set", state_topic: "k", timezone: "Europe/Vienna" });
    say(rig, "2026-07-01T12:00:00");
    expect(Object.values(attributes(rig))).toEqual(["2026-07-01T10:00:00+00:00"]);
  });

  test("sensors say which kind of moment they are", async () => {
    using rig = await announced("sensor", { state_topic: "k", device_class: "timestamp" });
    say(rig, "2026-11-27T06:30:00+01:00");
    expect(properties(rig).timestamp).toMatchObject({ format: "date-time", readOnly: true });
    expect(attributes(rig)).toMatchObject({ timestamp: "2026-11-27T06:30:00+01:00" });
  });
});

describe("a password", () => {
  const CONFIG = {
    ...{ command_topic: "k/set", state_topic: "k", value_template: "{{ value_json.wifi }}" },
    ...{ mode: "password", min: 3 },
  };

  test("goes to the device and is kept nowhere", async () => {
    using rig = await announced("text", CONFIG);
    say(rig, { wifi: "hunter22" });
    const { send } = commandsOf(rig);
    await send("abc", { wifi: "hunter23" }, ACTOR);
    expect(rig.sent().map(({ payload }) => payload)).toEqual(["hunter23"]);
    expect(properties(rig).wifi).toMatchObject({ format: "password", writeOnly: true, minLength: 3, maxLength: 255 });
    expect(JSON.stringify([rig.events, attributes(rig)])).not.toContain("hunter");
    expect(rig.events.at(-1)).toMatchObject({ type: "device_command_sent", command: { wifi: "•••" } });
    expect(passwordsOf(rig.registry.list())).toEqual(new Set(["wifi"]));
    expect(await refusal(rig, { wifi: "ab" })).toBe("wifi: must be a text of 3 to 255 characters");
  });

  test("that was known before it was announced as one is forgotten", async () => {
    using rig = await announced("text", { ...CONFIG, mode: "text" });
    say(rig, { wifi: "hunter22" });
    expect(attributes(rig)).toMatchObject({ wifi: "hunter22" });
    rig.publish(
      "homeassistant/text/x/config",
      { unique_id: "x1", device: { identifiers: ["abc"] }, ...CONFIG },
      {
        account: "esp",
      },
    );
    await rig.clock.advance(1000);
    say(rig, { wifi: "hunter22" });
    expect(attributes(rig)).not.toHaveProperty("wifi");
  });
});

test("what is said of an attribute for people is in its schema", async () => {
  using rig = await announced("sensor", {
    ...{ state_topic: "k", device_class: "energy", unit_of_measurement: "kWh", state_class: "total_increasing" },
    ...{ suggested_display_precision: 2, icon: "mdi:flash", entity_category: "diagnostic", name: "Meter" },
  });
  expect(properties(rig).energy).toMatchObject({
    ...{ precision: 2, state_class: "total_increasing", icon: "mdi:flash", category: "diagnostic" },
    description: "Meter",
  });
});

test("what makes no sense for people is left out", async () => {
  using rig = await announced(
    "sensor",
    { state_topic: "k", state_class: "sometimes", suggested_display_precision: -1, icon: "<b>" },
    { configuration_url: "javascript:alert(1)", connections: ["mac", ["mac"], ["mac", 5]], serial_number: {} },
  );
  const [property = {}] = Object.values(properties(rig));
  for (const key of ["state_class", "precision", "icon"]) expect(property).not.toHaveProperty(key);
  expect(Object.keys(rig.registry.get("abc").details)).toEqual(["schema"]);
});

test("an update has a title, its own or that of its messages", async () => {
  using rig = await announced("update", { state_topic: "k", title: "Firmware" });
  say(rig, { installed_version: "1", latest_version: "2", title: "Firmware 2", release_url: "https://example.com/2" });
  expect(properties(rig).latest_version).toMatchObject({ title: "Firmware" });
  expect(attributes(rig)).toMatchObject({ update_title: "Firmware 2", release_url: "https://example.com/2" });
});

test("what a device says of its hardware is passed on", async () => {
  const hardware = {
    sw: "1.2",
    hw: "B",
    sn: "42",
    cu: "http://admin:secret@192.0.2.1/setup",
    cns: [["mac", "02:5b:00"]],
  };
  using rig = await announced("sensor", { state_topic: "k" }, hardware);
  expect(rig.registry.get("abc").details).toMatchObject({
    ...{ sw_version: "1.2", hw_version: "B", serial_number: "42" },
    ...{ configuration_url: "http://192.0.2.1/setup", connections: [["mac", "02:5b:00"]] },
  });
});
