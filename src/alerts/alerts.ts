// The alerts: asks every watch now and then, and turns what begins and ends into an entry, an event, a log line and a
// notification, once each.
import type { Clock } from "../core/clock.ts";
import { messageOf } from "../core/errors.ts";
import { background } from "../core/lifecycle.ts";
import type { Log } from "../core/log.ts";
import { type Alert, type AlertKind, alertId, type Finding, type Watch } from "./alert.ts";

export interface Alerts extends Disposable {
  /** Those that last first, then those that ended, the newest first. */
  list(): readonly Alert[];
  /** The kinds that last. */
  degraded(): readonly AlertKind[];
}

export interface AlertsOptions {
  watches: readonly Watch[];
  clock: Clock;
  log: Log;
  emit(event: AlertEvent): void;
  /** Sends to whoever hears of it; nothing where nobody does. May reject. */
  notify: (alert: Pick<Alert, "kind" | "severity">, title: string, message: string) => Promise<void>;
  memory: AlertMemory;
}

/** Which alerts lasted when the hub stopped, so that a restart reports none of them again, and the end of each: one a line. */
export interface AlertMemory {
  load(): readonly string[];
  save(lines: readonly string[]): void;
}

export interface AlertEvent extends Omit<Finding, "about"> {
  type: "alert";
  id: string;
  state: "raised" | "cleared";
}

const LOOK_EVERY_MS = 5000;
// A problem that comes and goes is one: it ends when it was away for this long.
const CLEARED_AFTER_MS = 60_000;
const MOST_ENDED = 100;
// What is found is named by guests, too.
const MOST_ACTIVE = 200;

interface Active {
  alert: Alert;
  lastSeen: number;
}

export function startAlerts({ watches, clock, log, emit, notify, memory }: AlertsOptions): Alerts {
  const active = new Map<string, Active>();
  const ended: Alert[] = [];
  // Reported before the restart: they go on silently if they are found again, and are over if they are not.
  const known = new Map(memory.load().map((line) => [idIn(line), findingIn(line)]));
  const begun = clock.mono();
  let saved = [...known.keys()].sort().join();

  const idsNow = (): string[] => [...active.keys(), ...known.keys()].sort();

  const remembered = (): string[] => [
    ...[...active.values()].map(({ alert }) => lineOf(alert)),
    ...[...known].map(([id, finding]) => (finding ? lineOf({ ...finding, id }) : id)),
  ];

  function remember(): void {
    const ids = idsNow().join();
    if (ids === saved) return;
    try {
      memory.save(remembered());
      saved = ids;
    } catch (error) {
      // The disk may be the very problem; after a restart it is reported once more.
      log.debug("alerts cannot be remembered", { error: messageOf(error) });
    }
  }

  function report(alert: Alert, state: AlertEvent["state"]): void {
    const { id, kind, severity, message, mend } = alert;
    emit({ type: "alert", id, kind, severity, state, message, mend });
    if (state === "cleared") log.info("an alert is over", { alert: id });
    else if (severity === "info") log.info(message, { alert: id, mend });
    else log[severity === "critical" ? "error" : "warn"](message, { alert: id, mend });
    const text = state === "raised" ? `${message}. ${mend}` : `Over: ${message}`;
    background(log, "alert notification", notify(alert, "Hub Alert", text));
  }

  function raise(finding: Finding, now: number): void {
    const id = alertId(finding);
    const held = active.get(id);
    if (held) {
      held.lastSeen = now;
      Object.assign(held.alert, finding);
      return;
    }
    if (active.size >= MOST_ACTIVE) return;
    const alert: Alert = { ...finding, id, since: clock.now(), until: undefined };
    active.set(id, { alert, lastSeen: now });
    if (!known.delete(id)) report(alert, "raised");
  }

  function clearQuiet(now: number): void {
    for (const [id, { alert, lastSeen }] of active) {
      if (now - lastSeen < CLEARED_AFTER_MS) continue;
      active.delete(id);
      alert.until = clock.now();
      ended.unshift(alert);
      ended.length = Math.min(ended.length, MOST_ENDED);
      report(alert, "cleared");
    }
  }

  /** What a hub before this one reported, and this one does not find. */
  function clearKnown(now: number): void {
    if (now - begun < CLEARED_AFTER_MS) return;
    for (const [id, finding] of known) {
      known.delete(id);
      // That a clock was set or a hub was killed is news, and no state that ends.
      if (!finding || finding.severity === "info") continue;
      const alert: Alert = { ...finding, id, since: clock.now(), until: clock.now() };
      ended.unshift(alert);
      ended.length = Math.min(ended.length, MOST_ENDED);
      report(alert, "cleared");
    }
  }

  function look(): void {
    const now = clock.mono();
    for (const watch of watches) {
      try {
        const findings = watch.look((kind, about) =>
          active.has(alertId({ kind, ...(about !== undefined && { about }) })),
        );
        for (const finding of findings) raise(finding, now);
      } catch (error) {
        log.warn("a watch failed", { watch: watch.name, error: messageOf(error) });
      }
    }
    clearQuiet(now);
    clearKnown(now);
    remember();
  }

  const timer = clock.every("alerts", LOOK_EVERY_MS, look);
  look();

  return {
    list: () => [...[...active.values()].map(({ alert }) => alert).reverse(), ...ended],
    degraded: () => [...new Set([...active.values()].map(({ alert }) => alert.kind))],
    [Symbol.dispose]: () => timer[Symbol.dispose](),
  };
}

function lineOf({ id, kind, about, severity, message, mend }: Omit<Alert, "since" | "until">): string {
  return JSON.stringify({ id, kind, about, severity, message, mend });
}

function parsed(line: string): (Finding & { id: string }) | undefined {
  // Hubs before this one kept the id alone.
  if (!line.startsWith("{")) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function idIn(line: string): string {
  return parsed(line)?.id ?? line;
}

function findingIn(line: string): Finding | undefined {
  return parsed(line);
}
