// Sends what this machine recorded as the hub, and what the machine that took over has not got: step by step, beside the copying.
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import { isObject, type Json, parseJson } from "../../../kit/schema/json.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { Home } from "../../../server/home/paths.ts";
import { HANDBACK_NOTE } from "../copy/keep-own.ts";
import {
  HandbackAnswer,
  type HandbackRequest,
  HandbackTaken,
  type HandbackWanted,
  type LeftMessage,
} from "../handback.ts";
import { checked, type HistoryAnswer } from "../protocol.ts";
import { openHistoryPages } from "../source/files/history-pages.ts";

/** Of the outbox of a hub that has ended, a part of those that are wanted, the oldest first; `after` is the last one of the part before. */
export type ReadLeftMessages = (
  stateDb: string,
  isWanted: (key: string) => boolean,
  after: LeftMessage | undefined,
) => readonly LeftMessage[];

export interface HandbackSenderOptions {
  home: Pick<Home, "data" | "historyDb">;
  /** This machine's id. */
  machine: string;
  clock: Pick<Clock, "now" | "mono">;
  log: Pick<Log, "info" | "warn">;
  readMessages: ReadLeftMessages;
}

export interface HandbackSender {
  /**
   * Sends the next part, if there is one and it is time for it: whether more is to be sent at once. Rejects as `post` does; everything
   * else is logged, and tried again after a while.
   */
  step(post: (body: HandbackRequest) => Promise<Json>): Promise<boolean>;
}

type Left =
  | { kind: "samples"; series: HistoryAnswer["series"] }
  | { kind: "messages"; messages: readonly LeftMessage[] };

const MAX_SAMPLES = 20_000;
const PAUSE_MS = 60_000;
const NO_ANSWER = "the other hub does not answer as a hub of this version";

export function createHandbackSender(options: HandbackSenderOptions): HandbackSender {
  const { home, machine, clock, log } = options;
  const folder = join(home.data, "before-standby");
  const sent: HandbackTaken = { samples: 0, messages: 0 };
  let parts: Iterator<Left> | undefined;
  /** What was not acknowledged yet. */
  let part: Left | undefined;
  let note: { until: number } | undefined;
  let isOver = false;
  let notBefore = Number.NEGATIVE_INFINITY;

  function finish(): void {
    isOver = true;
    rmSync(join(folder, HANDBACK_NOTE), { force: true });
    if (sent.samples > 0 || sent.messages > 0)
      log.info("what only this machine had as the hub was sent to the one that took over", { ...sent });
  }

  function* leftBy(wanted: HandbackWanted, until: number): Generator<Left> {
    if (wanted.historyFrom !== null) yield* samplesOf(wanted.historyFrom, until);
    if (wanted.messages !== null) yield* messagesOf(new Set(wanted.messages));
  }

  function* samplesOf(historyFrom: number, until: number): Generator<Left> {
    using pages = openHistoryPages(home.historyDb, clock);
    for (let from = historyFrom; from <= until; ) {
      const page = JSON.parse(pages.read({ from, most: MAX_SAMPLES }, "")) as HistoryAnswer;
      const series = page.series.map((one) => upTo(one, until)).filter(({ length }) => length > 2);
      if (series.length > 0) yield { kind: "samples", series };
      if (page.through <= from || page.mark) return;
      from = page.through;
    }
  }

  function* messagesOf(known: ReadonlySet<string>): Generator<Left> {
    for (let after: LeftMessage | undefined; ; ) {
      const messages = options.readMessages(join(folder, "state.redb"), (key) => !known.has(key), after);
      after = messages.at(-1);
      if (!after) return;
      yield { kind: "messages", messages };
    }
  }

  function requestOf(left: Left): HandbackRequest {
    return left.kind === "samples" ? { machine, series: left.series } : { machine, messages: [...left.messages] };
  }

  async function send(post: (body: HandbackRequest) => Promise<Json>, until: number): Promise<boolean> {
    if (!parts) {
      const { wanted } = checked(HandbackAnswer, await post({ machine }), NO_ANSWER);
      if (wanted) parts = leftBy(wanted, until);
      else finish();
      return wanted !== null;
    }
    part ??= nextOf(parts);
    if (!part) {
      await post({ machine, done: true });
      finish();
      return false;
    }
    const { samples, messages } = checked(HandbackTaken, await post(requestOf(part)), NO_ANSWER);
    part = undefined;
    sent.samples += samples;
    sent.messages += messages;
    return true;
  }

  return {
    async step(post) {
      if (isOver || clock.mono() < notBefore) return false;
      // The first answer of the other hub has put aside what there was.
      note ??= readNote(join(folder, HANDBACK_NOTE));
      if (!note) {
        isOver = true;
        return false;
      }
      try {
        return await send(post, note.until);
      } catch (error) {
        notBefore = clock.mono() + PAUSE_MS;
        parts = undefined;
        part = undefined;
        if (error instanceof HubError && error.code === "unavailable") throw error;
        log.warn("what only this machine had as the hub could not be sent; it is tried again", {
          error: messageOf(error),
        });
        return false;
      }
    },
  };
}

function nextOf(parts: Iterator<Left>): Left | undefined {
  const { done, value } = parts.next();
  return done ? undefined : value;
}

/** Of `[device, attribute, at, n, value, type, …]`, which is in order of time, what is not later. */
function upTo(series: HistoryAnswer["series"][number], until: number): HistoryAnswer["series"][number] {
  let end = 2;
  while (end < series.length && Number(series[end]) <= until) end += 4;
  return series.slice(0, end);
}

/** One that cannot be read is none: then what it speaks of is in `data/before-standby` alone. */
function readNote(path: string): { until: number } | undefined {
  try {
    const parsed = parseJson(readFileSync(path, "utf8"));
    const until = parsed.ok && isObject(parsed.value) ? parsed.value.until : undefined;
    return typeof until === "number" ? { until } : undefined;
  } catch {
    return undefined;
  }
}
