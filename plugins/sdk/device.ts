// A device as the author of a plugin sees it.
import type { JsonObject, LooseJson } from "./json.ts";

/** Who asked for a command: `kind, source, actor_id, actor_name, correlation_id, changed_at`. */
export type Cause = JsonObject;

export interface DeviceOptions {
  /** Unique in the whole hub: begin it with the plugin's id. */
  id: string;
  name: string;
  deviceType?: string;
  area?: string;
  /** JSON Schema of the attributes; a TypeBox schema is one. */
  capabilities?: object;
  manufacturer?: string;
  model?: string;
  swVersion?: string;
  /** The bridge or hub device that this one hangs on. */
  parentId?: string;
  /** Attributes that it returns are patched in, with the command as their cause. */
  onCommand?(command: JsonObject, cause: Cause | undefined): LooseJson | undefined | Promise<LooseJson | undefined>;
}

export interface SendOptions {
  /** Sends even what has not changed. */
  force?: boolean;
  /** The command that led here; needed only where the state arrives after `onCommand` has ended. */
  cause?: Cause;
}

export interface Device {
  /** The whole state: replaces what was there. */
  set(attributes: LooseJson, options?: SendOptions): void;
  /** Some attributes: merged in; null removes one. */
  patch(attributes: LooseJson, options?: SendOptions): void;
  available(online: boolean): void;
  /** Takes the device out of the hub. */
  remove(): void;
}
