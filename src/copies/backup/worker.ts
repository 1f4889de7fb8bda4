// The thread in which archives are made and unpacked: receives one task and carries it out.
import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";
import { HubError, messageOf } from "../../kit/schema/errors.ts";
import { homeAt } from "../../server/home/paths.ts";
import { openArchive } from "./archive/archive.ts";
import { saveArchive } from "./archive/save-archive.ts";
import type { Job, JobResults } from "./remote/jobs.ts";
import { openArchiveFile, stage } from "./restore/stage.ts";
import type { FromWorker, Results, Task, ToWorker } from "./worker-task.ts";

declare const self: Worker;

const post = (message: FromWorker, transfer: ArrayBuffer[] = []): void => self.postMessage(message, transfer);
let chunks: AsyncGenerator<Uint8Array, unknown> | undefined;

async function carryOut(task: Task): Promise<Results[Task["kind"]]> {
  const home = homeAt(task.root);
  if (task.kind === "stage") {
    using archive = openArchiveFile(task.file);
    return await stage({ ...task, home, archive, passphrase: task.passphrase });
  }
  if (task.kind === "save") return saveArchive({ ...task, home, passphrase: task.passphrase });
  if (task.kind !== "archive") return await atTarget(task);
  const archive = openArchive({ ...task, home });
  chunks = archive.read();
  return { manifest: archive.manifest, skipped: archive.skipped };
}

async function atTarget(job: Job): Promise<JobResults[Job["kind"]]> {
  const { carryOut, openCopy } = await import("./remote/carry-out.ts");
  if (job.kind !== "open") return carryOut(job, (report) => post({ kind: "report", report }));
  const copy = await openCopy(job);
  chunks = copy.chunks;
  return { bytes: copy.bytes };
}

async function sendMore(): Promise<void> {
  const next = await chunks?.next();
  if (!next) return;
  if (next.done) return post({ kind: "end" });
  // A chunk may be a part of a buffer that goes on being used.
  const { value } = next;
  const bytes = value.byteLength === value.buffer.byteLength ? (value as Uint8Array<ArrayBuffer>) : value.slice();
  post({ kind: "chunk", bytes }, [bytes.buffer]);
}

async function handle(message: ToWorker): Promise<void> {
  try {
    if (message.kind === "more") await sendMore();
    else post({ kind: "done", result: await carryOut(message.task) });
  } catch (error) {
    const { code, details } = error instanceof HubError ? error : { code: undefined, details: {} };
    post({ kind: "failed", code, message: messageOf(error), details });
  }
}

/** With few cores, the hub itself comes first. Linux gives each thread a priority of its own. */
function lowerPriority(): void {
  try {
    setPriority(Number(readlinkSync("/proc/thread-self").split("/").at(-1)), 10);
  } catch {
    // Elsewhere it keeps the priority of the hub.
  }
}

lowerPriority();
self.onmessage = ({ data }: MessageEvent<ToWorker>) => void handle(data);
