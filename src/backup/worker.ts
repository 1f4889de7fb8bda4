// The thread in which archives are made and unpacked: receives one task and carries it out.
import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";
import { HubError, messageOf } from "../core/errors.ts";
import { homeAt } from "../home/paths.ts";
import { openArchive } from "./archive.ts";
import type { Manifest } from "./manifest.ts";
import { saveArchive } from "./save-archive.ts";
import { openArchiveFile, stage } from "./stage.ts";
import type { FromWorker, Results, Task, ToWorker } from "./worker-task.ts";

declare const self: Worker;

const post = (message: FromWorker, transfer: ArrayBuffer[] = []): void => self.postMessage(message, transfer);
let chunks: AsyncGenerator<Uint8Array<ArrayBuffer>, Manifest> | undefined;

async function carryOut(task: Task): Promise<Results[Task["kind"]]> {
  const home = homeAt(task.root);
  if (task.kind === "stage") {
    using archive = openArchiveFile(task.file);
    return await stage({ ...task, home, archive, passphrase: task.passphrase });
  }
  if (task.kind === "save") return saveArchive({ ...task, home, passphrase: task.passphrase });
  const archive = openArchive({ ...task, home });
  chunks = archive.read();
  return { manifest: archive.manifest, skipped: archive.skipped };
}

async function sendMore(): Promise<void> {
  const next = await chunks?.next();
  if (!next) return;
  if (next.done) post({ kind: "end", manifest: next.value });
  else post({ kind: "chunk", bytes: next.value }, [next.value.buffer]);
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
