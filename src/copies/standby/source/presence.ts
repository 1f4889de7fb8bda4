// When the standby was seen, how far its copy is, and until when it has promised not to take over. By this machine's monotonic
// clock alone.
import type { RandomBytes } from "../../../kit/schema/ids.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { SyncRequest } from "../protocol.ts";
import type { StandbyStatus } from "./status.ts";

export interface Presence {
  /** Of the next answer. */
  nextTurn(): number;
  /** The answer is about to be sent. `isLast`: with it, the copy is whole. */
  sent(turn: number, isLast: boolean): void;
  /** A request came. Returns until when the standby does not take over; undefined where it promises nothing that is known. */
  received(
    request: Pick<SyncRequest, "machine" | "version" | "turn" | "promiseMs" | "tooOld" | "problem">,
  ): number | undefined;
  /** It asked for the history from this time on: epoch ms. */
  askedHistory(from: number): void;
  /** The machine that was seen last, and how long ago: ms. */
  last(): { id: string; ageMs: number } | undefined;
  forget(): void;
  status(): Omit<StandbyStatus, "machine" | "manual" | "isConfirming" | "unconfirmed">;
}

interface Sent {
  turn: number;
  at: number;
  isLast: boolean;
}

/** More than a standby leaves unanswered. */
const MAX_SENT = 64;
const MAX_PROMISE_MS = 600_000;
/** Turns of one process; the rest of a number that is safe is random. */
const MAX_TURNS = 2 ** 22;

export function createPresence({ clock, random }: { clock: Pick<Clock, "mono">; random: RandomBytes }): Presence {
  let turn = (Buffer.from(random(4)).readUInt32LE() >>> 2) * MAX_TURNS;
  let answers: Sent[] = [];
  let last: { id: string; version: string; problem: string | undefined; at: number } | undefined;
  let wholeAt: number | undefined;
  let historyFrom: number | undefined;
  const secondsSince = (at: number): number => Math.max(0, (clock.mono() - at) / 1000);

  return {
    nextTurn: () => ++turn,
    sent(number, isLast) {
      answers = [...answers.slice(1 - MAX_SENT), { turn: number, at: clock.mono(), isLast }];
    },
    received({ machine, version, turn: of, promiseMs, tooOld = false, problem }) {
      last = { id: machine.id, version, problem, at: clock.mono() };
      if (tooOld) wholeAt = undefined;
      const answer = answers.find((one) => one.turn === of);
      if (!answer) return undefined;
      // It has applied all before, too.
      answers = answers.filter((one) => one.at >= answer.at);
      if (answer.isLast && !tooOld) wholeAt = answer.at;
      return promiseMs > 0 ? answer.at + Math.min(promiseMs, MAX_PROMISE_MS) : undefined;
    },
    askedHistory(from) {
      historyFrom = from;
    },
    last: () => last && { id: last.id, ageMs: clock.mono() - last.at },
    forget() {
      last = undefined;
      wholeAt = undefined;
      historyFrom = undefined;
      answers = [];
    },
    status: () => ({
      version: last?.version,
      lastSeenSecs: last && secondsSince(last.at),
      isWhole: wholeAt !== undefined,
      behindSecs: wholeAt === undefined ? undefined : secondsSince(wholeAt),
      historyFrom,
      problem: last?.problem,
    }),
  };
}
