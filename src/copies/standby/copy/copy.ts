// The standby's copy of another hub's home: takes its answers, says what is there, and makes a home of it that a hub starts from.
//
// What is there after a kill is never worse than before. An answer that is not whole changes nothing. The order is: texts of the
// journal first, since a text that the databases have by their marks is skipped, while one that is missing is lost; then the pages of
// the state, all or none of them; then files, each of them the old or the new one; and only then are segments removed, those that the
// state and this machine's own history have by their marks. All of it can be repeated: a request says what is on the disk.
import { rmSync } from "node:fs";
import { sweepTemporaryFiles } from "../../../kit/files/atomic-file.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import { journalIdOf } from "../../../server/db/readings.ts";
import type { Home } from "../../../server/home/paths.ts";
import type { Schemas } from "../../backup/database-copies.ts";
import type { HistoryRequest, SyncRequest } from "../protocol.ts";
import { readAnswer, readHistoryAnswer, type SyncAnswer } from "./answer.ts";
import { checkDatabases } from "./check-databases.ts";
import { createCopiedHistory } from "./copied-history.ts";
import { createHouseFiles } from "./house-files.ts";
import { type KeepOwnOptions, keepOwn } from "./keep-own.ts";
import { type Noted, openCopyNotes } from "./note.ts";
import { openCopiedSegments } from "./segments.ts";
import { openStatePages } from "./state-pages.ts";
import { type CopyStatus, createProblems } from "./status.ts";

export interface CopyOptions {
  /** Locked by the caller. */
  home: Home;
  clock: Pick<Clock, "now" | "mono">;
  log: Log;
  /** What this version can open. */
  schemas: Schemas;
  /** For a former hub: see `keepOwn`, which is called where the home holds no copy yet. */
  own?: KeepOwnOptions;
}

export interface Applied extends Pick<SyncAnswer["begin"], "turn" | "epoch" | "version"> {
  /** More is there already: ask again at once. */
  readonly more: boolean;
  /** The next request says more of what is here: ask again at once. */
  readonly asked: boolean;
  /** As in the status. */
  readonly isComplete: boolean;
  /** All that the answer is of is on the disk: a hub that starts here has it. */
  readonly isConfirmed: boolean;
  /** See `BeginHead`. */
  readonly holds: boolean;
}

/**
 * Everything but the status throws HubError: `storage` where this machine's disk refuses, `invalid` where the other hub's answer is
 * none, `conflict` before there is a copy.
 */
export interface Copy extends Disposable {
  /** The hub's databases are of a newer layout than this version knows, now or when it was last seen; also after a restart. */
  readonly isTooOld: boolean;
  have(): SyncRequest["have"];
  /** Takes the answer to a request with what `have` said, compressed or not. */
  apply(answer: Uint8Array): Applied;
  historyRequest(): HistoryRequest;
  /** More is there already: ask again at once. */
  applyHistory(answer: Uint8Array): { isMore: boolean };
  status(): CopyStatus;
  /** That of the status. */
  readonly problem: string | undefined;
  /** Reads the state, and lets the next request compare all files. Returns what is damaged; then that is asked for anew. */
  verifyState(): string | undefined;
  /** The same, and of the history too, beside what goes on. Finds nothing where the signal ends it. */
  verify(signal?: AbortSignal): Promise<string | undefined>;
  /** Closes it, and leaves a home from which a hub starts as after a kill. */
  prepareStart(): void;
}

/** As many as a journal keeps (house/state/reading-journal.ts). */
const MAX_SEGMENTS = 16;
const NOT_VERIFIED =
  "the copy of the state differs from the other hub's, and does so again when all its pages are compared: look at both machines' disks and memory";
const TOUCH_MS = 60_000;

export function openCopy(options: CopyOptions): Copy {
  const { home, clock, log, schemas } = options;
  const notes = openCopyNotes(home);
  const state = openStatePages(home);
  const segments = openCopiedSegments(home);
  const files = createHouseFiles(home);
  const problems = createProblems(log);
  const found = notes.read();
  /** As on the disk; undefined while the home holds no copy. */
  let note = found?.note;
  let copiedAt = found?.note.isComplete ? (found.note.copiedAt ?? found.touchedAt) : undefined;
  // Known before it is on the disk, which may be full.
  let newerHub = note?.newerHub;
  // No hub has started from it after all.
  if (note?.handedOver !== undefined) save({});
  sayVersion();
  let touchedAt = Number.NEGATIVE_INFINITY;
  let asked: ReadonlySet<"pages" | "list"> = new Set();
  let filesId: string | undefined;
  let isDamaged = false;
  const journalId = (): string => journalIdOf(state.applicationId());
  const history = createCopiedHistory({
    home,
    clock,
    log,
    problems,
    segments,
    journalId,
    isCopy: () => note !== undefined,
  });

  function canOpen(theirs: Schemas): boolean {
    return theirs.state <= schemas.state && theirs.history <= schemas.history;
  }

  function isCurrent({ begin }: SyncAnswer): boolean {
    return canOpen(begin.schemas);
  }

  function isTooOld(): boolean {
    return newerHub !== undefined && !canOpen(newerHub.schemas);
  }

  function sayVersion(): void {
    const problem = `this machine's version cannot open the databases of the other hub (version ${newerHub?.version}): upgrade this machine; until then its copy is that of before`;
    problems.set("version", isTooOld() ? problem : undefined);
  }

  /** Returns whether all of it has its place. */
  function take(answer: SyncAnswer): boolean {
    const { version, schemas: theirs } = answer.begin;
    // Before any file of that hub is here.
    if (!isCurrent(answer)) newerHub = { version, schemas: theirs };
    sayVersion();
    if (!note) {
      keepOwn(home, log, options.own);
      save({ isComplete: false });
    }
    if (newerHub) save({});
    const synced = answer.begin.holds === true;
    let isPlaced = isCurrent(answer);
    if (isCurrent(answer)) {
      for (const { head, content } of answer.journals) isPlaced = segments.write(head, content, { synced }) && isPlaced;
      if (answer.pages) state.write(answer.pages.head, answer.pages.content, { waits: synced });
    }
    const unplaced = files.apply(answer);
    problems.set("files", unplaced);
    if (isCurrent(answer)) removeCheckpointed(answer);
    return isPlaced && unplaced === undefined;
  }

  /** Segments that the other hub no longer has: its databases have what was in them, but perhaps not yet those here. */
  function removeCheckpointed({ journals, kept }: SyncAnswer): void {
    const named = new Set([...kept, ...journals.map(({ head }) => head.path)]);
    const id = journalId();
    const newest = segments.list(id).at(-1)?.number ?? 0;
    segments.keep(named, function isNeeded(segment) {
      if (segment.id !== id || segment.number <= newest - MAX_SEGMENTS) return false;
      return segment.number > Math.min(state.checkpointed(id), history.checkpointed(id));
    });
  }

  function save(changes: Partial<Noted>): void {
    const next = { isComplete: note?.isComplete ?? false, copiedAt, newerHub, ...changes };
    if (note && Bun.deepEquals(note, next)) return;
    notes.write(next);
    note = next;
  }

  function noteCopied(): void {
    newerHub = undefined;
    save({ isComplete: true, copiedAt: undefined });
    noteMended();
    copiedAt = clock.now();
    if (clock.mono() - touchedAt < TOUCH_MS) return;
    notes.touch(copiedAt);
    touchedAt = clock.mono();
  }

  /** Compares what is on the disk now with what the other hub says. Returns whether the next request should come at once. */
  function conclude(answer: SyncAnswer): boolean {
    const { end } = answer;
    const differs = isCurrent(answer) && end.state !== undefined && end.state !== state.hash;
    // Once at once; where that did not help, with each request, as it comes.
    const isAgain = differs && asked.has("pages");
    if (differs) save({ isComplete: false });
    problems.set("state", isAgain ? NOT_VERIFIED : undefined);
    asked = differs ? new Set([...answer.asked, "pages"]) : answer.asked;
    filesId = end.files;
    if (isCurrent(answer) && !end.more && asked.size === 0 && end.state !== undefined) noteCopied();
    sayVersion();
    return asked.size > 0 && !isAgain;
  }

  function noteMended(): void {
    if (!isDamaged || !history.isWhole()) return;
    isDamaged = false;
    problems.set("damage", undefined);
  }

  function stateFlaw(): string | undefined {
    const flaw = note ? state.check() : undefined;
    if (flaw === undefined) return undefined;
    save({ isComplete: false });
    asked = new Set([...asked, "pages"]);
    return `the state: ${flaw}`;
  }

  function damageOf(find: () => string | undefined): string | undefined {
    return problems.guard(() => {
      filesId = undefined;
      const flaw = find();
      isDamaged = flaw !== undefined;
      problems.set("damage", flaw && `the copy was damaged (${flaw}), and what is damaged is made anew`);
      return flaw;
    });
  }

  function tryTo(what: string, work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      log.warn(`cannot ${what}`, { error: messageOf(error) });
      return false;
    }
  }

  return {
    get isTooOld() {
      return isTooOld();
    },
    have: () =>
      problems.guard(() => {
        const known = { ...(filesId === undefined || asked.has("list") ? { list: files.list() } : { files: filesId }) };
        if (!note) return { ...known, journals: {} };
        state.finish();
        const { hash } = state;
        return {
          ...(hash !== undefined && { state: hash }),
          ...(asked.has("pages") && { pages: Buffer.from(state.hashes()).toString("base64") }),
          ...known,
          journals: segments.have(),
        };
      }),
    apply(bytes) {
      const answer = readAnswer(bytes);
      return problems.guard(() => {
        const isPlaced = take(answer);
        const isAsked = conclude(answer);
        problems.mended("disk");
        const { turn, epoch, version, holds = false } = answer.begin;
        const { more } = answer.end;
        const isComplete = note?.isComplete ?? false;
        const isConfirmed = isPlaced && isComplete && !more && asked.size === 0;
        return { turn, epoch, version, more, asked: isAsked, isComplete, isConfirmed, holds };
      });
    },
    historyRequest: () => problems.guard(() => history.request()),
    applyHistory(bytes) {
      const page = readHistoryAnswer(bytes);
      const isMore = problems.guard(() => history.apply(page), "history disk");
      problems.mended("history disk");
      return { isMore };
    },
    get problem() {
      return problems.first();
    },
    status: () => ({
      isComplete: note?.isComplete ?? false,
      copiedAt,
      historyThrough: history.through(),
      isHistoryWhole: history.isWhole(),
      devices: state.devices(),
      bytes: state.bytes() + segments.bytes() + history.bytes(),
      problem: problems.first(),
    }),
    verifyState: () => damageOf(stateFlaw),
    async verify(signal) {
      const flaws = note ? await checkDatabases({ state: home.stateDb, history: home.historyDb }, signal) : {};
      if (signal?.aborted) return undefined;
      return damageOf(() => {
        if (flaws.history !== undefined) history.setAside();
        // Its pages may have changed while they were read.
        const ofState = flaws.state && stateFlaw();
        return [ofState, flaws.history && `the history: ${flaws.history}`].filter(Boolean).join("; ") || undefined;
      });
    },
    prepareStart: () =>
      problems.guard(() => {
        state.settle();
        const { hash } = state;
        if (!note || hash === undefined) throw new HubError("conflict", "there is no copy to start from");
        for (const suffix of ["-wal", "-shm", "-journal", ".mark", ".own"])
          rmSync(home.stateDb + suffix, { force: true });
        // None of these may keep a hub from starting: not even a full disk does.
        tryTo("end the journal's segments", () => segments.mend());
        tryTo("close the history", () => history.release());
        const handed: Noted = { ...note, copiedAt, handedOver: hash };
        if (!tryTo("note that a hub starts", () => notes.write(handed))) notes.remove();
        sweepTemporaryFiles(home.data);
      }),
    [Symbol.dispose]: () => history[Symbol.dispose](),
  };
}
