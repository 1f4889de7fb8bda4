// Copies of the backups elsewhere: after each backup, and once a day, every target is brought up to date. One at a time, on a thread;
// what fails is tried again with growing pauses until it succeeds.
import { rmSync } from "node:fs";
import { background } from "../../../kit/lifecycle/lifecycle.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import { type Backoff, createBackoff } from "../../../kit/time/backoff.ts";
import { isoSeconds, type Timer } from "../../../kit/time/clock.ts";
import { placesIn } from "../places.ts";
import type { BackupTarget } from "./config.ts";
import { newHubTag } from "./copy-names.ts";
import type { JobReport } from "./jobs.ts";
import { keyOf, Target, type TargetOptions } from "./target.ts";
import { openTargetStates, type TargetState } from "./target-states.ts";

export interface RemoteBackups extends AsyncDisposable {
  list(): RemoteTarget[];
  /** Brings every target up to date, now or when what runs has ended. */
  sync(): void;
  /** Tries a target out, and then brings it up to date. Throws HubError `not_found`, or what is wrong with it. */
  test(name: string): Promise<void>;
}

export interface RemoteTarget {
  config: BackupTarget;
  state: Readonly<TargetState>;
  doing: Target["doing"];
  progress: JobReport | undefined;
  /** Epoch ms of the next try or look. */
  next: number | undefined;
}

export interface RemoteBackupsOptions extends TargetOptions {
  targets: readonly BackupTarget[];
}

interface Planned {
  readonly target: Target;
  readonly backoff: Backoff;
  timer: Timer | undefined;
  next: number | undefined;
  /** A backup was made while it was brought up to date. */
  again: boolean;
}

const HOUR_MS = 3600_000;
/** The start of a hub has other things to do. */
const FIRST_LOOK_MS = 60_000;
const LOOK_EVERY_MS = 24 * HOUR_MS;
const RETRY = { firstMs: 60_000, maxMs: HOUR_MS };

export function startRemoteBackups(options: RemoteBackupsOptions): RemoteBackups {
  const { home, clock, log, random } = options;
  const stopping = new AbortController();
  const { remoteWork, targets: file } = placesIn(home);
  const states = openTargetStates(file, {
    keys: options.targets.map(keyOf),
    newTag: () => newHubTag(random),
    now: () => isoSeconds(clock.now()),
  });
  const all = options.targets.map(
    (config): Planned => ({
      target: new Target(config, options, states, stopping.signal),
      backoff: createBackoff(RETRY, random),
      ...{ timer: undefined, next: undefined, again: false },
    }),
  );
  /** The end of what runs and waits. */
  let turns: Promise<unknown> = Promise.resolve();

  rmSync(remoteWork, { recursive: true, force: true });
  for (const planned of all) plan(planned, FIRST_LOOK_MS);

  function plan(planned: Planned, ms: number): void {
    cancel(planned);
    if (stopping.signal.aborted) return;
    planned.next = clock.now() + ms;
    planned.timer = clock.after(`backup target ${planned.target.config.name}`, ms, () => enqueue(planned));
  }

  function enqueue(planned: Planned): void {
    const { target } = planned;
    cancel(planned);
    if (target.doing === "waiting" || stopping.signal.aborted) return;
    if (target.doing !== "idle") {
      planned.again = true;
      return;
    }
    target.doing = "waiting";
    turns = turns.then(() => bringUpToDate(planned));
    background(log, "backups elsewhere", turns);
  }

  async function bringUpToDate(planned: Planned): Promise<void> {
    const { target, backoff } = planned;
    if (stopping.signal.aborted) return;
    planned.again = false;
    const isDone = await target.bringUpToDate();
    if (isDone) backoff.reset();
    if (planned.again) return enqueue(planned);
    plan(planned, isDone ? LOOK_EVERY_MS : backoff.next());
  }

  function cancel(planned: Planned): void {
    planned.timer?.[Symbol.dispose]();
    planned.next = undefined;
  }

  return {
    list: () =>
      all.map(({ target, next }) => {
        const { config, state, doing, progress } = target;
        return { config, state, doing, progress, next };
      }),
    sync() {
      for (const planned of all) enqueue(planned);
    },
    async test(name) {
      const planned = all.find(({ target }) => target.config.name === name);
      if (!planned) throw new HubError("not_found", `there is no [[backup.targets]] "${name}"`);
      await planned.target.tryOut();
      planned.backoff.reset();
      enqueue(planned);
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      for (const planned of all) cancel(planned);
      await turns;
    },
  };
}
