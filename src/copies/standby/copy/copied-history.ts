// The history of the copy with the journal beside it: what is in neither the one nor the other is still to be fetched. One whose file
// cannot be opened keeps nothing else from being copied.
import { statSync } from "node:fs";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import { isDamage, setAside as setAsideFile } from "../../../server/db/open.ts";
import type { Home } from "../../../server/home/paths.ts";
import type { HistoryAnswer, HistoryRequest } from "../protocol.ts";
import { DAMAGED, type HistoryCopy, openHistoryCopy } from "./history-copy.ts";
import type { CopiedSegment, CopiedSegments } from "./segments.ts";
import type { Problems } from "./status.ts";

export interface CopiedHistory extends Disposable {
  /** Throws HubError: `conflict` before there is a copy of the state, and as `openHistoryCopy`. */
  request(): HistoryRequest;
  /** Returns whether more is to be asked for. Throws as `request` and `HistoryCopy.apply`. */
  apply(page: HistoryAnswer): boolean;
  /** The last segment of this journal that is in the file; 0 where it cannot be opened. */
  checkpointed(id: string): number;
  /** By the other hub's clock: of the last reading that is here, or until when the history is; 0 where it was never whole. */
  through(): number;
  isWhole(): boolean;
  /** A damaged file; another is begun. */
  setAside(): void;
  /** See `HistoryCopy`. Nothing where the file cannot be opened: then the hub that starts begins a new one. */
  release(): void;
  bytes(): number;
}

export interface CopiedHistoryOptions {
  home: Pick<Home, "historyDb">;
  clock: Pick<Clock, "now">;
  log: Pick<Log, "error">;
  problems: Pick<Problems, "set">;
  segments: Pick<CopiedSegments, "list">;
  journalId: () => string;
  /** Before that, the file may be of a hub that ran here, and its journal is not in it. */
  isCopy: () => boolean;
}

const MAX_SAMPLES = 50_000;

export function createCopiedHistory(options: CopiedHistoryOptions): CopiedHistory {
  const { home, clock, log, problems, segments, journalId } = options;
  let file: HistoryCopy | undefined;

  function opened(): HistoryCopy {
    if (!options.isCopy()) throw new HubError("conflict", "the copy of the history begins after that of the state");
    file ??= openHistoryCopy(home.historyDb, clock.now(), log);
    problems.set("history", undefined);
    return file;
  }

  function openedIfPossible(): HistoryCopy | undefined {
    try {
      return options.isCopy() ? opened() : undefined;
    } catch (error) {
      problems.set("history", `the copy of the history cannot be opened: ${messageOf(error)}`);
      return undefined;
    }
  }

  function setAside(): void {
    file?.abandon();
    file = undefined;
    log.error(DAMAGED, { kept_as: setAsideFile(home.historyDb, clock.now()) });
  }

  /** Damage is also found where it is read. */
  function reading<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (isDamage(error)) setAside();
      throw error;
    }
  }

  const checkpointed = (id: string): number => openedIfPossible()?.checkpointed(id) ?? 0;

  /** Of the journal, what is not in the file by its mark. */
  function journalTail(): CopiedSegment[] {
    const id = journalId();
    const last = checkpointed(id);
    return segments.list(id).filter(({ number }) => number > last);
  }

  /** Infinite where there is none. */
  function journalFrom(): number {
    return Math.min(...journalTail().map(({ from }) => from ?? Number.POSITIVE_INFINITY));
  }

  return {
    checkpointed,
    request: () => ({ from: reading(() => opened().nextFrom(journalFrom())), most: MAX_SAMPLES }),
    apply: (page) => reading(() => opened().apply(page, journalFrom())),
    through() {
      const through = openedIfPossible()?.through;
      if (through === undefined) return 0;
      const rest = journalTail();
      const next = checkpointed(journalId()) + 1;
      const isGap = rest.some(({ number }, index) => number !== next + index);
      return isGap ? through : Math.max(through, ...rest.map(({ to }) => to ?? 0));
    },
    isWhole: () => openedIfPossible()?.through !== undefined,
    setAside,
    release() {
      openedIfPossible()?.release();
      file = undefined;
    },
    bytes: () => statSync(home.historyDb, { throwIfNoEntry: false })?.size ?? 0,
    [Symbol.dispose]() {
      file?.[Symbol.dispose]();
      file = undefined;
    },
  };
}
