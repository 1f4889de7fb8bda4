// The thread in which archives are made and unpacked: a thin shell around one task.
import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";
import { HubError, messageOf } from "../core/errors.ts";
import { homeAt } from "../home/paths.ts";
import { openArchive } from "./archive.ts";
import { openArchiveFile } from "./archive-file.ts";
import type { Manifest } from "./manifest.ts";
import type { FromWorker, Results, Task, ToWorker } from "./messages.ts";
import { stage } from "./stage.ts";
import { storeArchive } from "./store.ts";

declare const self: Worker;

const post = (message: FromWorker, moved: ArrayBuffer[] = []): void => self.postMessage(message, moved);
let chunks: AsyncGenerator<Uint8Array<ArrayBuffer>, Manifest> | undefined;

async function carryOut(task: Task): Promise<Results[Task["kind"]]> {
  const home = homeAt(task.root);
  if (task.kind === "stage") {
    using archive = openArchiveFile(task.file);
    return await stage({ ...task, home, archive, passphrase: task.passphrase });
  }
  if (task.kind === "store") return storeArchive({ ...task, home, passphrase: task.passphrase });
  const archive = openArchive({ ...task, home });
  chunks = archive.read();
  return { manifest: archive.manifest, skipped: archive.skipped };
}

async function more(): Promise<void> {
  const next = await chunks?.next();
  if (!next) return;
  if (next.done) post({ kind: "end", manifest: next.value });
  else post({ kind: "chunk", bytes: next.value }, [next.value.buffer]);
}

async function handle(message: ToWorker): Promise<void> {
  try {
    if (message.kind === "more") await more();
    else post({ kind: "done", result: await carryOut(message.task) });
  } catch (error) {
    const { code, details } = error instanceof HubError ? error : { code: undefined, details: {} };
    post({ kind: "failed", code, message: messageOf(error), details });
  }
}

/** On one of few cores the hub itself comes first. Linux gives each thread a priority of its own. */
function stepBack(): void {
  try {
    setPriority(Number(readlinkSync("/proc/thread-self").split("/").at(-1)), 10);
  } catch {
    // Elsewhere it competes as an equal.
  }
}

stepBack();
self.onmessage = ({ data }: MessageEvent<ToWorker>) => void handle(data);
