import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { startBatteryWatch } from "../../../src/house/state/battery.ts";
import { BatterySection, batteryProblems } from "../../../src/house/state/config.ts";
import { openRegistry, type Registry } from "../../../src/house/state/registry.ts";
import { openLog } from "../../../src/kit/lifecycle/log.ts";
import type { Json, JsonObject } from "../../../src/kit/schema/json.ts";
import { checkValue } from "../../../src/kit/schema/schema.ts";
import { stateMigrations } from "../../../src/server/db/migrations/index.ts";
import { createEventFeed } from "../../../src/server/events/feed.ts";
import { examples } from "../../support/examples.ts";
import { createTestOutput } from "../../support/platform.ts";
import { sectionOf } from "../../support/section.ts";
import { openTestState } from "../../support/state-db.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { createVirtualClock, type VirtualClock } from "../../support/virtual-clock.ts";

interface BatteryEvent {
  type: string;
  device_id: string;
  battery_pct: number;
  part?: string;
  reported?: string;
}

interface Rig extends Disposable {
  registry: Registry;
  clock: VirtualClock;
  /** The battery events of this start. */
  events: BatteryEvent[];
  /** "low 15" or "recovered 80" for each of them, with the part and what reported it where they are given. */
  readonly summary: string[];
  report(attributes: JsonObject): void;
  /** The devices in the table battery_low. */
  stored(): string[];
  writes(): number;
  /** Acts like a disk that has turned read-only. */
  refuseWrites(refuse: boolean): void;
  /** Another start on the same file, as after a power cut. */
  reopen(changed?: Partial<BatterySection>): Rig;
}

const defaults = { threshold_pct: 20, recover_band_pct: 5 };

function rig(config: Partial<BatterySection> = defaults, path?: string, clock = createVirtualClock()): Rig {
  using stack = new DisposableStack();
  const file = path ?? stack.use(createTemporaryFolder()).at("state.redb");
  const db = stack.use(openTestState(file, clock.now));
  const { log } = openLog({ clock, output: createTestOutput(), level: "error" });
  const feed = createEventFeed({ clock, log, buffer: 1000, mark: { load: () => 0, save() {} } });
  const events: BatteryEvent[] = [];
  for (const type of ["device_battery_low", "device_battery_recovered"] as const)
    feed.on(type, "test", ({ event: { timestamp: _timestamp, seq: _seq, ...event } }) => void events.push(event));
  const registry = stack.use(openRegistry({ db, clock, log, emit: feed.emit, flushSecs: 1 }));
  stack.use(
    startBatteryWatch({ feed, registry, db, config: sectionOf(BatterySection, config), clock, log, emit: feed.emit }),
  );
  const parts = stack.move();
  return {
    registry,
    clock,
    events,
    get summary() {
      return events.map(({ type, battery_pct, part, reported }) =>
        [type.replace("device_battery_", ""), battery_pct, part, reported].filter((one) => one !== undefined).join(" "),
      );
    },
    report: (attributes) => registry.state("sensor", attributes, { pluginId: "zigbee", partial: false }),
    stored: () =>
      db.durable
        .query<{ device_id: string }, []>("SELECT device_id FROM battery_low")
        .all()
        .map(({ device_id }) => device_id),
    writes: () => db.relaxed.query<{ n: number }, []>("SELECT total_changes() AS n").get()?.n ?? 0,
    refuseWrites: (refuse) => void db.relaxed.run(`PRAGMA query_only = ${refuse}`),
    reopen: (changed = config) => rig(changed, file, createVirtualClock(clock.now())),
    [Symbol.dispose]: () => parts[Symbol.dispose](),
  };
}

describe("a battery", () => {
  test("that runs low is reported with name and level, and again when it has recovered", () => {
    using hub = rig();
    hub.registry.register({ device_id: "sensor", name: "Front door" }, "zigbee");
    for (const battery_pct of [60, 20, 5, 25, 26, 90]) hub.report({ battery_pct });
    expect(hub.events).toEqual([
      {
        type: "device_battery_low",
        device_id: "sensor",
        device_name: "Front door",
        battery_pct: 20,
        threshold_pct: 20,
      } as BatteryEvent,
      {
        type: "device_battery_recovered",
        device_id: "sensor",
        device_name: "Front door",
        battery_pct: 26,
      } as BatteryEvent,
    ]);
  });

  test("that wavers around the threshold is reported once", () => {
    using hub = rig();
    for (const battery_pct of [21, 19, 21, 19, 25, 20, 22, 19]) hub.report({ battery_pct });
    expect(hub.summary).toEqual(["low 19"]);
  });

  test("that is low in the first report is reported once, and not again after a restart", () => {
    using hub = rig();
    hub.report({ battery_pct: 7 });
    using again = hub.reopen();
    again.report({ battery_pct: 7 });
    again.report({ battery_pct: 6 });
    again.report({ battery_pct: 80 });
    using third = again.reopen();
    third.report({ battery_pct: 10 });
    expect([hub.summary, again.summary, third.summary]).toEqual([["low 7"], ["recovered 80"], ["low 10"]]);
  });

  test("of a removed device is reported again when the device comes back", () => {
    using hub = rig();
    hub.report({ battery_pct: 7 });
    hub.registry.remove("sensor");
    expect(hub.stored()).toEqual([]);
    hub.report({ battery_pct: 6 });
    using again = hub.reopen();
    again.report({ battery_pct: 90 });
    expect([hub.summary, again.summary]).toEqual([["low 7", "low 6"], ["recovered 90"]]);
  });

  test("writes two rows from low to recovered, whatever is reported in between", () => {
    using hub = rig();
    hub.registry.register({ device_id: "sensor" }, "zigbee");
    const before = hub.writes();
    for (const battery_pct of [80, 60, 21, 15, 14, 21, 15, 3, 100, 99, 98]) hub.report({ battery_pct });
    expect(hub.summary).toEqual(["low 15", "recovered 100"]);
    expect(hub.writes() - before).toBe(2);
  });

  test("uses the threshold and the band of the configuration", () => {
    using hub = rig({ threshold_pct: 50, recover_band_pct: 0 });
    for (const battery_pct of [51, 50, 50.5, 50]) hub.report({ battery_pct });
    expect(hub.summary).toEqual(["low 50", "recovered 50.5", "low 50"]);
  });
});

test("a raised threshold applies from the next change of the level: a restored level is no change", async () => {
  using hub = rig();
  hub.report({ battery: 30, temperature: 20 });
  await hub.clock.advance(1000);
  using again = hub.reopen({ threshold_pct: 40, recover_band_pct: 5 });
  again.report({ battery: 30, temperature: 21 });
  expect(again.summary).toEqual([]);
  again.report({ battery: 29, temperature: 21 });
  expect(again.summary).toEqual(["low 29"]);
});

describe("a level", () => {
  test.each<[string, JsonObject, string[]]>([
    ["battery_pct", { battery_pct: 12 }, ["low 12"]],
    ["battery", { battery: 12 }, ["low 12"]],
    ["battery_level", { battery_level: 12 }, ["low 12"]],
    ["the first of several that is one", { battery_level: 90, battery: "low", battery_pct: true }, []],
    ["the first of several", { battery_level: 90, battery: 12 }, ["low 12"]],
    ["text", { battery: "12" }, ["low 12"]],
    ["text with a sign", { battery: " 12.5 % " }, ["low 12.5"]],
    ["below nothing", { battery: -1 }, ["low 0"]],
    ["true or false is none", { battery: false }, []],
    ["other text is none", { battery: "low" }, []],
    ["empty text is none", { battery: "" }, []],
    ["a list is none", { battery: [5] }, []],
    ["another attribute is none", { battery_state: 5, temperature: 3 }, []],
  ])("is read from %s", (_what, attributes, expected) => {
    using hub = rig();
    hub.report(attributes);
    expect(hub.summary).toEqual(expected);
  });

  test("above 100 is 100, and a change of another attribute emits nothing", () => {
    using hub = rig();
    hub.report({ battery: 5, temperature: 20 });
    hub.report({ battery: 5, temperature: 21 });
    hub.report({ battery: 255, temperature: 21 });
    expect(hub.summary).toEqual(["low 5", "recovered 100"]);
  });
});

describe("a device that says that its battery is low", () => {
  test("and no level, as a smoke alarm does: reported once, and once when it is good again", () => {
    using hub = rig();
    hub.registry.register({ device_id: "sensor", name: "Smoke alarm" }, "zigbee");
    hub.report({ smoke: false, battery_low: false, linkquality: 191 });
    hub.report({ smoke: false, battery_low: true, linkquality: 64 });
    hub.report({ smoke: true, battery_low: true, linkquality: 64 });
    hub.report({ smoke: true, battery_low: false, linkquality: 64 });
    expect(hub.events).toEqual([
      {
        ...{ type: "device_battery_low", device_id: "sensor", device_name: "Smoke alarm" },
        ...{ battery_pct: 0, threshold_pct: 20, reported: "battery_low" },
      } as BatteryEvent,
      {
        ...{ type: "device_battery_recovered", device_id: "sensor", device_name: "Smoke alarm" },
        ...{ battery_pct: 100, reported: "battery_low" },
      } as BatteryEvent,
    ]);
  });

  test("is not reported again after a restart", () => {
    using hub = rig();
    hub.report({ battery_low: true });
    using again = hub.reopen();
    again.report({ battery_low: true, voltage: 2400 });
    again.report({ battery_low: false });
    expect([hub.summary, again.summary]).toEqual([["low 0 battery_low"], ["recovered 100 battery_low"]]);
  });

  test("beside a level, is reported once, and is good again when both say so", () => {
    using hub = rig();
    for (const [battery, battery_low] of [
      [90, false],
      [18, false],
      [17, true],
      [30, true],
      [30, false],
      [60, true],
      [22, true],
      [60, false],
    ])
      hub.report({ battery, battery_low } as JsonObject);
    expect(hub.summary).toEqual(["low 18", "recovered 30", "low 60 battery_low", "recovered 60"]);
  });

  test("with anything else than true or false, says nothing", () => {
    using hub = rig();
    for (const battery_low of ["Low", 1, null, [true]] as Json[]) hub.report({ battery_low });
    expect(hub.summary).toEqual([]);
  });
});

describe("a device with several batteries", () => {
  test("reports each of them on its own, over a restart as well", () => {
    using hub = rig();
    // What the leak alarms of an Ensystec-Leak-Protect-Zigbee report.
    hub.report({ battery_low_1: false, channel_1_battery_low_17: true, channel_10_battery_low_26: false });
    hub.report({ battery_low_1: false, channel_1_battery_low_17: true, channel_10_battery_low_26: true });
    expect(hub.summary).toEqual(["low 0 channel_1 battery_low", "low 0 channel_10 battery_low"]);
    using again = hub.reopen();
    again.report({ battery_low_1: true, channel_1_battery_low_17: false, channel_10_battery_low_26: true });
    expect(again.summary.toSorted()).toEqual(["low 0 1 battery_low", "recovered 100 channel_1 battery_low"]);
    again.registry.remove("sensor");
    expect(again.stored()).toEqual([]);
  });

  test("as its description says, whatever they are called", () => {
    using hub = rig();
    const battery = (part: string) => ({ type: "number", word: "battery", derived: true, part });
    hub.registry.register(
      {
        device_id: "sensor",
        capabilities: {
          type: "object",
          properties: {
            battery_left: battery("left"),
            battery_right: battery("right"),
            // One that is no percentage is not worded, nor watched.
            battery_3: { type: "number", unit: "V", word: "voltage" },
          },
        },
      },
      "zigbee",
    );
    hub.report({ battery_left: 90, battery_right: 12, battery_3: 3 });
    hub.report({ battery_left: 8, battery_right: 12, battery_3: 3 });
    expect(hub.summary).toEqual(["low 12 right", "low 8 left"]);
  });
});

test("a house that knew one battery a device keeps what it had reported", () => {
  using folder = createTemporaryFolder();
  const path = folder.at("state.redb");
  using before = new Database(path);
  const at = stateMigrations.findIndex((sql) => sql.includes("battery_parts_low"));
  for (const sql of stateMigrations.slice(0, at)) before.run(sql);
  before.run(`PRAGMA user_version = ${at}`);
  before.run("INSERT INTO devices (id, plugin_id, name, created_at) VALUES ('sensor', 'zigbee', 'Door', 1)");
  before.run("INSERT INTO battery_low VALUES ('sensor', 1)");
  before.close();
  using hub = rig(defaults, path);
  hub.report({ battery: 9 });
  hub.report({ battery: 80 });
  expect(hub.summary).toEqual(["recovered 80"]);
});

test("while the disk refuses writes it is reported once all the same, and stored once the disk can be written", async () => {
  using hub = rig();
  hub.report({ battery: 50 });
  hub.refuseWrites(true);
  for (const battery of [10, 9, 21, 8]) hub.report({ battery });
  await hub.clock.advance(60_000);
  expect(hub.summary).toEqual(["low 10"]);
  expect(hub.stored()).toEqual([]);
  hub.refuseWrites(false);
  await hub.clock.advance(10_000);
  using again = hub.reopen();
  again.report({ battery: 7 });
  expect(again.summary).toEqual([]);
});

test("low and recovered alternate, whatever is reported and however often the hub restarts", () => {
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: -5, max: 120 }) },
    { weight: 4, arbitrary: fc.integer({ min: 18, max: 27 }) },
    fc.constantFrom<Json>("restart", "12 %", "high", true, null),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      using stack = new DisposableStack();
      let hub = stack.use(rig());
      const summary: string[] = [];
      let low = false;
      const expected: string[] = [];
      for (const [at, one] of steps.entries()) {
        if (one === "restart") {
          summary.push(...hub.summary);
          hub = stack.use(hub.reopen());
          continue;
        }
        hub.report({ battery: one, at });
        const level = one === "12 %" ? 12 : one;
        if (typeof level !== "number") continue;
        if (low ? level > 25 : level <= 20) {
          low = !low;
          expected.push(`${low ? "low" : "recovered"} ${Math.min(100, Math.max(0, level))}`);
        }
      }
      expect([...summary, ...hub.summary]).toEqual(expected);
    }),
    { numRuns: examples(60) },
  );
});

describe("[battery]", () => {
  test("defaults to 20 and 5", () => {
    expect(checkValue(BatterySection, {})).toMatchObject({ ok: true, value: defaults });
  });

  test.each([
    { threshold_pct: 0 },
    { threshold_pct: 100 },
    { recover_band_pct: -1 },
    { recover_band_pct: 51 },
    { x: 1 },
  ])("refuses %j", (section) => {
    expect(checkValue(BatterySection, section).ok).toBe(false);
  });

  test("refuses a band that no battery could get above", () => {
    expect(batteryProblems(sectionOf(BatterySection, { threshold_pct: 60, recover_band_pct: 40 }))).toMatchObject([
      { path: "battery.recover_band_pct", message: expect.stringContaining("below 100") },
    ]);
    expect(batteryProblems(sectionOf(BatterySection, { threshold_pct: 59, recover_band_pct: 40 }))).toEqual([]);
  });
});
