// What the hub reports to its supervisor (systemd): that it is ready, its state in one line, that it is well, and that it stops.
// sd-notify.ts sends the messages.
import { background } from "../../kit/lifecycle/lifecycle.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import { type Clock, sleep } from "../../kit/time/clock.ts";
import { type Notify, openNotifier } from "./sd-notify.ts";

const STATUS_EVERY_MS = 60_000;

export interface SupervisionOptions {
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  log: Log;
  /** Of this process: the watchdog may be meant for another one. */
  pid: number;
}

export interface Subject {
  /** One line for people. */
  summary(): string;
  /** Whether the hub still does its work. No answer within the time counts as no. */
  isWell(withinMs: number): Promise<boolean>;
}

export interface Supervision extends Disposable {
  /** The hub is up. From now on the watchdog is fed as long as the hub is well. */
  ready(subject: Subject): void;
  stopping(): void;
}

/** Does nothing without a supervisor. */
export function openSupervision({ env, clock, log, pid }: SupervisionOptions): Supervision {
  const notifier = openNotifier(env, log);
  const ended = new AbortController();
  const watchdogMs = watchdogInterval(env, pid);

  async function report({ summary, isWell }: Subject, notify: Notify): Promise<void> {
    const beatMs = watchdogMs === undefined ? STATUS_EVERY_MS : watchdogMs / 2;
    const fed = watchdogMs === undefined ? [] : ["WATCHDOG=1"];
    while (await sleep(clock, "supervision", beatMs, ended.signal)) {
      if (watchdogMs !== undefined) await untilWell(isWell, beatMs / 4);
      if (!ended.signal.aborted) notify(...fed, `STATUS=${line(summary())}`);
    }
  }

  // Repeated in the second half of the interval, so that one slow answer does not end the hub.
  async function untilWell(isWell: Subject["isWell"], patienceMs: number): Promise<void> {
    while (!ended.signal.aborted && !(await isWell(patienceMs))) {
      log.warn("the hub does not answer its own health check", { within_ms: patienceMs });
      await sleep(clock, "supervision again", patienceMs, ended.signal);
    }
  }

  return {
    ready(subject) {
      if (!notifier) return;
      const { notify } = notifier;
      notify("READY=1", `STATUS=${line(subject.summary())}`);
      background(log, "supervision", report(subject, notify));
    },
    stopping() {
      ended.abort();
      notifier?.notify("STOPPING=1", "STATUS=stopping");
    },
    [Symbol.dispose]() {
      ended.abort();
      notifier?.[Symbol.dispose]();
    },
  };
}

// WATCHDOG_PID names the one process that the interval is meant for (sd_watchdog_enabled(3)).
function watchdogInterval(env: SupervisionOptions["env"], pid: number): number | undefined {
  const usecs = Number(env.WATCHDOG_USEC);
  const meant = env.WATCHDOG_PID === undefined || Number(env.WATCHDOG_PID) === pid;
  return meant && Number.isSafeInteger(usecs) && usecs > 0 ? usecs / 1000 : undefined;
}

function line(text: string): string {
  return text.replaceAll(/[\r\n]+/g, " ");
}
