// virtual's configuration; config.toml beside it is the annotated default.
import { type Plugin, Type } from "../sdk/index.ts";

export const configSchema = Type.Object(
  {
    interval_secs: Type.Integer({ minimum: 1, maximum: 3600, default: 30, title: "Seconds between two steps" }),
    speed: Type.Number({ minimum: 1, maximum: 3600, default: 1, title: "Simulated seconds for each real one" }),
    lights: Type.Integer({ minimum: 1, maximum: 200, default: 2, title: "Number of lights" }),
    battery_drain_pct_per_day: Type.Number({
      minimum: 0,
      maximum: 100,
      default: 0.5,
      title: "Battery drain per simulated day, in percent",
    }),
    random_events: Type.Boolean({ default: false, title: "Door and motion by chance" }),
    seed: Type.Integer({
      minimum: 0,
      maximum: 2 ** 32 - 1,
      default: 1,
      title: "Seed of the weather and of random events",
    }),
  },
  { additionalProperties: false, default: {} },
);

export type VirtualPlugin = Plugin<(typeof configSchema)["static"]>;
