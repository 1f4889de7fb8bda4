// The alerts: runs every watch now and then, and reports the beginning and the end of each problem once, by an entry, an
// event, a log line and a notification.
import { background } from "../../kit/lifecycle/lifecycle.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import { messageOf } from "../../kit/schema/errors.ts";
import type { Clock, Timer } from "../../kit/time/clock.ts";
import { type Alert, type AlertKind, alertId, type Finding, saidBy, type Watch } from "./alert.ts";

export interface AlertsOptions {
  watches: readonly Watch[];
  clock: Clock;
  log: Log;
  emit(event: AlertEvent): void;
  /** Sends a notification, if anybody is to be notified. May reject. */
  notify: (alert: Pick<Alert, "kind" | "severity">, title: string, message: string) => Promise<void>;
  memory: AlertMemory;
}

/** Stores the alerts that last, one a line, so that a restart does not report them again but reports their end. */
export interface AlertMemory {
  load(): readonly string[];
  save(lines: readonly string[]): void;
}

export interface AlertEvent extends Omit<Finding, "about"> {
  type: "alert";
  id: string;
  state: "raised" | "cleared";
}

const CHECK_EVERY_MS = 5000;
// A problem that comes and goes is one alert: it ends after this time without the problem.
const CLEARED_AFTER_MS = 60_000;
const MAX_ENDED = 100;
// Some alerts are named after guests, who could make up any number of names.
const MAX_ACTIVE = 200;

interface Active {
  alert: Alert;
  lastSeen: number;
}

export function startAlerts(options: AlertsOptions): Alerts {
  return new Alerts(options);
}

export class Alerts implements Disposable {
  readonly #options: AlertsOptions;
  readonly #timer: Timer;
  readonly #startedMono: number;
  readonly #active = new Map<string, Active>();
  /** Newest first. */
  readonly #ended: Alert[] = [];
  /** Reported before the restart: silent if they are found again, over if they are not. Some were stored by their id alone. */
  readonly #reported: Map<string, Finding | undefined>;
  #savedIds: string;

  constructor(options: AlertsOptions) {
    this.#options = options;
    this.#startedMono = options.clock.mono();
    this.#reported = new Map(options.memory.load().map(parseLine));
    this.#savedIds = this.#ids();
    this.#timer = options.clock.every("alerts", CHECK_EVERY_MS, () => this.#check());
    this.#check();
  }

  /** Those that last, then those that ended; the newest first. */
  list(): readonly Alert[] {
    return [...[...this.#active.values()].map(({ alert }) => alert).reverse(), ...this.#ended];
  }

  /** The kinds of those that last. */
  degraded(): readonly AlertKind[] {
    return [...new Set([...this.#active.values()].map(({ alert }) => alert.kind))];
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }

  #check(): void {
    const now = this.#options.clock.mono();
    const isRaised = (kind: AlertKind, about?: string): boolean => this.#active.has(alertId({ kind, about }));
    for (const watch of this.#options.watches) {
      try {
        for (const finding of watch.check(isRaised)) this.#raise(finding, now);
      } catch (error) {
        this.#options.log.warn("a watch failed", { watch: watch.name, error: messageOf(error) });
      }
    }
    this.#clear(now);
    if (now - this.#startedMono >= CLEARED_AFTER_MS) this.#clearReported();
    this.#save();
  }

  #raise(finding: Finding, now: number): void {
    const id = alertId(finding);
    const active = this.#active.get(id);
    if (active) {
      active.lastSeen = now;
      Object.assign(active.alert, finding);
      return;
    }
    if (this.#active.size >= MAX_ACTIVE) return;
    const alert: Alert = { ...finding, id, since: this.#options.clock.now(), until: undefined };
    this.#active.set(id, { alert, lastSeen: now });
    if (!this.#reported.delete(id)) this.#report(alert, "raised");
  }

  #clear(now: number): void {
    for (const [id, { alert, lastSeen }] of this.#active) {
      if (now - lastSeen < CLEARED_AFTER_MS) continue;
      this.#active.delete(id);
      this.#end(alert);
    }
  }

  /** Ends the alerts that were reported before the restart and are not found after it. */
  #clearReported(): void {
    for (const [id, finding] of this.#reported) {
      this.#reported.delete(id);
      // A clock that was set or a hub that was killed is news, not a state that ends.
      if (finding && finding.severity !== "info")
        this.#end({ ...finding, id, since: this.#options.clock.now(), until: undefined });
    }
  }

  #end(alert: Alert): void {
    alert.until = this.#options.clock.now();
    this.#ended.unshift(alert);
    this.#ended.length = Math.min(this.#ended.length, MAX_ENDED);
    this.#report(alert, "cleared");
  }

  #report(alert: Alert, state: AlertEvent["state"]): void {
    const { log, emit, notify } = this.#options;
    const { id, kind, severity, message, mend } = alert;
    emit({ type: "alert", id, kind, severity, state, message, mend, ...saidBy(alert) });
    if (state === "cleared") log.info("an alert is over", { alert: id });
    else if (severity === "info") log.info(message, { alert: id, mend });
    else log[severity === "critical" ? "error" : "warn"](message, { alert: id, mend });
    const text = state === "raised" ? `${message}. ${mend}` : `Over: ${message}`;
    background(log, "alert notification", notify(alert, "Hub Alert", text));
  }

  #ids(): string {
    return [...this.#active.keys(), ...this.#reported.keys()].sort().join();
  }

  #save(): void {
    const ids = this.#ids();
    if (ids === this.#savedIds) return;
    try {
      this.#options.memory.save([
        ...[...this.#active.values()].map(({ alert }) => lineOf(alert)),
        ...[...this.#reported].map(([id, finding]) => (finding ? lineOf({ ...finding, id }) : id)),
      ]);
      this.#savedIds = ids;
    } catch (error) {
      // The disk may be the very problem; then a restart reports the alerts once more.
      this.#options.log.debug("the alerts cannot be saved", { error: messageOf(error) });
    }
  }
}

function lineOf({ id, kind, about, severity, message, mend, variant, values }: Omit<Alert, "since" | "until">): string {
  return JSON.stringify({ id, kind, about, severity, message, mend, variant, values });
}

function parseLine(line: string): [id: string, finding: Finding | undefined] {
  try {
    const finding = JSON.parse(line) as Finding & { id: string };
    return [finding.id, finding];
  } catch {
    // Earlier hubs stored the id alone.
    return [line, undefined];
  }
}
