// One target: brings it up to date, tries it out, and proves now and then that a copy is good. When, is for others to say.
import { mkdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Fence } from "../../../kit/lifecycle/fence.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import type { RandomBytes } from "../../../kit/schema/ids.ts";
import { type Clock, isoSeconds } from "../../../kit/time/clock.ts";
import type { HubEvent } from "../../../server/events/catalog.ts";
import type { Home } from "../../../server/home/paths.ts";
import { lockBackups } from "../backup-lock.ts";
import type { Schemas } from "../database-copies.ts";
import { placesIn } from "../places.ts";
import { archivesIn } from "../scheduled-backups.ts";
import { stageOnThread } from "../stage-task.ts";
import { addressOf, type BackupTarget } from "./config.ts";
import type { FetchJob, Job, JobReport, JobResults, Synced } from "./jobs.ts";
import { runJob } from "./run-job.ts";
import type { TargetState, TargetStates } from "./target-states.ts";

export interface TargetOptions {
  home: Home;
  passphrase: string | undefined;
  /** Where the hub's own backups are. */
  directory: string;
  schemas: Schemas;
  clock: Clock;
  random: RandomBytes;
  log: Log;
  /** See `backupWorker`. */
  worker: string | URL;
  /** The folder of this house at every target; the same after a restore. */
  house: () => string;
  emit: (event: HubEvent) => void;
  /** Once it is closed, nothing is sent. */
  fence?: Fence | undefined;
}

const DAY_MS = 86_400_000;
const CHECK_WHOLE_EVERY_MS = 30 * DAY_MS;

export class Target {
  readonly config: BackupTarget;
  doing: "copying" | "checking" | "waiting" | "idle" = "idle";
  /** Of what is sent or read now. */
  progress: JobReport | undefined;
  readonly #key: string;
  readonly #options: TargetOptions;
  readonly #states: TargetStates;
  readonly #signal: AbortSignal;
  /** Its thread waits for a disk that does not answer. */
  #isStuck = false;

  constructor(config: BackupTarget, options: TargetOptions, states: TargetStates, signal: AbortSignal) {
    this.config = config;
    this.#key = keyOf(config);
    this.#options = options;
    this.#states = states;
    this.#signal = signal;
  }

  get state(): TargetState {
    return this.#states.of(this.#key);
  }

  /** Returns whether everything is there. Rejects only with a bug. */
  async bringUpToDate(): Promise<boolean> {
    this.doing = "copying";
    // The hub's own name in those of copies: killed while it sends the first one, it must find that again.
    this.#save();
    try {
      this.#succeed(await this.#run(this.#syncJob()));
      this.doing = "checking";
      await this.#checkWhole();
      return true;
    } catch (error) {
      if (!this.#signal.aborted) this.#fail(messageOf(error));
      return false;
    } finally {
      this.doing = "idle";
      this.progress = undefined;
      this.#save();
    }
  }

  /** Throws HubError that says what is wrong. */
  async tryOut(): Promise<void> {
    const { home, house } = this.#options;
    const { known } = await this.#run({
      kind: "try",
      target: this.config,
      root: home.root,
      known: this.state.known,
      house: house(),
      hub: this.#states.hub,
    });
    this.state.known = known;
    this.#save();
  }

  #syncJob() {
    const { home, house, directory, clock } = this.#options;
    const { known, verified, newest } = this.state;
    return {
      kind: "sync" as const,
      target: this.config,
      root: home.root,
      known,
      house: house(),
      hub: this.#states.hub,
      locals: archivesIn(directory),
      now: clock.now(),
      verified: Object.keys(verified),
      spare: newest === null ? [] : [newest],
    };
  }

  async #run<K extends Exclude<Job["kind"], "open">>(job: Extract<Job, { kind: K }>): Promise<JobResults[K]> {
    if (this.#isStuck) throw new HubError("upstream_failed", `${addressOf(this.config)} does not answer at all`);
    const { worker, clock, fence } = this.#options;
    fence?.assertOpen();
    const onReport = (report: JobReport): void => {
      this.progress = report;
      if (report.kind === "copied") this.#copied(report);
    };
    const { result, ended } = runJob<K>(job, { worker, clock, onReport, signal: this.#signal });
    let hasEnded = false;
    void ended.then(() => {
      hasEnded = true;
      this.#isStuck = false;
    });
    try {
      return await result;
    } finally {
      this.#isStuck = !hasEnded;
    }
  }

  #copied({ name, bytes }: { name: string; bytes: number }): void {
    const target = this.config.name;
    this.#options.log.info("a backup was copied elsewhere and read back", { target, name, bytes });
    this.#options.emit({ type: "backup_copied", target, name, bytes });
  }

  #succeed({ copies, verified, newest, others, removed, known }: Synced): void {
    const { log } = this.#options;
    const { state } = this;
    const target = this.config.name;
    const at = this.#now();
    if (state.last_success === null)
      log.info(
        "backups are kept elsewhere now; `hub backup --recovery` prints what brings the house back: keep that outside",
        { target },
      );
    if (removed.length > 0) log.info("old copies of backups were removed", { target, names: removed });
    if (others.length > 0 && others.join() !== state.others.join())
      log.warn("another hub saves the same house there: nothing of it is removed; give one of the two another prefix", {
        target,
        hubs: others,
      });
    Object.assign(state, {
      ...{ last_success: at, failing_since: null, problem: null },
      ...{ copies, others, known, newest: newest ?? state.newest },
      verified: Object.fromEntries(verified.map((name) => [name, state.verified[name] ?? at])),
    } satisfies Partial<TargetState>);
    this.#save();
  }

  #fail(reason: string): void {
    const target = this.config.name;
    const { state } = this;
    this.#options.log.warn("backups could not be copied elsewhere; it is tried again", { target, reason });
    state.problem = reason;
    if (state.failing_since !== null) return;
    state.failing_since = this.#now();
    this.#options.emit({ type: "backup_copy_failed", severity: "warning", target, reason });
  }

  /** Never throws: a copy that is not good is for people to look at. */
  async #checkWhole(): Promise<void> {
    const { state } = this;
    const { home, house, log } = this.#options;
    const newest = state.copies.find(({ name }) => name.includes(`-${this.#states.hub}.`));
    if (!newest || !this.#isCheckDue()) return;
    const about = { target: this.config.name, name: newest.name };
    try {
      await checkCopy(
        { target: this.config, root: home.root, known: state.known, path: `${house()}/${newest.name}` },
        { ...this.#options, fetch: (job) => this.#run(job) },
      );
      state.check_problem = null;
      log.info("a copy was fetched, decrypted and checked as a whole", about);
    } catch (error) {
      const code = error instanceof HubError ? error.code : undefined;
      const reason = messageOf(error);
      // That says nothing about the copy; the next look tries again.
      if (this.#signal.aborted || code === "in_use" || code === "storage" || code === "upstream_failed")
        return log.info("a copy could not be checked as a whole now", { ...about, reason });
      state.check_problem = reason;
      log.error("a copy of a backup is not good", { ...about, reason });
    }
    Object.assign(state, { checked_at: this.#now(), checked_copy: newest.name } satisfies Partial<TargetState>);
  }

  #isCheckDue(): boolean {
    const { checked_at: at, check_problem: problem } = this.state;
    const age = at === null ? Number.POSITIVE_INFINITY : Math.abs(this.#options.clock.now() - Date.parse(at));
    return problem !== null || age >= CHECK_WHOLE_EVERY_MS;
  }

  #now(): string {
    return isoSeconds(this.#options.clock.now());
  }

  #save(): void {
    try {
      this.#states.save();
    } catch (error) {
      this.#options.log.warn("what is known of the backups elsewhere cannot be stored", { error: messageOf(error) });
    }
  }
}

/** What is known of a target is no longer true when it is elsewhere. */
export function keyOf(config: BackupTarget): string {
  return `${config.name} ${addressOf(config)}`;
}

interface WholeCheckOptions {
  home: Home;
  schemas: Schemas;
  worker: string | URL;
  passphrase: string | undefined;
  fetch: (job: FetchJob) => Promise<unknown>;
}

/**
 * Proves that a copy brings the house back: fetches it, decrypts it and unpacks it, as a restore would. Throws HubError: `in_use` and
 * `storage` where it cannot be done now, anything else where the copy is not good.
 */
async function checkCopy(
  at: Omit<FetchJob, "kind" | "file">,
  { home, schemas, worker, passphrase, fetch }: WholeCheckOptions,
): Promise<void> {
  const { remoteWork, restoreWork } = placesIn(home);
  const file = join(remoteWork, "copy");
  try {
    await rm(remoteWork, { recursive: true, force: true });
    mkdirSync(remoteWork, { recursive: true, mode: 0o700 });
    await fetch({ ...at, kind: "fetch", file });
    using _lock = lockBackups(home);
    try {
      const { manifest } = await stageOnThread({ home, file, schemas, worker, passphrase });
      if (!manifest) throw new HubError("invalid", "it has no manifest: it is no backup of a hub");
    } finally {
      await rm(restoreWork, { recursive: true, force: true });
    }
  } finally {
    await rm(remoteWork, { recursive: true, force: true });
  }
}
