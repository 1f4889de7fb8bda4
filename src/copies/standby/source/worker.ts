// The thread that answers a standby: see source.ts.
import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import { systemClock } from "../../../kit/time/clock.ts";
import { homeAt } from "../../../server/home/paths.ts";
import type { FromWorker, ToWorker } from "./messages.ts";
import { openSource, type Source } from "./source.ts";

declare const self: Worker;

const post = (message: FromWorker, transfer: ArrayBuffer[] = []): void => self.postMessage(message, transfer);
const log = {
  warn: (message: string, fields: Readonly<Record<string, unknown>> = {}) => post({ kind: "log", message, fields }),
};

let source: Source | undefined;

function opened(): Source {
  if (!source) throw new Error("the home is not known yet");
  return source;
}

function answer(question: Extract<ToWorker, { id: number }>): void {
  const { id } = question;
  try {
    const found =
      question.kind === "sync"
        ? opened().sync(question.request, question.turn, question.urgency)
        : { bytes: opened().history(question.request), isLast: true };
    post({ kind: "answer", id, ...found }, [found.bytes.buffer]);
    refresh();
  } catch (error) {
    const { code, details } = error instanceof HubError ? error : { code: undefined, details: {} };
    post({ kind: "refusal", id, code, message: messageOf(error), details });
  }
}

/** What keeps it from that keeps the next answer from being given, too, which says so. */
function refresh(): void {
  try {
    opened().refresh();
  } catch {}
}

/** With few cores, the hub itself comes first. Linux gives each thread a priority of its own. */
function lowerPriority(): void {
  try {
    setPriority(Number(readlinkSync("/proc/thread-self").split("/").at(-1)), 10);
  } catch {
    // Elsewhere it keeps the priority of the hub.
  }
}

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === "open") {
    if (!data.isUrgent) lowerPriority();
    source = openSource({ home: homeAt(data.root), version: data.version, clock: systemClock, log });
  } else if (data.kind === "close") {
    source?.[Symbol.dispose]();
    post({ kind: "closed" });
  } else answer(data);
};
