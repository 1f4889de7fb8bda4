// The text of a rule while it is edited: kept over reloads, checked by the hub at every pause, saved only over the text it
// began with. The text and the guided editor change this one thing.

import { useEffect, useRef, useState } from "preact/hooks";
import { type Draft, keepDraft, loadDraft } from "../../../browser/draft.ts";
import type { CheckedRule, RuleDetails, WholeRule } from "../../../model/rules/rule.ts";
import { mergeTexts } from "../../../model/text/text-merge.ts";
import { rulePath } from "../../../state/house/rules.ts";
import { ApiError, ask, post } from "../../../state/hub/api.ts";
import { connection } from "../../../state/hub/live.ts";
import { useAskSoon } from "../../../state/hub/watched.ts";

export interface RuleDraft {
  /** Undefined until it is read. */
  text: string | undefined;
  setText: (text: string) => void;
  isChanged: boolean;
  /** Of the present text; undefined until the hub has looked at it. */
  checked: CheckedRule | undefined;
  /** What the hub has now, where that is not what was edited here. */
  conflict: { text: string; etag: string } | undefined;
  /** Over the other's text: what is here is saved next time. */
  keepMine: () => void;
  takeTheirs: () => void;
  /** Both in one text, to be looked at before it is saved. Returns where they clash. */
  merge: (how: { comment: string; label: string }) => number;
  save: () => Promise<void>;
  discard: () => void;
  /** Writes a rule into the text, whose comments stay as far as possible. */
  writeRule: WriteRule;
  /** What `writeRule` was given last, until the hub has read its text: what is changed next is changed in this. */
  ahead: WholeRule | undefined;
  busy: boolean;
  problem: unknown;
}

/** Resolves with why it was refused, if it was. */
export type WriteRule = (rule: WholeRule) => Promise<unknown>;

interface WrittenText {
  text: string;
  comments_kept: boolean;
}

interface DraftOptions {
  /** Undefined for a rule that is not there yet. */
  id: string | undefined;
  /** What a new rule begins with. */
  start?: string;
  onSaved: (id: string) => void;
  /** Comments got lost. */
  onLost: () => void;
}

const CHECK_MS = 250;
/** No event reports changed files. */
const READ_EVERY_MS = 5000;

export function useRuleDraft({ id, start = "", onSaved, onLost }: DraftOptions): RuleDraft {
  const key = `rule.${id ?? "new"}`;
  const [draft, setDraft] = useState<Draft | undefined>(
    () => loadDraft(key) ?? (id === undefined ? fresh(start) : undefined),
  );
  const [theirs, setTheirs] = useState<{ text: string; etag: string }>();
  const [checked, setChecked] = useState<{ of: string; result: CheckedRule }>();
  const [problem, setProblem] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const isLive = connection.value.state === "live";
  const text = draft?.text;
  // What the answer of a slow request must not overwrite.
  const latest = useRef(draft);
  latest.current = draft;
  const theirsNow = useRef<string>(undefined);
  const writing = useRef<Promise<unknown>>(Promise.resolve());
  /** `text`: what came of it; undefined while it is being written. */
  const [written, setWritten] = useState<{ rule: WholeRule; text?: string }>();

  function change(next: Draft): void {
    latest.current = next;
    setDraft(next);
    keepDraft(key, next.text === next.base ? undefined : next);
  }

  async function read(): Promise<void> {
    if (id === undefined) return;
    try {
      const answer = await ask("GET", rulePath(id, "/text"));
      const found = { text: await answer.text(), etag: answer.headers.get("etag") ?? "" };
      if (found.etag === theirsNow.current) return;
      theirsNow.current = found.etag;
      setProblem(undefined);
      setTheirs(found);
      const mine = latest.current;
      if (mine === undefined || mine.text === mine.base || mine.text === found.text)
        change({ text: found.text, base: found.text, etag: found.etag });
    } catch (error) {
      setProblem(error);
    }
  }

  // A hub that was away may have another text now.
  useEffect(() => {
    if (!isLive) return;
    void read();
    const timer = setInterval(() => document.visibilityState === "visible" && void read(), READ_EVERY_MS);
    return () => clearInterval(timer);
  }, [key, isLive]);
  const check = async (of: string) => ({
    of,
    result: await post<CheckedRule>("/rules/check", { text: of, ...(id !== undefined && { id }) }),
  });
  useAskSoon(
    {
      ask: text === undefined || !isLive ? undefined : () => check(text),
      onAnswer: setChecked,
      onFailure: setProblem,
      afterMs: CHECK_MS,
    },
    [key, text, isLive],
  );

  async function act(how: () => Promise<void>): Promise<void> {
    setBusy(true);
    setProblem(undefined);
    try {
      await how();
    } catch (error) {
      setProblem(error);
      // Perhaps somebody else saved it meanwhile: then the difference is shown.
      if (error instanceof ApiError && error.code === "conflict") await read();
    }
    setBusy(false);
  }

  async function saveText(to: string, sent: Draft): Promise<string> {
    const headers = { "content-type": "text/plain; charset=utf-8", ...(sent.etag !== "" && { "if-match": sent.etag }) };
    const answer = await ask("PUT", rulePath(to, "/text"), { body: sent.text, headers });
    return ((await answer.json()) as RuleDetails).id;
  }

  async function save(): Promise<void> {
    const sent = latest.current;
    if (sent === undefined) return;
    await act(async () => {
      const to = id ?? (await makeRule());
      const saved = await saveText(to, sent);
      keepDraft(key, undefined);
      if (id !== undefined) {
        latest.current = { ...sent, base: sent.text };
        await read();
      }
      onSaved(saved);
    });
  }

  /** A new rule is made of its JSON; its text, with the comments, follows. */
  async function makeRule(): Promise<string> {
    const rule = checked?.result.rule;
    if (!rule) throw new ApiError(0, { code: "unknown" });
    return (await post<RuleDetails>("/rules", rule)).id;
  }

  async function writeNext(rule: WholeRule): Promise<unknown> {
    const before = latest.current;
    if (before === undefined) return undefined;
    try {
      const body = { rule, text: before.text, ...(id !== undefined && { id }) };
      const { text, comments_kept: areKept } = await post<WrittenText>("/rules/compose", body);
      if (!areKept) onLost();
      // What it is based on may have been read again meanwhile.
      change({ ...(latest.current ?? before), text });
      setWritten((last) => (last?.rule === rule ? { rule, text } : last));
      return undefined;
    } catch (error) {
      setWritten((last) => (last?.rule === rule ? undefined : last));
      return error;
    }
  }

  /** One after the other: each is written into the text that the one before it made. */
  function writeRule(rule: WholeRule): Promise<unknown> {
    setWritten({ rule });
    writing.current = writing.current.then(() => writeNext(rule));
    return writing.current;
  }

  const result = checked?.of === text ? checked?.result : undefined;
  const isAhead = written && (written.text === undefined || (written.text === text && !result));
  const isElsewhere = theirs !== undefined && draft !== undefined && theirs.etag !== draft.etag;
  return {
    text,
    setText: (next) => draft && change({ ...draft, text: next }),
    isChanged: draft !== undefined && draft.text !== draft.base,
    checked: result,
    conflict: isElsewhere ? theirs : undefined,
    keepMine: () => draft && theirs && change({ ...draft, base: theirs.text, etag: theirs.etag }),
    takeTheirs: () => theirs && change({ text: theirs.text, base: theirs.text, etag: theirs.etag }),
    merge(how) {
      if (!draft || !theirs) return 0;
      const merged = mergeTexts({ base: draft.base, mine: draft.text, theirs: theirs.text, ...how });
      change({ text: merged.text, base: theirs.text, etag: theirs.etag });
      return merged.clashes;
    },
    save,
    discard: () => draft && change({ ...draft, text: draft.base }),
    writeRule,
    ahead: isAhead ? written.rule : undefined,
    busy,
    problem,
  };
}

function fresh(text: string): Draft {
  return { text, base: "", etag: "" };
}
