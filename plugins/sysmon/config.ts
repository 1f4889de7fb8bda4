// sysmon's configuration; config.toml beside it is the annotated default.
import { type Plugin, Type } from "../sdk/index.ts";
import type { ReadText } from "./readings.ts";

export const configSchema = Type.Object(
  {
    interval_secs: Type.Integer({ minimum: 1, maximum: 3600, default: 10, title: "Seconds between two reports" }),
    filesystems: Type.Array(Type.String({ minLength: 1 }), {
      default: ["/"],
      uniqueItems: true,
      title: "Mount points to watch",
    }),
    disk_warn_pct: Type.Number({
      minimum: 1,
      maximum: 100,
      default: 90,
      title: "Warn above this share of a disk in use",
    }),
    temperature_warn_c: Type.Number({
      minimum: 1,
      maximum: 150,
      default: 80,
      title: "Warn above this temperature in °C",
    }),
  },
  { additionalProperties: false, default: {} },
);

export type SysmonPlugin = Plugin<(typeof configSchema)["static"]>;

/** Declares the devices of a source and returns the function that reads and reports them once. */
export type Watch = (plugin: SysmonPlugin, read: ReadText) => () => void | Promise<void>;
