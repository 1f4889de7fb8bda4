// What the API shows of a plugin, and what a plugin reports to the hub.
import type { Static } from "@sinclair/typebox";
import type { pluginStatus } from "../../server/events/plugins.ts";
import type { HeldBy } from "./confine/means.ts";

export type PluginStatus = Static<typeof pluginStatus>;

export interface Notice {
  level: "info" | "warning" | "error";
  code: string;
  message: string;
  remedy?: string;
}

/** How a plugin's process ended, or why it could not be started. */
export interface LastExit {
  at: string;
  code: number | null;
  signal: string | null;
  reason: string;
  /** The last lines it printed, oldest first. */
  output: string[];
}

export interface PluginRecord {
  id: string;
  status: PluginStatus;
  enabled: boolean;
  /** Whether the hub runs its process; otherwise it only connects. */
  managed: boolean;
  pid: number | null;
  /** Private memory of its processes at the last measurement; null where it has none, or was not measured yet. */
  memory_bytes: number | null;
  /** Whether the kernel confines it to its own folder; null if the hub does not run it. */
  confined: boolean | null;
  /** By what the kernel holds it; null if the hub does not run it. */
  held_by: HeldBy | null;
  /** By what, or why not. */
  confined_detail: string;
  /** How often it was restarted automatically since the hub started. */
  restarts: number;
  last_heartbeat: string | null;
  last_exit: LastExit | null;
  devices: number;
  version: string | null;
  notices: Notice[];
}

/** The fields of `plugins/<id>/heartbeat` that the hub reads. They are untrusted: each is checked before use. */
export interface Heartbeat {
  timestamp?: string;
  version?: string;
  sdk_version?: string;
  protocol_version?: string;
  uptime_secs?: number;
  device_count?: number;
  notices?: Notice[];
}

/** `degraded`: it works with restrictions, which its notices describe. */
export type ReportedStatus = "active" | "degraded" | "offline";
