// Whether a plugin is alive: its status, its heartbeats, and the events about them. Independent of processes. That it cannot be
// reached for now is a status; `plugin_offline` says that its heartbeats have stopped for good, or its process has ended unasked. Every message is a
// sign of life; silence means something only from a plugin that has said nothing yet, or has ever sent heartbeats.
import { guarded } from "../../kit/lifecycle/lifecycle.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import { ownBeginning } from "../../kit/schema/memory-size.ts";
import { type Clock, isoSeconds, type Timer } from "../../kit/time/clock.ts";
import type { HubEvent } from "../../server/events/catalog.ts";
import type { Heartbeat, Notice, PluginStatus, ReportedStatus } from "./records.ts";

const MAX_NOTICES = 50;
// Hundreds of plugins may send that many.
const MAX_NOTICE_CHARS = 16_384;

/** The devices of a plugin, as far as its presence decides about them. */
export interface PluginDevices {
  count(pluginId: string): number;
  /** It is there: its devices are again what they were before the hub's restart. */
  markSeen(pluginId: string): void;
  /** It is gone. */
  unavailable(pluginId: string): void;
}

export interface PresenceOptions {
  id: string;
  initially: PluginStatus;
  timeoutSecs: number;
  clock: Clock;
  log: Log;
  emit: (event: HubEvent) => void;
  /** Whether no plugin can be seen now, as the broker is gone: silence then says nothing. */
  cutOff?: () => boolean;
  /** Called at each sign of life. */
  markSeen: () => void;
  /** Called when its devices can no longer be reached. */
  lost: () => void;
  /** Called when one that has sent heartbeats was silent for twice the timeout. */
  hung: () => void;
}

export interface Presence {
  readonly status: PluginStatus;
  readonly lastHeartbeat: string | null;
  readonly version: string | null;
  readonly notices: readonly Notice[];
  /** Starts the timeout; the next registration is announced. */
  expect(): void;
  /** Stops the timeout. */
  release(): void;
  /** Changes the status. */
  to(status: PluginStatus, reason?: string): void;
  /** Its process ended, or could not be started, although nobody wanted that: `plugin_offline`. */
  gone(reason: string): void;
  heartbeat(heartbeat: Heartbeat): void;
  registered(deviceId: string): void;
  /** `byWill`: the broker said so, as its connection broke off; undefined where that is not known. */
  reported(status: ReportedStatus, byWill?: boolean): void;
  /** It sent any other message. */
  alive(): void;
}

export function createPresence({
  id,
  initially,
  timeoutSecs,
  clock,
  log,
  emit,
  cutOff,
  markSeen,
  lost,
  hung,
}: PresenceOptions): Presence {
  let status = initially;
  let lastHeartbeat: string | null = null;
  let version: string | null = null;
  let notices: readonly Notice[] = [];
  let announced = false;
  // A plugin that fails repeatedly is reported offline once, until it was active again.
  let offlineReported = false;
  let silence: Timer | undefined;
  const timeoutMs = timeoutSecs * 1000;
  /** Monotonic ms. */
  let lastSeenAt = clock.mono();
  let sendsHeartbeats = false;

  function to(next: PluginStatus, reason?: string): void {
    if (next === status) return;
    const previous = status;
    status = next;
    if (next === "active") offlineReported = false;
    emit({ type: "plugin_status_changed", plugin_id: id, previous, status, ...(reason && { reason }) });
    if (next === "offline" || next === "stopped") lost();
  }

  function gone(reason: string): void {
    to("offline", reason);
    if (offlineReported) return;
    offlineReported = true;
    emit({ type: "plugin_offline", plugin_id: id, reason });
  }

  function alive(): void {
    lastSeenAt = clock.mono();
    markSeen();
    to("active");
  }

  function watch(ms: number): void {
    silence?.[Symbol.dispose]();
    silence = clock.after("plugin heartbeat", ms, guarded(log, "plugin silence", judge));
  }

  function judge(): void {
    silence = undefined;
    if (cutOff?.()) {
      lastSeenAt = clock.mono();
      watch(timeoutMs);
      return;
    }
    const silentMs = clock.mono() - lastSeenAt;
    const isLong = silentMs >= 2 * timeoutMs;
    if (status === "active" && !sendsHeartbeats) return;
    if (silentMs < timeoutMs) watch(timeoutMs - silentMs);
    else if (isLong && sendsHeartbeats && status === "offline") hung();
    else {
      announced = false;
      gone(sendsHeartbeats ? `no heartbeat for ${timeoutSecs} s` : `it sent nothing within ${timeoutSecs} s`);
      if (sendsHeartbeats) watch(isLong ? timeoutMs : 2 * timeoutMs - silentMs);
    }
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
      lastSeenAt = clock.mono();
      watch(timeoutMs);
    },
    release() {
      silence?.[Symbol.dispose]();
      silence = undefined;
    },
    to,
    gone,
    alive,
    heartbeat(heartbeat) {
      sendsHeartbeats = true;
      lastSeenAt = clock.mono();
      markSeen();
      if (!silence) watch(timeoutMs);
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
      if (announced) return;
      announced = true;
      emit({ type: "plugin_registered", plugin_id: id, device_id: deviceId });
    },
    reported(reported, byWill) {
      if (reported !== "offline") return alive();
      announced = false;
      to("offline", wordsFor(byWill));
      // The timeout continues: that it does not come back is `plugin_offline`, and a process that lost its connection is restarted.
      if (silence) return;
      lastSeenAt = clock.mono();
      watch(timeoutMs);
    },
  };
}

function wordsFor(byWill: boolean | undefined): string {
  if (byWill) return "its MQTT connection broke off";
  const said = "the plugin reported itself offline";
  return byWill === undefined ? `${said}, or its MQTT connection broke off` : said;
}

function shortText(value: unknown): string | undefined {
  return typeof value === "string" ? ownBeginning(value, 200) : undefined;
}

function numberIn(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function noticesIn(value: unknown): Notice[] {
  if (!Array.isArray(value)) return [];
  let left = MAX_NOTICE_CHARS;
  return value.slice(0, MAX_NOTICES).flatMap((item: Partial<Notice> | null) => {
    const { level, code, message, remedy } = item ?? {};
    if (level !== "info" && level !== "warning" && level !== "error") return [];
    if (typeof code !== "string" || typeof message !== "string") return [];
    const mend = typeof remedy === "string" ? { remedy: ownBeginning(remedy, 1000) } : {};
    const notice = { level, code: ownBeginning(code, 200), message: ownBeginning(message, 1000), ...mend };
    left -= notice.code.length + notice.message.length + (mend.remedy?.length ?? 0);
    return left < 0 ? [] : [notice];
  });
}
