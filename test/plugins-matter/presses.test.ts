// What devices call their presses, as buttons of Matter.
import { expect, test } from "bun:test";
import { pressIn } from "../../plugins/matter/parts/presses.ts";

const read = (known: string[]) =>
  known.map((action) => {
    const press = pressIn(action, known);
    return press && [press.button, press.kind, press.times];
  });

test("names of buttons stand before or behind what was done with them", () => {
  expect(read(["1_single", "1_double", "button_2_hold", "release_left", "single_left", "up_triple"])).toEqual([
    ["1", "pressed", 1],
    ["1", "pressed", 2],
    ["2", "held", 1],
    ["left", "let go", 1],
    ["left", "pressed", 1],
    ["up", "pressed", 3],
  ]);
});

test("one button has no name", () => {
  expect(read(["single", "double", "long_press", "hold_release", "Long-Press"])).toEqual([
    ["button", "pressed", 1],
    ["button", "pressed", 2],
    ["button", "held", 1],
    ["button", "let go", 1],
    ["button", "held", 1],
  ]);
});

test("what is no press is a button of that name", () => {
  expect(read(["on", "brightness_move_up", "rotate_left", "toggle", "toggle_hold"])).toEqual([
    ["on", "pressed", 1],
    ["brightness_move_up", "pressed", 1],
    ["rotate_left", "pressed", 1],
    ["toggle", "pressed", 1],
    ["toggle", "held", 1],
  ]);
});

test("a press whose end is reported, too, is one press, and none where it becomes a long one", () => {
  expect(read(["on_press", "on_press_release", "on_hold", "on_hold_release", "off_press"])).toEqual([
    undefined,
    ["on", "pressed", 1],
    ["on", "held", 1],
    ["on", "let go", 1],
    ["off", "pressed", 1],
  ]);
});
