// What the author of a plugin writes, and what the kit offers in return.
import type { Static, TObject } from "@sinclair/typebox";
import type { Action } from "./action.ts";
import type { Notice } from "./heartbeat.ts";
import type { JsonObject, LooseJson } from "./json.ts";
import type { Log } from "./log.ts";
import type { Timers } from "./timers.ts";

export type Stop = () => void | Promise<void>;

export interface PluginDefinition<S extends TObject> {
  version: string;
  /** Validates the configuration file, adds defaults and types, and is shown to the hub's users. */
  configSchema?: S;
  /** Declares devices and starts the work. Called again, after `stop`, when the configuration was changed from the hub. */
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

/** Who sent a command: `kind, source, actor_id, actor_name, correlation_id, changed_at`. */
export type Cause = JsonObject;

export interface DeviceOptions {
  /** Unique in the whole hub: start it with the plugin's id. */
  id: string;
  name: string;
  deviceType?: string;
  area?: string;
  /** JSON Schema of the attributes; a TypeBox schema is one. */
  capabilities?: object;
  manufacturer?: string;
  model?: string;
  swVersion?: string;
  /** The bridge or hub device that this one is connected to. */
  parentId?: string;
  /** The attributes that it returns are set as with `patch`, with the command as their cause. */
  onCommand?(command: JsonObject, cause: Cause | undefined): LooseJson | undefined | Promise<LooseJson | undefined>;
}

export interface SendOptions {
  /** Sends unchanged attributes too. */
  force?: boolean;
  /** The command that caused this; needed only when the state arrives after `onCommand` has ended. */
  cause?: Cause;
}

export interface Device {
  /** The whole state; replaces the earlier one. */
  set(attributes: LooseJson, options?: SendOptions): void;
  /** Some attributes, merged into the state; null removes one. */
  patch(attributes: LooseJson, options?: SendOptions): void;
  available(online: boolean): void;
  /** Removes the device from the hub. */
  remove(): void;
}
