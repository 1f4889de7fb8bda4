// What the hub reports to its supervisor (systemd): that it is ready, its state in one line, that it is well, and that it stops.
import { dlopen, ptr } from "bun:ffi";
import { background } from "../../kit/lifecycle/lifecycle.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import { messageOf } from "../../kit/schema/errors.ts";
import { type Clock, sleep } from "../../kit/time/clock.ts";

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

/** Sends lines such as `READY=1`; false when that failed. */
type Notify = (...assignments: string[]) => boolean;

interface Notifier extends Disposable {
  notify: Notify;
}

// Linux on x64 and arm64 alike.
const AF_UNIX = 1;
const SOCK_DGRAM_CLOEXEC = 2 | 0o2000000;
const SOL_SOCKET = 1;
const SO_SNDTIMEO = 21;
const MSG_NOSIGNAL = 0x4000;
const SUN_PATH_BYTES = 108;

const SYMBOLS = {
  socket: { args: ["i32", "i32", "i32"], returns: "i32" },
  setsockopt: { args: ["i32", "i32", "i32", "ptr", "u32"], returns: "i32" },
  sendto: { args: ["i32", "ptr", "u64", "i32", "ptr", "u32"], returns: "i64" },
  close: { args: ["i32"], returns: "i32" },
} as const;

/** A notifier for the socket that the environment names; undefined where there is none, or it cannot be opened. */
function openNotifier(env: Readonly<Record<string, string | undefined>>, log: Log): Notifier | undefined {
  const named = env.NOTIFY_SOCKET;
  if (!named) return undefined;
  const address = socketAddress(named);
  if (!address || process.platform !== "linux") {
    log.debug("no messages are sent to systemd: this kind of socket is not supported", { socket: named });
    return undefined;
  }
  try {
    return connect(address, log);
  } catch (error) {
    log.debug("no messages are sent to systemd", { socket: named, error: messageOf(error) });
    return undefined;
  }
}

// Neither Node nor Bun has Unix datagram sockets, so this calls libc. It works with musl, too: its loader accepts glibc's name.
function connect(address: Uint8Array, log: Log): Notifier {
  const library = dlopen("libc.so.6", SYMBOLS);
  const { socket, setsockopt, sendto, close } = library.symbols;
  const descriptor = socket(AF_UNIX, SOCK_DGRAM_CLOEXEC, 0);
  if (descriptor < 0) {
    library.close();
    throw new Error("no socket can be opened");
  }
  // A full queue at the other end must not block the hub: one second, as seconds and microseconds.
  const oneSecond = new BigInt64Array([1n, 0n]);
  setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, ptr(oneSecond), oneSecond.byteLength);
  return {
    notify(...assignments) {
      const message = new TextEncoder().encode(assignments.join("\n"));
      const sent = sendto(descriptor, ptr(message), message.length, MSG_NOSIGNAL, ptr(address), address.length);
      if (Number(sent) !== message.length) log.debug("a message to systemd could not be sent", { assignments });
      return Number(sent) === message.length;
    },
    [Symbol.dispose]() {
      close(descriptor);
      library.close();
    },
  };
}

/** `struct sockaddr_un` for a path, or for the abstract name behind an `@`; undefined for anything else. */
function socketAddress(named: string): Uint8Array | undefined {
  if (!/^[@/]./.test(named)) return undefined;
  const name = new TextEncoder().encode(named);
  if (name.length > SUN_PATH_BYTES) return undefined;
  const address = new Uint8Array(2 + name.length);
  new DataView(address.buffer).setUint16(0, AF_UNIX, true);
  address.set(name, 2);
  // An abstract name begins with a zero byte. Neither kind needs an end mark: the length is passed.
  if (named.startsWith("@")) address[2] = 0;
  return address;
}
