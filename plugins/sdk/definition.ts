// What the author of a plugin writes, and what the kit hands over in return.
import type { Static, TObject } from "@sinclair/typebox";
import type { Action } from "./action.ts";
import type { Device, DeviceOptions } from "./device.ts";
import type { Notice } from "./heartbeat.ts";
import type { LooseJson } from "./json.ts";
import type { Log } from "./log.ts";
import type { Timers } from "./timers.ts";

export type Stop = () => void | Promise<void>;

export interface PluginDefinition<S extends TObject> {
  version: string;
  /** Checks the configuration file, gives it defaults and types, and is shown to the hub's users. */
  configSchema?: S;
  /** Declares devices and begins the work; runs again, after `stop`, when the configuration was changed from the hub. */
  start(plugin: Plugin<Static<S>>): undefined | Stop | Promise<undefined | Stop>;
}

export interface Plugin<C> extends Pick<Timers, "every" | "after"> {
  readonly id: string;
  readonly config: C;
  readonly log: Log;
  device(options: DeviceOptions): Device;
  action<P extends TObject>(action: Action<P>): void;
  /** Shown to the hub's users until it is cleared; one per code. */
  notice(notice: Notice): void;
  clearNotice(code: string): void;
  /** A custom event: rules and streams see `custom_{type}`. */
  emit(type: string, fields: LooseJson): void;
}
