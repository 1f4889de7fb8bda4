// Notices: messages that somebody has to confirm or may answer, that go on to the next person until somebody does, and that take the
// place of what their tag said before. A notice is on disk before it is sent, and an answer before it is acknowledged. Sending is
// the outbox's work, bringing copies up to date that of edits.ts.
import { background } from "../../../kit/lifecycle/lifecycle.ts";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import { PRIORITIES } from "../../../kit/text/message-words.ts";
import { isoSeconds } from "../../../kit/time/clock.ts";
import type { OwnRows } from "../../../server/db/own-rows.ts";
import type { HubEvent } from "../../../server/events/catalog.ts";
import { ACKNOWLEDGE, type Answered, type ChannelMessage } from "../channel.ts";
import type { MessageAction } from "../message-options.ts";
import type { Unaddressed } from "../messenger.ts";
import type { FirstTry } from "../outbox/outbox.ts";
import type { LostMessage, SentMessage } from "../outbox/try-message.ts";
import type { NoticesDeps } from "./deps.ts";
import { createEdits } from "./edits.ts";
import { isForgotten, namesNext, namesNow } from "./escalation.ts";
import { createEscalator } from "./escalator.ts";
import { createListeners, type Listeners } from "./listeners.ts";
import { isSmallEnough, makeNotice } from "./make-notice.ts";
import {
  actionsOf,
  isNamed,
  type Notice,
  type NoticeEnd,
  type NoticeMessage,
  type NoticeState,
  type RaisedNotice,
  unnamed,
} from "./notice.ts";
import { openNoticeRepository } from "./repository.ts";
import { fromSnapshot } from "./snapshot.ts";
import { createNoticeStore } from "./store.ts";
import { endLine, HERE_ALONE, lateWords, NO_SUCH_ACTION, NOT_SAVED, THANKS, UNKNOWN } from "./words.ts";

export interface Notices extends AsyncDisposable {
  /** On disk, with the outbox and what is `along`, before it returns; resolves with the results of the first tries. */
  raise(raised: RaisedNotice, along?: OwnRows): Promise<FirstTry[]>;
  /** Takes back what was last said with this tag. False where that is nothing. */
  clear(tag: string): boolean;
  /** Durable when it returns. Throws HubError: `not_found`, `conflict` for one that is over, `invalid` for no action of it. */
  acknowledge(id: string, answer: GivenAnswer): Notice;
  /** As `acknowledge`, with words for who answered instead of errors. */
  answered(channel: string, answer: Answered): string;
  get(id: string): Notice | undefined;
  /** The newest first: those that are open, and those of the last days. */
  list(): readonly Notice[];
  /** Notified by the outbox of each message that arrived under a name of its service. */
  sent(sent: SentMessage): void;
  /** Why answers to a channel's messages did not reach the hub when it last listened there. */
  listeningProblem: Listeners["problemOf"];
  /** Notified by the outbox of each copy of a notice that will not arrive. */
  lost(message: LostMessage): void;
  /** Goes on with what earlier runs left, and listens. To be called when rules can learn of it. */
  start(): void;
}

export interface GivenAnswer {
  /** ACKNOWLEDGE when absent. */
  readonly action?: string | undefined;
  readonly by: string;
  /** The channel it came through, or `api`. */
  readonly channel: string;
}

/** Rules have written by then what an event made them do. */
const REPORTED_AFTER_MS = 5000;
const MAX_BY = 100;

export function createNotices(deps: NoticesDeps): Notices {
  const { clock, log, random, emit, houseTime, expireMs } = deps;
  const store = createNoticeStore(deps.db);
  const repository = openNoticeRepository(store, deps);
  const edits = createEdits({
    ...{ clock, log, random, store, confirmed: deps.confirmed },
    notice: repository.get,
    channel: deps.channel,
    render: (notice, channel) => messageFor(notice, channel, deps),
    sayAnew: (notice, channel) => void send(notice, [channel]),
    sayEnd: (notice, channel) => background(log, "the end of a notice", deps.enqueue([channel], endOf(notice, deps))),
  });
  const listeners = createListeners({
    ...{ clock, log, channels: deps.channels },
    waiting: waitingIn,
    actions: (channel, remote) => actionsAbout(store.noticeOf(channel, remote)),
    async answered(channel, answer) {
      const words = notices.answered(channel, answer);
      const confirmed = words === THANKS ? deps.confirmed?.() : undefined;
      return confirmed && (await confirmed) !== undefined ? HERE_ALONE : words;
    },
    written: async (channel, text, from) => deps.written?.(channel, text, from),
  });
  const escalator = createEscalator({
    ...{ clock, log, expireMs, open: repository.open, since: repository.since, followClock: repository.followClock },
    take(notice, step) {
      if (step === "notify") background(log, "escalation", takeStep(notice));
      else if (step === "unanswered") reportUnanswered(notice);
      else expire(notice);
    },
  });
  let started = false;
  let closed = false;

  function finish(notice: Notice, state: NoticeState, end?: Partial<NoticeEnd>): void {
    const changes = repository.ending(state, end);
    // Nobody is notified that an answer counts before it is on disk.
    if (state !== "acknowledged") repository.change(notice, changes);
    else {
      store.save({ ...notice, ...changes });
      Object.assign(notice, changes);
    }
    deps.cancelWaiting(notice.id);
    afterEnd(notice);
  }

  function afterEnd(notice: Notice): void {
    edits.wake(notice.id);
    escalator.look();
    listeners.look();
  }

  function send(notice: Notice, names: readonly string[], along?: OwnRows): Promise<FirstTry[]> {
    const { said, answerable } = notice.plan;
    return deps.enqueue(names, { ...fromSnapshot(said), notice: notice.id, answerable }, along);
  }

  /** That it is taken is written with its messages: after a kill nobody is asked twice, and nobody left out. */
  async function takeStep(notice: Notice, rows: OwnRows = () => store.save(notice)): Promise<FirstTry[]> {
    const names = namesNext(notice);
    repository.step(notice);
    const step = notice.steps;
    const reported = send(notice, names, rows);
    escalator.look();
    const about = { title: notice.title, to: names.join(", ") };
    if (step > 1) log.info("nobody has answered a notification: the next one is asked", about);
    const tries = await reported;
    if (notice.steps !== step || closed) return tries;
    const failed = tries.filter(({ state }) => state === "failed");
    // Where this step reaches nobody at all, the next one does not wait.
    if (failed.length === tries.length) escalator.hurry(notice);
    // What is reported at once, such as to the log.
    else if (notice.reached < step && tries.some(({ state }) => state === "delivered"))
      repository.change(notice, { reached: step });
    if (step > 1 && failed.length > 0)
      log.warn("somebody could not be asked", { ...about, reason: failed.map(({ error }) => error).join("; ") });
    return tries;
  }

  /** A copy will not arrive, which may be known long after its step: where nobody else got that step, the next one does not wait. */
  function lost({ channel, notice: id }: LostMessage): void {
    const notice = repository.get(id);
    if (!isWaiting(notice) || notice.plan.escalateMs === undefined || notice.reached >= notice.steps) return;
    const names = namesNow(notice);
    const asked = new Set(names.flatMap((name) => deps.plainChannels(name) ?? deps.channelsOf(name)));
    if (!asked.has(channel) || deps.waitingIn(id).some((each) => asked.has(each))) return;
    log.warn("nobody could be asked: the next one is", { title: notice.title, to: names.join(", ") });
    escalator.hurry(notice);
  }

  function reportUnanswered(notice: Notice): void {
    repository.change(notice, { unansweredAt: clock.now(), announced: false });
    log.warn("nobody has answered a notification", { title: notice.title });
    announce(notice);
    escalator.look();
  }

  function expire(notice: Notice): void {
    if (notice.unansweredAt === undefined) reportUnanswered(notice);
    finish(notice, "expired");
  }

  /** Again after a restart, until it is sure that everybody received it. */
  function announce(notice: Notice): void {
    emit(notice.state === "acknowledged" ? answeredEvent(notice) : unansweredEvent(notice));
    clock.after("notice announced", REPORTED_AFTER_MS, () => {
      if (!closed && !notice.announced && repository.get(notice.id)) repository.change(notice, { announced: true });
    });
  }

  function waitingIn(channel: string): string[] {
    return store
      .messages()
      .filter((message) => message.channel === channel && isNamed(message) && isWaiting(repository.get(message.notice)))
      .map(({ remote }) => remote);
  }

  function actionsAbout(id = ""): readonly MessageAction[] {
    const notice = repository.get(id);
    return notice ? actionsOf(notice) : [];
  }

  /** The copies of what a tag said before that can be changed in place: they become the new one's. */
  function copiesFor(by: Notice, before: Notice): NoticeMessage[] {
    const { said, escalateMs, stages } = by.plan;
    // A picture cannot take another one's place.
    if ((said.priority ?? 0) >= PRIORITIES.high || escalateMs !== undefined || said.image !== undefined) return [];
    const targets = new Set((stages[0] ?? []).flatMap((name) => deps.plainChannels(name) ?? []));
    const first = new Map<string, NoticeMessage>();
    for (const message of store.messages(before.id)) {
      const { channel } = message;
      if (targets.has(channel) && !first.has(channel) && deps.channel(channel)?.change) first.set(channel, message);
    }
    return [...first.values()].map((message) => ({ ...message, notice: by.id, shows: "" }));
  }

  /** All of it is one commit: a rule that is killed before it says this again, and one that is killed after it does not. */
  async function raiseNotice(raised: RaisedNotice, along?: OwnRows): Promise<FirstTry[]> {
    const notice = makeNotice(raised, deps);
    const { said, stages } = notice.plan;
    if (!isSmallEnough(notice)) {
      log.warn("a message is too long to be kept until it is answered: all are notified at once", {
        title: notice.title,
      });
      return deps.enqueue(stages.flat(), fromSnapshot(said), along);
    }
    const before = notice.tag === undefined ? undefined : repository.latestOf(notice.tag);
    const copies = before ? copiesFor(notice, before) : [];
    const added = repository.add(notice);
    if (before) {
      Object.assign(before, repository.ending("cleared"));
      deps.cancelWaiting(before.id);
    }
    const rows = (): void => {
      added();
      if (before && repository.get(before.id)) store.save(before);
      for (const copy of copies) store.saveMessage(copy);
      along?.();
    };
    const moved = new Set(copies.map(({ channel }) => channel));
    const others = (stages[0] ?? []).flatMap((name) => deps.plainChannels(name) ?? [name]);
    const anew = others.filter((name) => !moved.has(name));
    if (moved.size > 0) repository.step(notice);
    const reported = moved.size === 0 ? takeStep(notice, rows) : send(notice, anew, rows);
    if (moved.size > 0) edits.wake(notice.id);
    if (before) afterEnd(before);
    return reported;
  }

  function openOne(id: string, action: string): Notice {
    const notice = repository.get(id);
    if (!notice?.plan.answerable) throw new HubError("not_found", UNKNOWN);
    if (notice.state !== "open") throw new HubError("conflict", lateWords(notice, houseTime));
    if (action !== ACKNOWLEDGE && !actionsOf(notice).some((one) => one.id === action))
      throw new HubError("invalid", NO_SUCH_ACTION);
    return notice;
  }

  const notices: Notices = {
    raise: raiseNotice,
    clear(tag) {
      const notice = repository.latestOf(tag);
      if (notice) finish(notice, "cleared", notice.end);
      return notice !== undefined;
    },
    acknowledge(id, { action = ACKNOWLEDGE, by, channel }) {
      const notice = openOne(id, action);
      finish(notice, "acknowledged", { by: by.slice(0, MAX_BY).toWellFormed(), action, channel });
      log.info("a notification was answered", { title: notice.title, by, action, channel });
      announce(notice);
      return notice;
    },
    answered(channel, { notice, remote, action, by }) {
      const id = notice ?? (remote === undefined ? undefined : store.noticeOf(channel, remote));
      try {
        notices.acknowledge(id ?? "", { action, by, channel });
        return THANKS;
      } catch (error) {
        if (error instanceof HubError) return error.message;
        log.error("an answer was not saved", { error: messageOf(error) });
        return NOT_SAVED;
      }
    },
    get: repository.get,
    listeningProblem: listeners.problemOf,
    list: () => repository.all().toReversed(),
    sent({ channel, message, remote }) {
      const notice = message.notice === undefined ? undefined : repository.get(message.notice);
      if (!notice || (remote === undefined && !notice.plan.answerable)) return;
      repository.arrived(notice, { channel, remote: remote ?? unnamed(message.id), notice: notice.id, shows: "open" });
      if (notice.state !== "open") edits.wake(notice.id);
      else if (started) listeners.look();
    },
    lost,
    start() {
      started = true;
      for (const notice of repository.all()) if (!notice.announced) announce(notice);
      for (const notice of repository.all())
        if (notice.state === "restored" && !notice.end) repository.change(notice, repository.ending("restored"));
      for (const notice of repository.open())
        if (isForgotten(notice, repository.since(notice), { clock, expireMs })) expire(notice);
      edits.wake();
      escalator.look();
      listeners.look();
    },
    async [Symbol.asyncDispose]() {
      closed = true;
      escalator[Symbol.dispose]();
      await Promise.all([listeners[Symbol.asyncDispose](), edits[Symbol.asyncDispose]()]);
    },
  };
  return notices;
}

function isWaiting(notice: Notice | undefined): notice is Notice {
  return notice?.state === "open" && notice.plan.answerable;
}

/** With its buttons while it is open, with how it ended afterwards. */
function messageFor(
  notice: Notice,
  channel: string,
  { render, houseTime }: Pick<NoticesDeps, "render" | "houseTime">,
): ChannelMessage {
  const { id, at, plan, state } = notice;
  const closing = endLine(notice, houseTime);
  const { actions, ...said } = plan.said;
  const buttons = state === "open" && plan.answerable ? { answerable: true, ...(actions && { actions }) } : {};
  const message = render({ ...fromSnapshot(said), channel, notice: id, ...buttons });
  // Where a changed message sounds again, nobody is alarmed by the news that it is over.
  return { ...message, at, late: false, ...(closing !== undefined && { closing, silent: true }) };
}

/** How it ended, as a message of its own, for channels that cannot change the first. */
function endOf(notice: Notice, { houseTime }: Pick<NoticesDeps, "houseTime">): Unaddressed {
  const values = { title: notice.title, line: endLine(notice, houseTime) ?? "" };
  const context = { deviceId: undefined, trigger: {}, vars: values };
  return { title: "{{vars.title}}", message: "{{vars.line}}", silent: true, context };
}

function answeredEvent({ id, tag = "", title, end }: Notice): HubEvent {
  const { action = "", by = "", channel = "", at = 0 } = end ?? {};
  return { type: "notification_acknowledged", id, tag, title, action, by, channel, at: isoSeconds(at) };
}

function unansweredEvent({ id, tag = "", title, unansweredAt = 0, plan }: Notice): HubEvent {
  return { type: "notification_unanswered", id, tag, title, asked: plan.stages.length, at: isoSeconds(unansweredAt) };
}
