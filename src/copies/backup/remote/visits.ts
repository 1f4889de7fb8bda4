// Looks at copies elsewhere and fetches one for a restore: at the targets of hub.toml, or at those of a recovery sheet. One at a time.
import { HubError } from "../../../kit/schema/errors.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { Home } from "../../../server/home/paths.ts";
import { type RunningTask, startTask } from "../worker-task.ts";
import { chooseCopy } from "./choose-copy.ts";
import type { BackupTarget } from "./config.ts";
import type { HouseCopies } from "./jobs.ts";
import { parseRecoverySheet, type RecoverySheet, targetNamed } from "./recovery-sheet.ts";
import { runJob } from "./run-job.ts";
import type { Known } from "./storage.ts";

export interface Place {
  target: string;
  /** A recovery sheet, instead of hub.toml. */
  sheet?: string | undefined;
}

export interface Visits {
  /** Where copies can be, by the names of targets. Throws HubError `invalid` for a sheet that cannot be used. */
  places(sheet?: string): { name: string; config: BackupTarget }[];
  /** Newest first. Throws HubError: `invalid`, `in_use`, `upstream_failed`. */
  look(place: Place): Promise<HouseCopies[]>;
  /** A copy as the body of a restore; whoever takes it reads or cancels it. */
  open(place: Place & { name: string; house?: string | undefined }): Promise<OpenedCopy>;
}

export interface OpenedCopy {
  name: string;
  bytes: number;
  body: ReadableStream<Uint8Array>;
  /** That of the sheet, or of hub.toml. */
  passphrase: string | undefined;
}

export interface VisitsOptions {
  home: Home;
  worker: string | URL;
  clock: Clock;
  configured: Omit<RecoverySheet, "house">;
  /** This house's name, if it has one yet. */
  house: () => string | undefined;
  /** What is known of a configured target. */
  known: (target: BackupTarget) => Known;
}

export function createVisits({ home, worker, clock, configured, house, known }: VisitsOptions): Visits {
  const never = new AbortController().signal;
  let isBusy = false;

  function sheetOf(text: string | undefined): RecoverySheet {
    return text === undefined ? { ...configured, house: house() } : parseRecoverySheet(text);
  }
  function at({ target: name, sheet: text }: Place) {
    const sheet = sheetOf(text);
    const target = targetNamed(sheet.targets, name);
    return { sheet, job: { target, root: home.root, known: text === undefined ? known(target) : {} } };
  }
  async function alone<T>(work: () => Promise<T>): Promise<T> {
    if (isBusy) throw new HubError("in_use", "somebody is looking at the copies elsewhere now: try again in a moment");
    isBusy = true;
    try {
      return await work();
    } finally {
      isBusy = false;
    }
  }
  const list = (job: ReturnType<typeof at>["job"]): Promise<HouseCopies[]> =>
    alone(() => runJob<"look">({ ...job, kind: "look" }, { worker, clock, signal: never }).result);

  return {
    places: (text) => sheetOf(text).targets.map((config) => ({ name: config.name, config })),
    look: (place) => list(at(place).job),
    async open({ name, house: named, ...place }) {
      const { sheet, job } = at(place);
      const chosen = chooseCopy(await list(job), { name, house: named, ours: sheet.house });
      const task = startTask(worker, { ...job, kind: "open", path: `${chosen.house}/${chosen.copy.name}` });
      try {
        const { bytes } = await task.result;
        return { name: chosen.copy.name, bytes, body: bodyOf(task), passphrase: sheet.passphrase };
      } catch (error) {
        await task[Symbol.asyncDispose]();
        throw error;
      }
    },
  };
}

function bodyOf(task: RunningTask<{ bytes: number }>): ReadableStream<Uint8Array> {
  const end = async (): Promise<void> => task[Symbol.asyncDispose]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const next = await task.next();
          if (next) return controller.enqueue(next);
          await end();
          controller.close();
        } catch (error) {
          await end();
          controller.error(error);
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}
