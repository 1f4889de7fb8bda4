// A plugin that the hub runs: starts its process, restarts it when it fails, stops it. Requests to one plugin are carried out one
// after the other.
import { background } from "../../kit/lifecycle/lifecycle.ts";
import type { Limits } from "../../kit/lifecycle/limits.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import { HubError, messageOf } from "../../kit/schema/errors.ts";
import type { RandomBytes } from "../../kit/schema/ids.ts";
import { type Backoff, createBackoff } from "../../kit/time/backoff.ts";
import type { Timer } from "../../kit/time/clock.ts";
import type { PluginAccounts, PluginKeys } from "./credentials.ts";
import { createPresence, type PluginDevices, type Presence, type PresenceOptions } from "./presence.ts";
import {
  failedStart,
  type PluginProcess,
  type ProcessOptions,
  startProcess,
  whyNotRunnable,
} from "./process/plugin-process.ts";
import { excessOf, type Process, type Usage, usageOf } from "./process/usage.ts";
import type { LastExit, Notice, PluginRecord } from "./records.ts";

const STEADY_MS = 60_000;
// A missing program will not be there a second later.
const NOT_RUNNABLE_MS = 60_000;
const HOUR_MS = 3_600_000;
const CRASHES_WORTH_A_NOTICE = 5;
const MAX_CRASHES = 1000;

export interface ManagedPluginOptions extends ProcessOptions, Pick<PresenceOptions, "cutOff" | "emit"> {
  log: Log;
  random: RandomBytes;
  accounts: PluginAccounts;
  keys: PluginKeys;
  devices: PluginDevices;
  limits: Limits;
  /** Called before a process of it is started. */
  onStart: () => void;
  /** Of the machine, in bytes. */
  totalMemory: number;
}

export class ManagedPlugin implements AsyncDisposable {
  readonly #options: ManagedPluginOptions;
  readonly #id: string;
  readonly #log: Log;
  readonly #backoff: Backoff;
  readonly #slowBackoff: Backoff;
  readonly #presence: Presence;
  readonly #crashes: number[] = [];
  #process: PluginProcess | undefined;
  #retry: Timer | undefined;
  /** Its start waits for the broker. */
  #waiting: { isRestart: boolean } | undefined;
  #measured: (Usage & { pid: number }) | undefined;
  #lastExit: LastExit | null = null;
  #restarts = 0;
  #closing = false;
  /** Its process is being ended: what it says of its own end is no news. */
  #isEnding = false;
  /** Why the hub ends its process by itself: the reason of its exit, also where it ends only later. */
  #crashReason: string | undefined;
  #lastRequest: Promise<unknown> = Promise.resolve();

  constructor(options: ManagedPluginOptions) {
    const { entry, clock, random, emit, devices, cutOff } = options;
    this.#options = options;
    this.#id = entry.id;
    this.#log = options.log.child(entry.id);
    this.#backoff = createBackoff({ firstMs: 1000, maxMs: 60_000 }, random);
    this.#slowBackoff = createBackoff({ firstMs: NOT_RUNNABLE_MS, maxMs: NOT_RUNNABLE_MS }, random);
    this.#presence = createPresence({
      id: entry.id,
      timeoutSecs: entry.heartbeat_timeout_secs,
      clock,
      log: this.#log,
      emit,
      initially: "stopped",
      ...(cutOff && { cutOff }),
      markSeen: () => devices.markSeen(entry.id),
      lost: () => devices.unavailable(entry.id),
      hung: () => this.#background("restart of a plugin that hangs", () => this.#endHung()),
    });
  }

  start(): Promise<PluginRecord> {
    return this.#enqueue(() => this.#start()).then(() => this.record());
  }

  stop(): Promise<PluginRecord> {
    return this.#enqueue(() => this.#stop("stopped by a person")).then(() => this.record());
  }

  restart(): Promise<PluginRecord> {
    const restart = async (): Promise<void> => {
      await this.#stop("restarted by a person");
      await this.#start();
    };
    return this.#enqueue(restart).then(() => this.record());
  }

  /** The hub receives plugins from now on: starts it where that was waited for. */
  brokerConnected(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    this.#background("start of a plugin", async () => {
      if (this.#waiting === waiting) await this.#launch(waiting);
    });
  }

  log(lines: number): string[] {
    return this.#options.output.log(lines);
  }

  /** Receives the plugin's own messages; undefined while it has no process, or this is being ended. */
  presence(): Presence | undefined {
    return this.#process && !this.#isEnding ? this.#presence : undefined;
  }

  /** What keeps it from running until a person corrects it. */
  problem(): string | undefined {
    const { confinement, entry } = this.#options;
    return this.#process || this.#presence.status === "stopped" ? undefined : confinement.whyNot(entry);
  }

  /** Restarts it when it uses more than its entry allows. */
  measure(processes: readonly Process[]): void {
    const { entry, totalMemory, limits } = this.#options;
    const current = this.#process;
    if (!current) return;
    const usage = usageOf(current.pid, processes);
    this.#measured = { ...usage, pid: current.pid };
    const excess = excessOf(usage, { entry, totalMemory });
    if (!excess) return;
    limits.reached({ limit: excess.limit, account: this.#id, message: `${excess.message}; it is restarted` });
    this.#background("end of a plugin", () => this.#endGreedy(current, excess.message));
  }

  record(): PluginRecord {
    const { entry, confinement, devices } = this.#options;
    const { confined, heldBy, detail } = confinement.verdict(entry);
    return {
      id: this.#id,
      status: this.#presence.status,
      enabled: entry.enabled,
      managed: true,
      pid: this.#process?.pid ?? null,
      memory_bytes: this.#process && this.#measured?.pid === this.#process.pid ? this.#measured.bytes : null,
      confined,
      held_by: heldBy,
      confined_detail: detail,
      restarts: this.#restarts,
      last_heartbeat: this.#presence.lastHeartbeat,
      last_exit: this.#lastExit,
      devices: devices.count(this.#id),
      version: this.#presence.version,
      notices: this.#notices(),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing = true;
    await this.#enqueue(() => this.#stop("the hub stops")).catch((error: unknown) => this.#log.error(messageOf(error)));
    this.#options.output[Symbol.dispose]();
  }

  /** Runs the work when all earlier work has ended. */
  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#lastRequest.then(work);
    this.#lastRequest = result.catch(() => {});
    return result;
  }

  #background(name: string, work: () => Promise<unknown>): void {
    background(this.#log, name, this.#enqueue(work));
  }

  async #start(): Promise<void> {
    if (this.#closing) throw new HubError("unavailable", "the hub is stopping");
    if (this.#process) return;
    this.#backoff.reset();
    await this.#launch({ isRestart: false });
  }

  async #stop(reason: string): Promise<void> {
    this.#cancelRetry();
    if (!(await this.#endProcess()))
      throw new HubError("unavailable", `the process of plugin "${this.#id}" cannot be ended`);
    this.#presence.to("stopped", reason);
  }

  /** Where it cannot run now, a retry is scheduled, or its start waits for the broker. */
  async #launch(how: { isRestart: boolean }): Promise<void> {
    const { entry, accounts, keys, cutOff } = this.#options;
    this.#cancelRetry();
    if (this.#closing) return;
    const reason = whyNotRunnable(this.#options);
    if (reason) return this.#startFailed(new Error(reason), this.#slowBackoff.next());
    this.#presence.to("starting");
    // The broker does not keep registrations: one that the hub does not receive is lost until the plugin connects again.
    if (cutOff?.()) {
      this.#waiting = how;
      this.#log.info("plugin is started once the MQTT broker is there");
      return;
    }
    this.#options.onStart();
    try {
      const api = entry.api && keys.issue(this.#id, entry.api);
      this.#process = await startProcess(this.#options, { password: accounts.issue(this.#id, entry), api });
    } catch (error) {
      this.#revoke();
      return this.#startFailed(error, this.#backoff.next());
    }
    this.#presence.expect();
    if (how.isRestart) this.#restarts++;
    this.#log.info("plugin started", { process: this.#process.pid });
    background(this.#log, "end of a plugin", this.#watch(this.#process));
  }

  #revoke(): void {
    for (const credentials of [this.#options.accounts, this.#options.keys]) credentials.revoke(this.#id);
  }

  #startFailed(error: unknown, retryMs: number): void {
    const reason = messageOf(error);
    // Logged once, not for every try.
    if (this.#lastExit?.reason !== reason) this.#log.error("plugin cannot be started", { reason });
    this.#lastExit = failedStart(error, this.#options.clock);
    this.#presence.gone(reason);
    this.#retryAfter(retryMs);
  }

  #retryAfter(ms: number): void {
    this.#cancelRetry();
    if (this.#closing) return;
    const retry = (): void => this.#background("start of a plugin", () => this.#retryNow());
    this.#retry = this.#options.clock.after("plugin restart", ms, retry);
  }

  #cancelRetry(): void {
    this.#retry?.[Symbol.dispose]();
    this.#retry = undefined;
    this.#waiting = undefined;
  }

  async #retryNow(): Promise<void> {
    this.#retry = undefined;
    if (this.#process || this.#closing || this.#presence.status === "stopped") return;
    await this.#launch({ isRestart: true });
  }

  async #watch(watched: PluginProcess): Promise<void> {
    const exit = await watched.ended;
    await this.#enqueue(async () => {
      if (this.#process === watched) this.#crashed(exit);
    });
  }

  /** It ended without being asked to. */
  #crashed(ended: LastExit): void {
    const { clock } = this.#options;
    const exit = { ...ended, reason: this.#crashReason ?? ended.reason };
    const upMs = clock.mono() - (this.#process?.since ?? 0);
    this.#processEnded(exit);
    this.#crashes.push(clock.mono());
    if (this.#crashes.length > MAX_CRASHES) this.#crashes.shift();
    if (upMs >= STEADY_MS) this.#backoff.reset();
    const again_in_ms = this.#backoff.next();
    const { reason } = exit;
    this.#log.warn("plugin ended", { reason, crashes_last_hour: this.#crashesLastHour(), again_in_ms });
    this.#presence.gone(reason);
    this.#retryAfter(again_in_ms);
  }

  #processEnded(exit: LastExit): void {
    this.#process = undefined;
    this.#isEnding = false;
    this.#crashReason = undefined;
    this.#lastExit = exit;
    this.#presence.release();
    this.#revoke();
  }

  /** Ends the process if there is one; false when it survives SIGKILL, which only the kernel can cause. */
  async #endProcess(): Promise<boolean> {
    const current = this.#process;
    if (!current) return true;
    if (!(await this.#stopProcess(current))) {
      this.#log.error("plugin process cannot be killed", { process: current.pid });
      return false;
    }
    this.#processEnded(await current.ended);
    return true;
  }

  async #stopProcess(current: PluginProcess): Promise<boolean> {
    this.#isEnding = true;
    const ended = await current.stop();
    if (!ended) this.#isEnding = false;
    return ended;
  }

  async #endHung(): Promise<void> {
    if (!this.#process || this.#presence.status !== "offline" || this.#closing) return;
    const silenceSecs = 2 * this.#options.entry.heartbeat_timeout_secs;
    await this.#endAsCrash(this.#process, `no heartbeat for ${silenceSecs} s: ended by the hub`);
  }

  async #endGreedy(greedy: PluginProcess, reason: string): Promise<void> {
    if (this.#process === greedy && !this.#closing) await this.#endAsCrash(greedy, `${reason}: ended by the hub`);
  }

  /** Ends it and treats that as a crash, so that it is restarted. */
  async #endAsCrash(current: PluginProcess, reason: string): Promise<void> {
    this.#options.output.note(reason);
    this.#crashReason = reason;
    if (!(await this.#stopProcess(current))) return this.#presence.expect();
    this.#crashed(await current.ended);
  }

  #crashesLastHour(): number {
    const from = this.#options.clock.mono() - HOUR_MS;
    return this.#crashes.filter((at) => at > from).length;
  }

  #notices(): Notice[] {
    const denials = (this.#process?.denials() ?? []).map(
      (message): Notice => ({ level: "warning", code: "refused", message }),
    );
    const count = this.#crashesLastHour();
    const message = `ended ${count} times in the last hour`;
    const crashes: Notice = { level: "warning", code: "crashes", message, remedy: "See last_exit." };
    return [...(count >= CRASHES_WORTH_A_NOTICE ? [crashes] : []), ...denials, ...this.#presence.notices];
  }
}
