// homeCore's rules do here what they did there: each type whose meaning differs, through the real engine on a virtual clock.
import { describe, expect, test } from "bun:test";
import { idle } from "../../situations/idle-clock.ts";
import { type HomeCoreHouse, openHomeCoreHouse } from "./rig.ts";

const open = (...names: string[]): Promise<HomeCoreHouse> => openHomeCoreHouse(names.map((name) => `${name}.ron`));

/** For tests in which hours and days pass, and no file changes. */
async function openForDays(...names: string[]): Promise<HomeCoreHouse> {
  const house = await open(...names);
  Object.assign(house.clock, idle({ ...house.clock }));
  await house.restart();
  return house;
}

describe("triggers", () => {
  test("a timer that homeCore calls finished has expired here", async () => {
    await using house = await open("bathroom_timer_exhaust_off", "bathroom_timer_finished");
    await house.report("timer_bathroom", { state: "started" });
    expect(house.commands()).toEqual([]);
    await house.report("timer_bathroom", { state: "expired" });
    expect(house.commands().sort()).toEqual(['bath_fan {"on":false}', 'bath_light {"on":false}']);
  });

  test("device_id and device_ids are one set", async () => {
    await using house = await open("deck_any_door");
    house.house.modes.set("mode_night", true);
    for (const door of ["deck_door_1", "deck_door_3"]) {
      await house.report(door, { open: true });
      expect(house.commands()).toEqual(['deck_light {"on":true,"brightness":80}']);
      await house.clock.advance(60_000);
    }
  });

  test("without an attribute, any change fires", async () => {
    await using house = await open("hall_light_any_change");
    await house.report("hall_lamp", { brightness: 20 });
    await house.report("hall_lamp", { on: false });
    expect(house.fired()).toHaveLength(2);
  });

  test("who caused the change decides, and the trigger's value takes the place of the one in the state", async () => {
    await using house = await open("hall_switch_physical", "hall_switch_source");
    await house.report("hall_switch", { on: true }, { kind: "user", source: "api" });
    expect(house.commands()).toEqual([]);
    await house.report("hall_switch", { on: false }, { kind: "physical" });
    expect(house.commands()).toEqual(['hall_lamp {"on":false}']);
    await house.report("hall_switch", { on: true }, { kind: "rule", source: "rule" });
    expect(house.last("hall_switch_source")).toStartWith("fired");
    expect(house.commands()).toEqual([]);
  });

  test("a button is an attribute that holds its number", async () => {
    await using house = await open("keypad_pushed", "keypad_double");
    await house.report("keypad", { pushed: 1 });
    expect(house.commands()).toEqual([]);
    await house.report("keypad", { pushed: 2 });
    expect(house.commands()).toEqual(['hall_lamp {"on":false}']);
    await house.report("keypad", { double_tapped: 5 });
    expect(house.commands()).toEqual(['deck_light {"on":false}']);
  });

  test("Above fires at every change while it is above, CrossesBelow once", async () => {
    await using house = await open("attic_hot", "office_humidifier_off");
    for (const temperature of [31, 32, 33, 29, 31]) await house.report("attic_sensor", { temperature });
    expect(house.fired()).toHaveLength(4);
    for (const humidity of [39, 38, 41, 40, 39.5]) await house.report("office_sensor", { humidity });
    expect(house.commands()).toEqual(['humidifier {"on":true}', 'humidifier {"on":true}']);
  });

  test("cron counts the days from Sunday", async () => {
    // A Thursday, at noon.
    await using house = await openForDays("cron_sunday", "cron_workdays");
    await house.clock.advance(3 * 86_400_000);
    const fired = house.events.filter(({ type }) => type === "rule_fired") as unknown as { timestamp: string }[];
    const at = fired.map(({ timestamp }) => `${new Date(timestamp).getUTCDay()} ${timestamp.slice(11, 16)}`);
    expect(at).toEqual(["5 07:00", "0 08:00"]);
  }, 120_000);

  test("no days are every day, and a period is counted in its unit", async () => {
    await using house = await openForDays("wake_up", "every_quarter_hour");
    await house.clock.advance(86_400_000);
    expect(house.commands()).toEqual(['bedroom_blind {"position":100}']);
    expect(house.fired()).toHaveLength(1 + 96);
  }, 120_000);

  test("MQTT payloads are compared as text, and values by their place", async () => {
    await using house = await open("mqtt_doorbell", "mqtt_power");
    const message = (topic: string, payload: unknown) =>
      house.feed.emit({ type: "mqtt_message", topic, payload, payload_bytes: 1, retain: false, qos: 0 } as never);
    message("doorbell/front/press", 2);
    message("tele/meter", { power: 1999 });
    message("doorbell/front/press", 1);
    message("tele/meter", { power: 2000 });
    await house.clock.advance(0);
    expect(house.events.filter(({ type }) => type === "custom_doorbell")).toMatchObject([{ button: "front" }]);
    expect(house.house.done.published).toMatchObject([{ topic: "cmnd/heater/POWER", payload: "OFF" }]);
  });

  test("a variable that is written with the same value fires as well", async () => {
    await using house = await open("alarm_changed");
    const written = {
      type: "hub_variable_changed",
      name: "alarm_state",
      value: "armed",
      previous_value: "armed",
    } as const;
    house.feed.emit(written);
    await house.clock.advance(0);
    expect(house.fired()).toHaveLength(1);
  });

  test("a webhook needs no secret", async () => {
    await using house = await open("webhook_arrival");
    house.house.modes.set("mode_away", true);
    expect(house.rules.call({ path: "departure", method: "POST", query: {}, body: null, secret: "" })).toBe(false);
    expect(house.rules.call({ path: "arrival", method: "POST", query: {}, body: null, secret: "" })).toBe(true);
    await house.clock.advance(0);
    expect(house.commands()).toEqual(['mode_away {"on":false}']);
  });

  test("modes and availability by `to`", async () => {
    await using house = await open("night_mode_on", "boiler_offline");
    house.feed.emit({ type: "mode_changed", mode_id: "mode_night", mode_name: "Night", on: false });
    house.feed.emit({ type: "mode_changed", mode_id: "mode_night", mode_name: "Night", on: true });
    house.house.put("boiler", { available: false });
    house.feed.emit({ type: "device_availability_changed", device_id: "boiler", available: false });
    await house.clock.advance(119_000);
    expect(house.commands()).toEqual(['mode_quiet {"on":true}']);
    expect(house.house.done.notifications).toEqual([]);
    await house.clock.advance(1000);
    expect(house.house.done.notifications).toMatchObject([{ channel: "all", title: undefined }]);
  });
});

describe("conditions", () => {
  test("of every kind", async () => {
    await using house = await open("all_conditions");
    await house.emit("check_all");
    expect(house.last("all_conditions")).toContain(
      "hall_lamp.on was unchanged for 0 s, must be unchanged for at least 10 s",
    );
    await house.clock.advance(10_000);
    house.house.variables.set("alarm_state", "armed");
    await house.emit("check_all");
    expect(house.last("all_conditions")).toContain('variable alarm_state was "armed", must not be "armed" (in "not")');
    house.house.variables.set("alarm_state", "off");
    await house.emit("check_all");
    expect(house.last("all_conditions")).toStartWith("fired");
    house.house.modes.set("mode_away", true);
    await house.emit("check_all");
    expect(house.last("all_conditions")).toStartWith("conditions_failed");
  });

  test("who changed a device last", async () => {
    await using house = await open("last_changed_by_hand");
    await house.report("hall_switch", { on: true }, { kind: "user", source: "api" });
    await house.emit("who");
    expect(house.last("last_changed_by_hand")).toStartWith("conditions_failed");
    await house.report("hall_switch", { on: false }, { kind: "physical", source: "wall" });
    await house.emit("who");
    expect(house.last("last_changed_by_hand")).toStartWith("fired");
  });

  test("a private boolean is the rule's own, and survives a restart", async () => {
    await using house = await open("alarm_once");
    const alarm = async (): Promise<void> => {
      await house.report("window", { open: true });
      await house.report("window", { open: false });
    };
    await alarm();
    await alarm();
    expect(house.house.done.notifications).toHaveLength(1);
    await house.restart();
    await alarm();
    expect(house.house.done.notifications).toHaveLength(1);
    expect(house.last("alarm_once")).toContain("alarmed was true, must be false");
  });

  test("required_expression and trigger_condition, with the label of the trigger", async () => {
    await using house = await openForDays("only_in_the_morning");
    await house.emit("gates");
    // It is noon.
    expect(house.last("only_in_the_morning")).toContain("required_expression current_hour() < 12 was false");
    await house.clock.advance(20 * 3_600_000);
    await house.emit("gates");
    expect(house.last("only_in_the_morning")).toStartWith("fired");
  });
});

describe("actions", () => {
  test("modes are toggled, and turned off", async () => {
    await using house = await open("set_modes");
    house.house.modes.set("mode_away", true);
    await house.emit("modes");
    expect(house.commands()).toEqual(['mode_guest {"on":true}', 'mode_away {"on":false}']);
  });

  test("states, scenes and delays by mode", async () => {
    await using house = await open("per_mode");
    await house.emit("per_mode");
    expect(house.commands()).toEqual(['hall_lamp {"on":true,"brightness":200}']);
    expect(house.house.done.scenes).toEqual(["22222222-0000-4000-8000-000000000002"]);
    await house.clock.advance(59_000);
    expect(house.details("per_mode")).not.toContain("log_message: info: after the delay");
    await house.clock.advance(1000);
    expect(house.details("per_mode")).toContain("log_message: info: after the delay");
    house.house.modes.set("mode_away", true);
    await house.emit("per_mode");
    expect(house.commands()).toEqual(['hall_lamp {"on":false}']);
    expect(house.details("per_mode")).toContain("delay_per_mode: no wait: mode mode_away is on");
  });

  test("a fade sets what is no number, and fades what is one", async () => {
    await using house = await open("fade_up");
    await house.emit("fade");
    await house.clock.advance(10_000);
    const commands = house.commands();
    expect(commands[0]).toBe('bed_lamp {"on":true}');
    expect(commands.slice(1)).toEqual(
      Array.from({ length: 10 }, (_, step) => `bed_lamp {"brightness":${(step + 1) * 10}}`),
    );
  });

  test("variables are counted, divided and toggled from nothing", async () => {
    await using house = await open("variables");
    const { variables } = house.house;
    await house.emit("count");
    expect(Object.fromEntries(variables)).toEqual({ visits: 1, half: 0, flag: true, alarm_state: "armed" });
    variables.set("half", 5);
    await house.emit("count");
    expect(Object.fromEntries(variables)).toEqual({ visits: 2, half: 2.5, flag: false, alarm_state: "armed" });
  });

  test("services are called with milliseconds as seconds, and nothing for ()", async () => {
    await using house = await open("call_services");
    await house.emit("call");
    expect(house.house.done.requests).toMatchObject([
      { method: "GET", body: undefined, timeoutMs: 2500 },
      { method: "POST", body: '{"on":true}', timeoutMs: 10_000 },
    ]);
  });

  test("branches, with what is not there taken for no", async () => {
    await using house = await open("choices");
    const { variables } = house.house;
    for (const [level, word] of [
      [20, "high"],
      [7, "middle"],
      [1, "low"],
    ] as const) {
      variables.set("level", level);
      await house.emit("choose");
      expect(house.details("choices")).toContain(`log_message: info: ${word}`);
    }
    variables.clear();
    await house.emit("choose");
    expect(house.details("choices")).toContain("log_message: info: low");
    expect(house.details("choices")).not.toContain("log_message: info: never");
    expect(house.last("choices")).not.toContain("failed");
  });

  test("loops wait between their turns, and not after the last one", async () => {
    await using house = await open("loops");
    await house.emit("loop");
    const ticks = () => house.details("loops").filter((line) => line === "log_message: info: tick").length;
    expect(ticks()).toBe(1);
    await house.clock.advance(1000);
    expect(ticks()).toBe(2);
    await house.clock.advance(1000);
    expect(ticks()).toBe(3);
    // The next loop has begun already.
    expect(house.commands()).toEqual(Array.from({ length: 5 }, () => 'bed_lamp {"on":false}'));
  });

  test("waits for events, changes, and what stays true", async () => {
    await using house = await open("waits");
    await house.report("window", { open: true });
    await house.emit("wait");
    await house.emit("go");
    expect(house.details("waits")).toContain("log_message: info: go or not");
    await house.report("window", { tilt: 1 });
    expect(house.details("waits")).not.toContain("log_message: info: the window moved");
    await house.report("window", { open: false });
    expect(house.details("waits")).toContain("log_message: info: the window moved");
    await house.clock.advance(9000);
    await house.report("window", { open: true });
    await house.report("window", { open: false });
    await house.clock.advance(9000);
    expect(house.details("waits")).not.toContain("log_message: info: the window stayed shut");
    await house.clock.advance(1000);
    expect(house.details("waits")).toContain("log_message: info: the window stayed shut");
  });

  test("a rule cancels the delays of another, pauses it, and runs its actions", async () => {
    await using house = await open("porch_delayed", "porch_stop", "porch_again");
    await house.emit("porch_delayed");
    await house.clock.advance(60_000);
    await house.emit("porch_stop");
    await house.clock.advance(600_000);
    expect(house.commands()).toEqual([]);
    await house.emit("porch_delayed");
    expect(house.last("porch_delayed")).toStartWith("paused");
    await house.emit("porch_again");
    await house.clock.advance(600_000);
    expect(house.commands()).toEqual(['porch_light {"on":false}']);
  });

  test("cancel_on_false ends a run when its conditions no longer hold", async () => {
    await using house = await open("garage_cancel");
    house.house.modes.set("mode_away", true);
    await house.emit("garage");
    await house.clock.advance(30_000);
    house.house.modes.set("mode_away", false);
    await house.emit("anything");
    expect(house.last("garage_cancel")).toContain(
      "cancelled, because its conditions no longer hold: mode mode_away was off, must be on",
    );
    await house.clock.advance(60_000);
    expect(house.commands()).toEqual([]);
    house.house.modes.set("mode_away", true);
    await house.emit("garage");
    await house.clock.advance(60_000);
    expect(house.commands()).toEqual(['garage_door {"command":"close"}']);
  });

  test("a ping chooses its actions, and reports the result", async () => {
    await using house = await open("ping_router");
    house.house.reachable.add("192.168.1.1");
    await house.emit("ping");
    expect(house.details("ping_router")).toContain("log_message: info: router is up");
    expect(house.details("ping_router")).toContain("log_message: info: the nas is down");
    expect(house.events.filter(({ type }) => type === "custom_router_ping")).toMatchObject([
      { host: "192.168.1.1", reachable: true, rtt_ms: 0.5 },
    ]);
  });

  test("a disabled script does nothing, and what comes after it runs", async () => {
    await using house = await open("disabled_script");
    await house.emit("script");
    expect(house.details("disabled_script")).toEqual(["comment: undefined", "log_message: info: done"]);
  });
});
