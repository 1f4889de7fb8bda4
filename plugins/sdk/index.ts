// The plugin kit's public face; README.md in the folder above shows its use.
export { Type } from "@sinclair/typebox";
export type { Action, ActionContext } from "./action.ts";
export type { Plugin, PluginDefinition, Stop } from "./definition.ts";
export type { Cause, Device, DeviceOptions, SendOptions } from "./device.ts";
export type { Notice } from "./heartbeat.ts";
export type { Json, JsonObject, LooseJson } from "./json.ts";
export type { Level, Log } from "./log.ts";
export { runPlugin } from "./run.ts";
