// The public API of the plugin kit; README.md in the folder above shows its use.
export { Type } from "@sinclair/typebox";
export type { Action, ActionContext } from "./action.ts";
export type { Cause, Device, DeviceOptions, Plugin, PluginDefinition, SendOptions, Stop } from "./definition.ts";
export type { Notice } from "./heartbeat.ts";
export type { Json, JsonObject, LooseJson } from "./json.ts";
export type { Level, Log } from "./log.ts";
export { runPlugin } from "./run.ts";
export { type DeviceKind, deviceSchema, WORDS } from "./words.ts";
