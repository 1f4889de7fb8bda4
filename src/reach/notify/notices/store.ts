// Notices on disk. Each change is synced when it returns: an answer is acknowledged only then.
import { numberIn, objectIn, readEach, textIn } from "../../../server/db/rows.ts";
import type { StateDb } from "../../../server/db/state-db.ts";
import { NOTICE_STATES, type Notice, type NoticeMessage, type NoticeState, type Plan } from "./notice.ts";

export interface NoticeStore {
  /** The oldest first. */
  load(): Notice[];
  /** Inserts or updates. */
  save(notice: Notice): void;
  remove(ids: readonly string[]): void;
  /** All copies of a notice, or of all notices. */
  messages(notice?: string): NoticeMessage[];
  /** The notice that a copy is about. */
  noticeOf(channel: string, remote: string): string | undefined;
  /** With its notice where that changed too. */
  saveMessage(message: NoticeMessage, notice?: Notice): void;
  removeMessage(message: Pick<NoticeMessage, "channel" | "remote">): void;
}

interface Row {
  id: string;
  at: number;
  tag: string | null;
  title: string;
  message: string;
  state: string;
  plan: string;
  steps: number;
  step_at: number;
  reached: number;
  ended_at: number | null;
  by: string | null;
  action: string | null;
  channel: string | null;
  unanswered_at: number | null;
  told: number;
}

export function createNoticeStore({
  own: db,
  faults,
  trouble,
}: Pick<StateDb, "own" | "faults" | "trouble">): NoticeStore {
  const all = db.query<Row, []>("SELECT * FROM notices ORDER BY at, id");
  const putRow = db.query(
    `INSERT OR REPLACE INTO notices (id, at, tag, title, message, state, plan, steps, step_at, ended_at, by, action, channel,
       unanswered_at, told, reached) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const drop = db.query("DELETE FROM notices WHERE id = ?");
  const dropMessages = db.query("DELETE FROM notice_messages WHERE notice = ?");
  const messages = db.query<NoticeMessage, []>("SELECT channel, remote, notice, shows FROM notice_messages");
  const messagesOf = db.query<NoticeMessage, [string]>(
    "SELECT channel, remote, notice, shows FROM notice_messages WHERE notice = ?",
  );
  const about = db.query<{ notice: string }, [string, string]>(
    "SELECT notice FROM notice_messages WHERE channel = ? AND remote = ?",
  );
  const putMessage = db.query(
    "INSERT OR REPLACE INTO notice_messages (channel, remote, notice, shows) VALUES (?, ?, ?, ?)",
  );
  const dropMessage = db.query("DELETE FROM notice_messages WHERE channel = ? AND remote = ?");
  const removeAll = db.transaction((ids: readonly string[]) => {
    for (const id of ids) {
      drop.run(id);
      dropMessages.run(id);
    }
  }).immediate;

  function written(work: () => void): void {
    try {
      work();
    } catch (error) {
      trouble.note(error);
      throw error;
    }
  }

  function put({ id, at, title, message, state, plan, steps, stepAt, reached, ...more }: Notice): void {
    const { end, unansweredAt = null, announced } = more;
    const ended = end ? [end.at, end.by, end.action, end.channel] : [null, null, null, null];
    const row = [
      id,
      at,
      more.tag ?? null,
      title,
      message,
      state,
      JSON.stringify(plan),
      steps,
      stepAt,
      ...ended,
      unansweredAt,
    ];
    putRow.run(...row, announced ? 1 : 0, reached);
  }

  const putBoth = db.transaction(({ channel, remote, notice, shows }: NoticeMessage, changed: Notice) => {
    putMessage.run(channel, remote, notice, shows);
    put(changed);
  }).immediate;

  return {
    load: () => readEach(all.iterate(), noticeOf, { faults, table: "notices", keyOf: ({ id }) => id }),
    save: (notice) => written(() => put(notice)),
    remove: (ids) => written(() => removeAll(ids)),
    messages: (notice) => (notice === undefined ? messages.all() : messagesOf.all(notice)),
    noticeOf: (channel, remote) => about.get(channel, remote)?.notice,
    saveMessage(message, changed) {
      const { channel, remote, notice, shows } = message;
      written(() => (changed ? putBoth(message, changed) : putMessage.run(channel, remote, notice, shows)));
    },
    removeMessage: ({ channel, remote }) => written(() => dropMessage.run(channel, remote)),
  };
}

function noticeOf(row: Row): Notice {
  const state = textIn(row.state, "state");
  if (!NOTICE_STATES.some((known) => known === state)) throw new TypeError(`state is ${JSON.stringify(state)}`);
  const { ended_at, by, action, channel, unanswered_at } = row;
  return {
    id: textIn(row.id, "id"),
    at: numberIn(row.at, 0),
    tag: row.tag === null ? undefined : textIn(row.tag, "tag"),
    title: textIn(row.title, "title"),
    message: textIn(row.message, "message"),
    plan: planIn(row.plan),
    state: state as NoticeState,
    steps: numberIn(row.steps, 0),
    stepAt: numberIn(row.step_at, 0),
    reached: numberIn(row.reached, 0),
    end:
      ended_at === null
        ? undefined
        : { at: numberIn(ended_at, 0), by: by ?? "", action: action ?? "", channel: channel ?? "" },
    unansweredAt: numberIn(unanswered_at, undefined),
    announced: row.told !== 0,
  };
}

function planIn(text: string): Plan {
  const plan = objectIn(text, "plan") as unknown as Plan;
  const { stages, said, rounds } = plan;
  if (!Array.isArray(stages) || typeof said?.message !== "string" || !Number.isFinite(rounds))
    throw new TypeError("plan is not one");
  return plan;
}
