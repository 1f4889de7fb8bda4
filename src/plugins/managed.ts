// A plugin the hub runs: starts it, starts it again when it fails, stops it. What is asked of one plugin happens one
// after the other.
import { createBackoff } from "../core/backoff.ts";
import type { Timer } from "../core/clock.ts";
import { HubError, messageOf } from "../core/errors.ts";
import type { RandomBytes } from "../core/ids.ts";
import { background } from "../core/lifecycle.ts";
import type { Limits } from "../core/limits.ts";
import type { Log } from "../core/log.ts";
import type { HubEvent } from "../events/catalog.ts";
import type { PluginEntry } from "./config.ts";
import { createPresence, type Presence } from "./presence.ts";
import type { LastExit, Notice, PluginRecord } from "./records.ts";
import { failedStart, type Run, type RunOptions, startRun, whyNotRunnable } from "./run.ts";
import { excessOf, type Process } from "./usage.ts";

const STEADY_MS = 60_000;
// A program that is not there will not be there in a second either.
const NOT_RUNNABLE_MS = 60_000;
const HOUR_MS = 3_600_000;
const CRASHES_WORTH_A_NOTICE = 5;

export interface ManagedOptions extends RunOptions {
  log: Log;
  random: RandomBytes;
  emit: (event: HubEvent) => void;
  accounts: PluginAccounts;
  devices: { count(pluginId: string): number; unavailable(pluginId: string): void };
  limits: Limits;
  /** Of the machine, in bytes. */
  totalMemory: number;
}

/** MQTT accounts: a fresh password for each start, unless the entry has its own. */
export interface PluginAccounts {
  issue(id: string, grant: Pick<PluginEntry, "password" | "publish" | "subscribe">): string;
  revoke(id: string): void;
}

export interface Managed extends AsyncDisposable {
  record(): PluginRecord;
  start(): Promise<PluginRecord>;
  stop(): Promise<PluginRecord>;
  restart(): Promise<PluginRecord>;
  log(lines: number): string[];
  /** Where the plugin's own messages go; nowhere while it has no process. */
  presence(): Presence | undefined;
  /** Ends it when it has more than its entry allows, and starts it again. */
  measure(processes: readonly Process[]): void;
  /** What keeps it from running that a person has to mend. */
  problem(): string | undefined;
}

export function createManaged(options: ManagedOptions): Managed {
  const { entry, clock, accounts, devices, output } = options;
  const { id } = entry;
  const log = options.log.child(id);
  const backoff = createBackoff({ firstMs: 1000, longestMs: 60_000 }, options.random);
  const slowly = createBackoff({ firstMs: NOT_RUNNABLE_MS, longestMs: NOT_RUNNABLE_MS }, options.random);
  const presence = createPresence({
    id,
    timeoutSecs: entry.heartbeat_timeout_secs,
    clock,
    log,
    emit: options.emit,
    initially: "stopped",
    lost: () => devices.unavailable(id),
    hung: () => background(log, "restart of a plugin that hangs", inTurn(endHung)),
  });
  const crashes: number[] = [];
  let run: Run | undefined;
  let retry: Timer | undefined;
  let lastExit: LastExit | null = null;
  let restarts = 0;
  let closing = false;
  let turn: Promise<unknown> = Promise.resolve();

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = turn.then(work);
    turn = result.catch(() => {});
    return result;
  }

  function cancelRetry(): void {
    retry?.[Symbol.dispose]();
    retry = undefined;
  }

  function retryAfter(ms: number): void {
    cancelRetry();
    if (closing) return;
    retry = clock.after("plugin restart", ms, () => background(log, "start of a plugin", inTurn(again)));
  }

  async function again(): Promise<void> {
    retry = undefined;
    if (run || closing || presence.status === "stopped") return;
    if (await launch()) restarts++;
  }

  /** True when a process runs; else the next try is set. */
  async function launch(): Promise<boolean> {
    cancelRetry();
    if (closing) return false;
    const reason = whyNotRunnable(options);
    if (reason) return notStarted(new Error(reason), slowly.next());
    presence.to("starting");
    try {
      run = await startRun(options, accounts.issue(id, entry));
    } catch (error) {
      accounts.revoke(id);
      return notStarted(error, backoff.next());
    }
    presence.expect();
    log.info("plugin started", { process: run.pid });
    background(log, "end of a plugin", afterwards(run));
    return true;
  }

  function notStarted(error: unknown, retryMs: number): false {
    const reason = messageOf(error);
    // Said once, not with every try.
    if (lastExit?.reason !== reason) log.error("plugin cannot be started", { reason });
    lastExit = failedStart(error, clock);
    presence.to("offline", reason);
    retryAfter(retryMs);
    return false;
  }

  async function afterwards(ended: Run): Promise<void> {
    const exit = await ended.ended;
    await inTurn(async () => {
      if (run === ended) fell(exit);
    });
  }

  /** It ended without being asked to. */
  function fell(exit: LastExit): void {
    const upMs = clock.mono() - (run?.since ?? 0);
    settle(exit);
    crashes.push(clock.mono());
    if (crashes.length > 1000) crashes.shift();
    if (upMs >= STEADY_MS) backoff.reset();
    const retryMs = backoff.next();
    log.warn("plugin ended", { reason: exit.reason, crashes_last_hour: crashesLastHour(), again_in_ms: retryMs });
    presence.to("offline", exit.reason);
    retryAfter(retryMs);
  }

  function settle(exit: LastExit): void {
    run = undefined;
    lastExit = exit;
    presence.release();
    accounts.revoke(id);
  }

  /** Ends the process if there is one; false when it resists SIGKILL, which only the kernel can cause. */
  async function end(): Promise<boolean> {
    const current = run;
    if (!current) return true;
    if (!(await current.stop())) {
      log.error("plugin process cannot be killed", { process: current.pid });
      return false;
    }
    settle(await current.ended);
    return true;
  }

  async function endHung(): Promise<void> {
    if (!run || presence.status !== "offline" || closing) return;
    await endFor(run, `no heartbeat for ${2 * entry.heartbeat_timeout_secs} s: ended by the hub`);
  }

  async function endGreedy(greedy: Run, reason: string): Promise<void> {
    if (run === greedy && !closing) await endFor(greedy, `${reason}: ended by the hub`);
  }

  /** As if it had fallen by itself, so that it is started again. */
  async function endFor(ended: Run, reason: string): Promise<void> {
    output.note(reason);
    if (!(await ended.stop())) return presence.expect();
    fell({ ...(await ended.ended), reason });
  }

  function measure(processes: readonly Process[]): void {
    const current = run;
    if (!current) return;
    const excess = excessOf(current.pid, processes, { entry, totalMemory: options.totalMemory });
    if (!excess) return;
    options.limits.reached({ limit: excess.limit, account: id, message: `${excess.message}; it is started anew` });
    background(
      log,
      "end of a plugin",
      inTurn(() => endGreedy(current, excess.message)),
    );
  }

  async function halt(reason: string): Promise<void> {
    cancelRetry();
    if (!(await end())) throw new HubError("unavailable", `the process of plugin "${id}" cannot be ended`);
    presence.to("stopped", reason);
  }

  async function begin(): Promise<void> {
    if (closing) throw new HubError("unavailable", "the hub is stopping");
    if (run) return;
    backoff.reset();
    await launch();
  }

  function crashesLastHour(): number {
    const from = clock.mono() - HOUR_MS;
    return crashes.filter((at) => at > from).length;
  }

  function notices(): Notice[] {
    const count = crashesLastHour();
    const own: Notice[] = (run?.refusals() ?? []).map((message) => ({ level: "warning", code: "refused", message }));
    if (count >= CRASHES_WORTH_A_NOTICE)
      own.unshift({
        level: "warning",
        code: "crashes",
        message: `ended ${count} times in the last hour`,
        remedy: "See last_exit.",
      });
    return [...own, ...presence.notices];
  }

  function record(): PluginRecord {
    const { confined, detail } = options.confinement.verdict(entry);
    return {
      id,
      status: presence.status,
      enabled: entry.enabled,
      managed: true,
      pid: run?.pid ?? null,
      confined,
      confined_detail: detail,
      restarts,
      last_heartbeat: presence.lastHeartbeat,
      last_exit: lastExit,
      devices: devices.count(id),
      version: presence.version,
      notices: notices(),
    };
  }

  return {
    record,
    start: () => inTurn(begin).then(record),
    stop: () => inTurn(() => halt("stopped by a person")).then(record),
    restart: () =>
      inTurn(async () => {
        cancelRetry();
        await halt("restarted by a person");
        await begin();
      }).then(record),
    log: (lines) => output.log(lines),
    presence: () => (run ? presence : undefined),
    measure,
    problem: () => (run || presence.status === "stopped" ? undefined : options.confinement.whyNot(entry)),
    async [Symbol.asyncDispose]() {
      closing = true;
      await inTurn(() => halt("the hub stops")).catch((error: unknown) => log.error(messageOf(error)));
      output[Symbol.dispose]();
    },
  };
}
