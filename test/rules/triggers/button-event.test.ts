import { describe, expect, test } from "bun:test";
import type { Json, JsonObject } from "../../../src/kit/schema/json.ts";
import { buttonEvent } from "../../../src/rules/triggers/button-event.ts";
import { createHouse } from "../support/host.ts";
import { contextOf, readIn } from "../support/read.ts";

const read = (fields: JsonObject) =>
  readIn("triggers", { type: "button_event", device_id: "remote", ...fields }) as never;

function press(fields: JsonObject, current: Record<string, Json>) {
  const house = createHouse();
  const changed = Object.keys(current);
  const event = { type: "device_state_changed", device_id: "remote", previous: {}, current, changed } as const;
  return contextOf(buttonEvent, { spec: read(fields), envelope: house.envelope(event), host: house });
}

describe("button_event", () => {
  test.each<[Record<string, Json>, string, string | null]>([
    [{ action: "single" }, "pressed", null],
    [{ action: "double" }, "double", null],
    [{ action: "hold" }, "held", null],
    [{ action: "release" }, "released", null],
    [{ action: "1_single" }, "pressed", "1"],
    [{ action: "2_double" }, "double", "2"],
    [{ action: "left_hold" }, "held", "left"],
    [{ action: "hold_left" }, "held", "left"],
    [{ action: "left_hold_release" }, "released", "left"],
    [{ action: "button_3_double" }, "double", "3"],
    [{ action: "Double Press" }, "double", null],
    [{ action: "brightness_move_up" }, "brightness_move_up", null],
    [{ click: "long" }, "held", null],
    [{ event: "triple" }, "triple", null],
    [{ button_event: "pushed" }, "pressed", null],
    [{ action_right: "single" }, "pressed", "right"],
    [{ button_2: "held" }, "held", "2"],
    [{ action: { button: 4, event: "double" } }, "double", "4"],
    [{ event: { event: "1_single", count: 7 } }, "pressed", "1"],
    [{ action: "🔔" }, "🔔", null],
  ])("%j is %s of button %s", (current, event, button) => {
    expect(press({}, current)).toMatchObject({ device_id: "remote", event, button });
  });

  test.each<[Record<string, Json>]>([
    [{ action: "" }],
    [{ action: null }],
    [{ action: "none" }],
    [{ action: 1 }],
    [{ action: {} }],
    [{ battery: 3 }],
    [{ temperature: "single" }],
  ])("%j is no press", (current) => {
    expect(press({}, current)).toBeUndefined();
  });

  test.each<[JsonObject, Record<string, Json>, boolean]>([
    [{ event: "pressed" }, { action: "single" }, true],
    [{ event: "single" }, { action: "single" }, true],
    [{ event: "double_tap" }, { action: "double" }, true],
    [{ event: "held" }, { action: "single" }, false],
    [{ event: "1_single" }, { action: "1_single" }, true],
    [{ event: "brightness_move_up" }, { action: "brightness_move_up" }, true],
    [{ button: 1 }, { action: "1_single" }, true],
    [{ button: "1" }, { action: "1_single" }, true],
    [{ button: 2 }, { action: "1_single" }, false],
    [{ button: "Left" }, { action: "left_hold" }, true],
    [{ button: 1 }, { action: "single" }, false],
    [{ attribute: "taste" }, { taste: "single" }, true],
    [{ attribute: "taste" }, { action: "single" }, false],
  ])("%j with %j: %p", (fields, current, fires) => {
    expect(press(fields, current) !== undefined).toBe(fires);
  });

  test("of several presses in one event finds the wanted one", () => {
    expect(press({ button: "right" }, { action_left: "single", action_right: "hold" })).toMatchObject({
      button: "right",
      event: "held",
      attribute: "action_right",
      value: "hold",
    });
  });

  test("receives plugins that send each press as an event", () => {
    const house = createHouse();
    const sent = (fields: object) => house.envelope({ type: "custom_button_event", device_id: "remote", ...fields });
    const match = (fields: JsonObject, event: object) =>
      contextOf(buttonEvent, { spec: read(fields), envelope: sent(event), host: house });
    expect(match({ button: 2, event: "held" }, { button: 2, event: "long_press" })).toMatchObject({
      event: "held",
      button: "2",
    });
    expect(match({}, {})).toMatchObject({ event: "pressed", button: null });
    expect(match({ button: 1 }, { button: 2, event: "press" })).toBeUndefined();
    expect(match({}, { device_id: "other", event: "press" })).toBeUndefined();
    expect(buttonEvent.interests?.(read({}))).toEqual([
      { event: "device_state_changed", deviceId: "remote" },
      { event: "device_action", deviceId: "remote" },
      { event: "custom_button_event", deviceId: "remote" },
    ]);
  });

  test("receives each press of a device that announces itself once, though the attribute shows it too", () => {
    const house = createHouse();
    const match = (event: Parameters<typeof house.envelope>[0], fields: JsonObject = {}) =>
      contextOf(buttonEvent, { spec: read(fields), envelope: house.envelope(event), host: house });
    const action = (word: string) => ({ type: "device_action", device_id: "remote", action: word }) as const;
    expect(match(action("1_double"))).toMatchObject({ event: "double", button: "1", value: "1_double" });
    expect(match(action("1_double"), { button: 2 })).toBeUndefined();
    expect(match(action("1_double"), { attribute: "click" })).toBeUndefined();
    const shown = { previous: {}, current: { action: "1_double" }, changed: ["action"] };
    const change = { kind: "device_action" };
    expect(match({ type: "device_state_changed", device_id: "remote", ...shown, change })).toBeUndefined();
  });
});
