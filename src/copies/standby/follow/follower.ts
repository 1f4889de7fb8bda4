// Keeps the copy of the other machine's house up to date, and finds out when this machine is to be the hub.
import { background } from "../../../kit/lifecycle/lifecycle.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import type { Json } from "../../../kit/schema/json.ts";
import { type Clock, sleep } from "../../../kit/time/clock.ts";
import type { Applied, Copy } from "../copy/copy.ts";
import type { Machine } from "../lease/lease.ts";
import type { LeaseWatch } from "../lease/watch.ts";
import { MAX_PROBLEM, type SyncRequest } from "../protocol.ts";
import type { TakeOver } from "../standing.ts";
import { HAND_OVER_HEADER } from "./hand-over.ts";
import { type HubLink, type LinkAnswer, refusalOf } from "./hub-link.ts";
import type { HandbackSender } from "./send-handback.ts";
import { whyNotTheHub, whyUnfit } from "./verdict.ts";

export interface FollowerOptions {
  machine: () => Machine;
  /** Where the hub was last. */
  hub: { address: string; key: string };
  openLink(address: string): HubLink;
  copy: Pick<Copy, "have" | "apply" | "historyRequest" | "applyHistory" | "status" | "problem" | "isTooOld">;
  /** Undefined where hub.toml names none. */
  lease: LeaseWatch | undefined;
  isManual: boolean;
  promiseMs: number;
  version: string;
  /** The last that this machine knows of. */
  epoch: number;
  clock: Clock;
  log: Log;
  /** What this machine has to send. */
  handback: HandbackSender;
  /** After each answer; it may change files of its own. */
  onApplied(applied: Applied): void;
}

export interface Follower extends AsyncDisposable {
  /** This machine is to be the hub: nothing more is asked for. Never rejects. */
  readonly over: Promise<TakeOver["reason"]>;
  readonly seen: Seen;
  /** Why this machine does not become the hub by itself; undefined if it would. */
  whyNot(): string | undefined;
  /** What keeps a person from making this machine the hub. */
  whyUnfit(): string | undefined;
  /** What is wrong now. */
  readonly problem: string | undefined;
  /** To be reported that the hub is elsewhere. */
  moveTo(address: string): void;
  /** For a person. Resolves with what happens now; rejects with HubError where it cannot be done, which says why. */
  handOver(): Promise<string>;
  /** Ends it for this reason. */
  end(reason: TakeOver["reason"]): void;
}

export interface Seen {
  address: string;
  /** The last answer: this machine's monotonic clock. */
  lastSeenMono: number | undefined;
  hubVersion: string | undefined;
  epoch: number;
  handingOver: boolean;
}

const EVERY_MS = 2000;
const RETRY_MS = 1000;
const MAX_RETRY_MS = 5000;
const REFUSED_MS = 10_000;
const HANDING_OVER_MS = 150;
const MAX_FAILURES = 200;
/** Of history, before what people did is asked for again. */
const HISTORY_MS = 1500;
const HISTORY_EVERY_MS = 10_000;
const ANSWER_BYTES = 1_073_741_824;
/** The source may have to read all of a large house first. */
const SILENT_MS = 60_000;

export function startFollowing(options: FollowerOptions): Follower {
  const { hub, copy, lease, isManual, promiseMs, version, clock, log } = options;
  // The hub counts a promise from an answer that is as old, and needs the next one before it ends.
  const everyMs = isManual ? EVERY_MS : Math.min(EVERY_MS, promiseMs / 4);
  const over = Promise.withResolvers<TakeOver["reason"]>();
  const stopped = new AbortController();
  const seen: Seen = {
    ...{ address: hub.address, lastSeenMono: undefined, hubVersion: undefined },
    ...{ epoch: options.epoch, handingOver: false },
  };
  let link = options.openLink(hub.address);
  let turn: number | undefined;
  /** See `SyncRequest`. */
  let confirms: number | undefined;
  /** The last round left something to be done at once. */
  let isBehind = true;
  let isHeld = false;
  let problem: string | undefined = "the hub was not reached yet";
  let failures = 0;
  let historyDue = Number.NEGATIVE_INFINITY;
  let isAllThere = false;
  let isWhole = copy.status().isComplete;
  let wake = new AbortController();
  const waiting: (() => void)[] = [];
  // What an earlier process of this machine may have promised right before its end.
  const begunMono = clock.mono();

  function whyNot(): string | undefined {
    return whyNotTheHub({
      isManual,
      isWhole,
      isTooOld: copy.isTooOld,
      lease,
      promisedForMs: (seen.lastSeenMono ?? begunMono) + promiseMs - clock.mono(),
    });
  }

  function end(reason: TakeOver["reason"]): void {
    stopped.abort();
    wake.abort();
    over.resolve(reason);
  }

  /** `mayBeHeld`: nobody here waits for its end. */
  async function sync(mayBeHeld: boolean): Promise<boolean> {
    const found = copy.problem;
    const body: SyncRequest = {
      machine: { ...options.machine(), manual: isManual },
      version,
      ...(turn !== undefined && { turn }),
      ...(confirms !== undefined && { confirms }),
      holdMs: mayBeHeld && !isBehind && !seen.handingOver ? everyMs : 0,
      promiseMs: isManual ? 0 : promiseMs,
      ...(copy.isTooOld && { tooOld: true }),
      ...(found !== undefined && { problem: found.slice(0, MAX_PROBLEM) }),
      have: copy.have(),
    };
    const answer = await post("/standby/sync", body, isAllThere ? { [HAND_OVER_HEADER]: "complete" } : {});
    // It was seen, whatever the disk here says to what it sent.
    seen.lastSeenMono = clock.mono();
    const applied = copy.apply(answer.bytes);
    seen.hubVersion = applied.version;
    seen.epoch = Math.max(seen.epoch, applied.epoch);
    turn = applied.turn;
    if (applied.isConfirmed) confirms = turn;
    isHeld = applied.holds;
    options.onApplied(applied);
    const said = answer.headers[HAND_OVER_HEADER];
    seen.handingOver = said !== undefined;
    if (said === "done") end("handed_over");
    isWhole = applied.isComplete;
    return applied.more || applied.asked;
  }

  /** Answers whether all is there. */
  async function history(): Promise<boolean> {
    const until = clock.mono() + HISTORY_MS;
    while (!stopped.signal.aborted) {
      const { bytes } = await post("/standby/history", copy.historyRequest());
      if (!copy.applyHistory(bytes).isMore) return true;
      // Somebody may wait for what the next answer brings.
      if (isHeld || clock.mono() > until) return false;
    }
    return false;
  }

  async function sendLeft(body: object): Promise<Json> {
    return jsonIn(await post("/standby/leftovers", body)) ?? null;
  }

  async function post(path: string, body: object, headers: Record<string, string> = {}): Promise<LinkAnswer> {
    const { signal } = stopped;
    const asking = { key: hub.key, body, headers, signal, silentMs: SILENT_MS, maxBytes: ANSWER_BYTES };
    const answer = await link.send("POST", path, asking);
    // Whatever was decided meanwhile holds.
    signal.throwIfAborted();
    if (answer.status !== 200) throw refusalOf(answer.status, jsonIn(answer), link.origin);
    return answer;
  }

  /** Answers for how long to wait then. */
  async function round(mayBeHeld: boolean): Promise<number> {
    try {
      const more = await sync(mayBeHeld);
      if (stopped.signal.aborted) return 0;
      const isHistoryDue = !more && (seen.handingOver || clock.mono() >= historyDue);
      const complete = isHistoryDue ? await history() : false;
      if (complete) historyDue = clock.mono() + HISTORY_EVERY_MS;
      isAllThere = !more && complete;
      succeeded();
      const isLeft = isWhole && !seen.handingOver && (await options.handback.step(sendLeft));
      if (seen.handingOver) return isAllThere ? 0 : HANDING_OVER_MS;
      isBehind = more || isLeft || (isHistoryDue && !complete);
      return isBehind || isHeld ? 0 : everyMs;
    } catch (error) {
      if (stopped.signal.aborted) return 0;
      isAllThere = false;
      isBehind = true;
      return failed(error);
    }
  }

  function succeeded(): void {
    if (problem !== undefined) log.info("the copy follows the hub", { hub: link.origin });
    problem = undefined;
    failures = 0;
  }

  function failed(error: unknown): number {
    const why = messageOf(error);
    if (why !== problem) log.warn("the copy cannot follow the hub", { why });
    problem = why;
    if (!(error instanceof HubError) || error.code !== "unavailable") return REFUSED_MS;
    // While the hub stops to hand over, nothing answers for a few seconds.
    if (++failures > MAX_FAILURES) seen.handingOver = false;
    return seen.handingOver ? HANDING_OVER_MS : Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** Math.min(failures - 1, 10));
  }

  /** Resolves when the hub knows what is here now. */
  function asked(): Promise<void> {
    const next = Promise.withResolvers<void>();
    waiting.push(next.resolve);
    wake.abort();
    return next.promise;
  }

  async function follow(): Promise<void> {
    while (!stopped.signal.aborted) {
      const answered = waiting.splice(0);
      const pauseMs = await round(answered.length === 0);
      for (const resolve of answered) resolve();
      if (wake.signal.aborted) wake = new AbortController();
      // Even the shortest sleep takes a millisecond, for which people may wait.
      if (pauseMs > 0 && !stopped.signal.aborted) await sleep(clock, "standby", pauseMs, wake.signal);
    }
  }

  const following = follow();
  background(log, "the copy", following);
  return {
    over: over.promise,
    seen,
    whyNot,
    whyUnfit: () => whyUnfit({ isWhole, isTooOld: copy.isTooOld }),
    get problem() {
      return problem;
    },
    moveTo(address) {
      if (address === seen.address) return;
      log.info("the hub is elsewhere now", { hub: address });
      const before = link;
      link = options.openLink(address);
      seen.address = address;
      before[Symbol.dispose]();
      wake.abort();
    },
    async handOver() {
      await asked();
      await link.ask("POST", "/standby/hand-over", { key: hub.key, body: {} });
      seen.handingOver = true;
      wake.abort();
      return `${link.origin} hands over`;
    },
    end,
    async [Symbol.asyncDispose]() {
      stopped.abort();
      wake.abort();
      await following;
      for (const resolve of waiting) resolve();
      link[Symbol.dispose]();
    },
  };
}

function jsonIn({ bytes }: LinkAnswer): Json | undefined {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}
