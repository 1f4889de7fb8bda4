// The heartbeat, and the notices it contains.
import type { JsonObject } from "./json.ts";

const SDK_VERSION = "1.0.0";
const PROTOCOL_VERSION = "1";

/** Something a person should know until it is cleared. */
export interface Notice {
  level: "info" | "warning" | "error";
  /** Identifies the notice; a second one with the same code replaces the first. */
  code: string;
  message: string;
  /** What the person can do about it. */
  remedy?: string;
}

export interface HeartbeatOptions {
  version: string;
  everyMs: number;
  deviceCount(): number;
  send(body: object): void;
  /** Called when the first `error` notice is added or the last one cleared. */
  onStatus(status: "active" | "degraded"): void;
}

export interface Heartbeat extends Disposable {
  readonly status: "active" | "degraded";
  beat(): void;
  notice(notice: Notice): void;
  clearNotice(code: string): void;
  clearNotices(): void;
  uptime(): JsonObject;
}

export function startHeartbeat({ version, everyMs, deviceCount, send, onStatus }: HeartbeatOptions): Heartbeat {
  const startedAt = performance.now();
  const notices = new Map<string, Notice>();
  let lastStatus: "active" | "degraded" = "active";
  let soon: ReturnType<typeof setTimeout> | undefined;

  const uptime = () => ({ version, uptime_secs: Math.floor((performance.now() - startedAt) / 1000) });
  const status = () => ([...notices.values()].some(({ level }) => level === "error") ? "degraded" : "active");

  function beat(): void {
    send({
      timestamp: new Date().toISOString(),
      ...uptime(),
      sdk_version: SDK_VERSION,
      protocol_version: PROTOCOL_VERSION,
      device_count: deviceCount(),
      notices: [...notices.values()],
    });
  }

  // A notice does not wait for the next heartbeat; several notices share one.
  function changed(): void {
    soon ??= setTimeout(() => {
      soon = undefined;
      beat();
    }, 50);
    const now = status();
    if (now !== lastStatus) onStatus(now);
    lastStatus = now;
  }

  const timer = setInterval(beat, everyMs);
  return {
    get status() {
      return status();
    },
    beat,
    uptime,
    notice(notice) {
      if (Bun.deepEquals(notices.get(notice.code), notice)) return;
      notices.set(notice.code, notice);
      changed();
    },
    clearNotice(code) {
      if (notices.delete(code)) changed();
    },
    clearNotices() {
      if (notices.size === 0) return;
      notices.clear();
      changed();
    },
    [Symbol.dispose]() {
      clearInterval(timer);
      clearTimeout(soon);
    },
  };
}
