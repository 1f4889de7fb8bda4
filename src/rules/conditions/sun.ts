// `sun`: whether the sun is above the horizon.
import { type ConditionScope, defineCondition } from "../model/define.ts";
import { choice } from "../model/fields.ts";

export const sun = defineCondition({
  type: "sun",
  doc: "The sun is above or below the horizon; needs [location] in hub.toml.",
  fields: () => ({
    position: choice(["above_horizon", "below_horizon"], "Where the sun must be", {
      names: "location",
      spellings: { above: "above_horizon", up: "above_horizon", below: "below_horizon", down: "below_horizon" },
    }),
  }),
  evaluate({ position }, { host }: ConditionScope<"sun" | "now">) {
    const expected = `the sun is ${inWords(position === "above_horizon")}`;
    if (!host.sun) {
      const error = "set latitude and longitude in [location] of hub.toml";
      return { passed: false, expected, actual: "the location of the house is unknown", error };
    }
    const isUp = host.sun.isUp(host.now());
    return { passed: isUp === (position === "above_horizon"), expected, actual: inWords(isUp) };
  },
  example: { position: "below_horizon" },
});

function inWords(isUp: boolean): string {
  return `${isUp ? "above" : "below"} the horizon`;
}
