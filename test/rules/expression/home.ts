// A small home for expressions to ask: its values can be changed, as live ones do.
import type { Json, JsonObject } from "../../../src/core/json.ts";
import { createExpressions } from "../../../src/rules/expression/compile.ts";
import type { ExpressionHost, ExpressionScope } from "../../../src/rules/expression/host.ts";

export const numbers = Array.from({ length: 10_000 }, (_, index) => index);

export interface TestHome extends ExpressionHost {
  states: Record<string, JsonObject>;
  variables: Record<string, Json>;
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
    device: (id) => home.states[id] && { id, name: "The lamp", available: true, attributes: home.states[id] },
    deviceState: (id) => home.states[id],
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
