// What is reported to the registry of a device, and what it passes on.
import type { JsonObject } from "../../kit/schema/json.ts";

/** How something became known. */
export interface Origin {
  /** From a message that was kept since before: it says how things were, and is no sign of life. */
  retained?: boolean;
  /** Who kept it stayed up, and would have another availability if the device had left: a device first seen so is there. */
  lasting?: boolean;
}

export interface StateReport extends Origin {
  pluginId: string;
  /** Merge into the present attributes instead of replacing them. */
  partial: boolean;
  /** Who caused it, echoed from a command. */
  change?: JsonObject;
  /**
   * Written to disk before it takes effect, for what the hub itself must not forget: `written` outlives a crash of the hub and
   * is synced within seconds, `synced` outlives a power cut as well. Throws if it cannot be written.
   */
  durable?: "written" | "synced";
}

/** A live report of a device, whether anything changed or not. */
export interface Reported {
  type: "reported";
  deviceId: string;
  attributes: JsonObject;
  change: JsonObject | undefined;
}
