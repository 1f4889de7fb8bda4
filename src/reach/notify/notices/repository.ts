// All notices, in memory and on disk, and the moments from which their steps count. What is one change to people is one commit:
// with a message it is written along with that.
import { messageOf } from "../../../kit/schema/errors.ts";
import { type DurableMoment, momentNow, restoreMoment, wallOf } from "../../../kit/time/durable-moment.ts";
import type { OwnRows } from "../../../server/db/own-rows.ts";
import type { NoticesDeps } from "./deps.ts";
import { surplusOf } from "./make-notice.ts";
import type { Notice, NoticeEnd, NoticeMessage, NoticeState } from "./notice.ts";
import type { NoticeStore } from "./store.ts";

export interface NoticeRepository {
  get(id: string): Notice | undefined;
  /** The oldest first. */
  all(): readonly Notice[];
  open(): readonly Notice[];
  /** What was last said with this tag, unless it was taken back. */
  latestOf(tag: string): Notice | undefined;
  /** The moment of its last step. */
  since(notice: Notice): DurableMoment;
  /** In memory; returns what writes it, and forgets others for it where there are too many. */
  add(notice: Notice): OwnRows;
  /** In memory: its next step is taken now. */
  step(notice: Notice): void;
  /** What changes when it is over. */
  ending(state: NoticeState, end?: Partial<NoticeEnd>): Partial<Notice>;
  /** In memory and on disk; also where it cannot be written: an alarm goes on without a disk. */
  change(notice: Notice, changes: Partial<Notice>): void;
  /** A copy arrived. Written with what it changes of its notice. */
  arrived(notice: Notice, copy: NoticeMessage): void;
  /** Notes how the clock shows the moments now, if it was set since. */
  followClock(): void;
}

/** A smaller difference is a clock being slewed. */
const STEP_MS = 1000;

export function openNoticeRepository(
  store: NoticeStore,
  { clock, log }: Pick<NoticesDeps, "clock" | "log">,
): NoticeRepository {
  const all = new Map<string, Notice>(store.load().map((notice) => [notice.id, notice]));
  const moments = new Map<string, DurableMoment>();
  let aheadMs = clock.now() - clock.mono();
  for (const { id, stepAt } of all.values()) moments.set(id, restoreMoment(clock, stepAt));

  const since = ({ id, stepAt }: Notice): DurableMoment => moments.get(id) ?? restoreMoment(clock, stepAt);
  const open = (): Notice[] => [...all.values()].filter(({ state }) => state === "open");

  function change(notice: Notice, changes: Partial<Notice>): void {
    Object.assign(notice, changes);
    try {
      store.save(notice);
    } catch (error) {
      log.error("a notification that waits for an answer cannot be written", { error: messageOf(error) });
    }
  }

  /** In memory; returns those that are gone. */
  function prune(): string[] {
    const gone = surplusOf([...all.values()], clock.now());
    for (const id of gone) {
      all.delete(id);
      moments.delete(id);
    }
    return gone;
  }

  return {
    get: (id) => all.get(id),
    all: () => [...all.values()],
    open,
    latestOf: (tag) => [...all.values()].findLast((notice) => notice.tag === tag && notice.state !== "cleared"),
    since,
    add(notice) {
      all.set(notice.id, notice);
      moments.set(notice.id, momentNow(clock));
      const gone = prune();
      return () => {
        store.save(notice);
        if (gone.length > 0) store.remove(gone);
      };
    },
    step(notice) {
      Object.assign(notice, { steps: notice.steps + 1, stepAt: clock.now() });
      moments.set(notice.id, momentNow(clock));
    },
    ending: (state, end = {}) => ({
      ...{ state, end: { at: clock.now(), by: "", action: "", channel: "", ...end } },
      announced: state !== "acknowledged",
    }),
    change,
    arrived(notice, copy) {
      const isNews = notice.state === "open" && notice.reached !== notice.steps;
      if (isNews) notice.reached = notice.steps;
      store.saveMessage(copy, isNews ? notice : undefined);
    },
    followClock() {
      const now = clock.now() - clock.mono();
      if (Math.abs(now - aheadMs) < STEP_MS) return;
      aheadMs = now;
      for (const notice of open().filter(({ plan }) => plan.answerable)) {
        const stepAt = wallOf(clock, since(notice));
        if (stepAt !== notice.stepAt) change(notice, { stepAt });
      }
    },
  };
}
