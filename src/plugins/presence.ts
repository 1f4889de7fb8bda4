// Whether a plugin is there: its status, its signs of life, and the events that tell. Knows nothing of processes.
import { type Clock, isoSeconds, type Timer } from "../core/clock.ts";
import { guarded } from "../core/lifecycle.ts";
import type { Log } from "../core/log.ts";
import { ownBeginning } from "../core/memory-size.ts";
import type { HubEvent } from "../events/catalog.ts";
import type { Heartbeat, Notice, PluginStatus, ReportedStatus } from "./records.ts";

const MOST_NOTICES = 50;
// Hundreds of plugins may say that many.
const MOST_NOTICE_CHARS = 16_384;

export interface PresenceOptions {
  id: string;
  initially: PluginStatus;
  timeoutSecs: number;
  clock: Clock;
  log: Log;
  emit: (event: HubEvent) => void;
  /** Its devices cannot be reached any more. */
  lost: () => void;
  /** It was silent for twice the timeout. */
  hung: () => void;
}

export interface Presence {
  readonly status: PluginStatus;
  readonly lastHeartbeat: string | null;
  readonly version: string | null;
  readonly notices: readonly Notice[];
  /** Begins to expect signs of life; the next registration is announced. */
  expect(): void;
  /** Expects nothing any more. */
  release(): void;
  to(status: PluginStatus, reason?: string): void;
  heartbeat(heartbeat: Heartbeat): void;
  registered(deviceId: string): void;
  reported(status: ReportedStatus): void;
  /** Any other message of it. */
  alive(): void;
}

export function createPresence({
  id,
  initially,
  timeoutSecs,
  clock,
  log,
  emit,
  lost,
  hung,
}: PresenceOptions): Presence {
  let status = initially;
  let lastHeartbeat: string | null = null;
  let version: string | null = null;
  let notices: readonly Notice[] = [];
  let announced = false;
  // A plugin that fails again and again goes offline once, until it was active in between.
  let offlineTold = false;
  let silence: Timer | undefined;

  function to(next: PluginStatus, reason?: string): void {
    if (next === status) return;
    const previous = status;
    status = next;
    if (next === "active") offlineTold = false;
    emit({ type: "plugin_status_changed", plugin_id: id, previous, status, ...(reason && { reason }) });
    if (next === "offline" && !offlineTold) {
      offlineTold = true;
      emit({ type: "plugin_offline", plugin_id: id, reason: reason ?? "it said so" });
    }
    if (next === "offline" || next === "stopped") lost();
  }

  function alive(): void {
    silence?.[Symbol.dispose]();
    silence = clock.after("plugin heartbeat", timeoutSecs * 1000, guarded(log, "plugin silence", expire));
  }

  function expire(): void {
    silence = clock.after("plugin heartbeat", timeoutSecs * 1000, guarded(log, "plugin hung", hung));
    announced = false;
    to("offline", `no heartbeat for ${timeoutSecs} s`);
  }

  return {
    get status() {
      return status;
    },
    get lastHeartbeat() {
      return lastHeartbeat;
    },
    get version() {
      return version;
    },
    get notices() {
      return notices;
    },
    expect() {
      announced = false;
      notices = [];
      alive();
    },
    release() {
      silence?.[Symbol.dispose]();
      silence = undefined;
    },
    to,
    alive,
    heartbeat(heartbeat) {
      alive();
      lastHeartbeat = isoSeconds(clock.now());
      version = shortText(heartbeat.version) ?? version;
      notices = noticesIn(heartbeat.notices);
      to("active");
      emit({
        type: "plugin_heartbeat",
        plugin_id: id,
        version: shortText(heartbeat.version),
        uptime_secs: numberIn(heartbeat.uptime_secs),
        device_count: numberIn(heartbeat.device_count),
      });
    },
    registered(deviceId) {
      alive();
      to("active");
      if (announced) return;
      announced = true;
      emit({ type: "plugin_registered", plugin_id: id, device_id: deviceId });
    },
    reported(reported) {
      if (reported !== "offline") {
        alive();
        to("active");
      } else {
        // The time since its last sign goes on: a process without its connection is restarted in the end.
        announced = false;
        to("offline", "the plugin reported itself offline");
      }
    },
  };
}

function shortText(value: unknown): string | undefined {
  return typeof value === "string" ? ownBeginning(value, 200) : undefined;
}

function numberIn(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function noticesIn(value: unknown): Notice[] {
  if (!Array.isArray(value)) return [];
  let left = MOST_NOTICE_CHARS;
  return value.slice(0, MOST_NOTICES).flatMap((item: Partial<Notice> | null) => {
    const { level, code, message, remedy } = item ?? {};
    if (level !== "info" && level !== "warning" && level !== "error") return [];
    if (typeof code !== "string" || typeof message !== "string") return [];
    const mend = typeof remedy === "string" ? { remedy: ownBeginning(remedy, 1000) } : {};
    const notice = { level, code: ownBeginning(code, 200), message: ownBeginning(message, 1000), ...mend };
    left -= notice.code.length + notice.message.length + (mend.remedy?.length ?? 0);
    return left < 0 ? [] : [notice];
  });
}
