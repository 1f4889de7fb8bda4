// A small home for expressions to ask: its values can be changed, as live ones do.
import type { Json, JsonObject } from "../../../src/kit/schema/json.ts";
import { createExpressions } from "../../../src/rules/expression/compile.ts";
import type { ExpressionHost, ExpressionScope } from "../../../src/rules/expression/host.ts";

const numbers = Array.from({ length: 10_000 }, (_, index) => index);

export interface TestHome extends ExpressionHost {
  states: Record<string, JsonObject>;
  variables: Record<string, Json>;
  devicesOfHouse: JsonObject[];
  time: number;
  timezone: string;
}

export function createHome(): TestHome {
  const home: TestHome = {
    states: {
      lamp: {
        on: true,
        temperature: 21,
        level: 20.5,
        name: "Lamp",
        nothing: null,
        list: [1, 2, 3],
        seen: "2026-06-15T11:00:00Z",
      },
      empty: {},
    },
    variables: {
      limit: 20,
      days: ["mon", "tue"],
      big: numbers,
      long: "a".repeat(60_000),
      digits: "1".repeat(5000),
      words: numbers.map(String),
      map: { a: 1, b: { c: [1, 2] } },
    },
    time: Date.UTC(2026, 5, 14, 22, 5),
    timezone: "Europe/Berlin",
    devicesOfHouse: [
      { id: "hall_lamp", area: "hall", device_type: "light", on: true, level: 20 },
      { id: "hall_spot", area: "hall", device_type: "light", on: false, level: 80 },
      { id: "hall_new", area: "hall", device_type: "light" },
      { id: "hall_motion", area: "hall", device_type: "motion", motion: true },
      { id: "attic_lamp", area: "attic", device_type: "light", on: false, level: 0 },
    ],
    random: () => 0.5,
    sunElevation: () => -6.5,
    device: (id) => home.states[id] && { id, name: "The lamp", available: true, attributes: home.states[id] },
    deviceState: (id) => home.states[id],
    devices: (area, type) =>
      home.devicesOfHouse.filter(
        (one) => (area === "" || one.area === area) && (type === "" || one.device_type === type),
      ),
    variable: (name) => home.variables[name],
    mode: (id) => (id === "night" ? true : id === "away" ? false : undefined),
    now: () => new Date(home.time),
  };
  return home;
}

/** Evaluates in a fresh home: the value, or the problem's message. */
export function ask(text: string, scope: ExpressionScope = {}, home = createHome()): Json {
  const compiled = createExpressions().compile(text);
  const result = compiled.ok ? compiled.program.evaluate(home, scope) : compiled;
  return result.ok ? result.value : result.problem.message;
}
