// Rules that use an attribute which means something else since a newer version of the hub: each is changed, or said to be right.

import { useEffect, useState } from "preact/hooks";
import {
  type ChangedLine,
  type LinePart,
  partsOf,
  type RenamedRule,
  renamedSentences,
} from "../../model/rules/renamed-words.ts";
import { isolated } from "../../model/rules/rule-text.ts";
import { ruleProblem } from "../../model/text/problem-words.ts";
import { Problem, problemText } from "../../parts/acting/problem.tsx";
import { keepFocus, mayAct } from "../../parts/acting/use-act.tsx";
import { nameOfDevice } from "../../state/house/devices.ts";
import { rulePath } from "../../state/house/rules.ts";
import { get, post, remove } from "../../state/hub/api.ts";
import { allows } from "../../state/hub/session.ts";
import { useWatched, type Watched } from "../../state/hub/watched.ts";
import { formatNumber, t } from "../../texts/index.ts";
import { toast } from "../../ui/toast.ts";

const MAX_SHOWN = 5;

interface Deciding {
  /** Undefined until they are read. */
  rules: readonly RenamedRule[] | undefined;
  busy: boolean;
  problems: ReadonlyMap<string, unknown>;
  change: (rules: readonly RenamedRule[]) => Promise<void>;
  keep: (rule: RenamedRule) => Promise<void>;
}

interface RenamedProps {
  /** A rule has another text now. */
  onChanged: () => Promise<void>;
}

/** Above the list of all rules. */
export function RenamedRules({ onChanged }: RenamedProps) {
  const deciding = useDeciding(onChanged);
  const [isWhole, setWhole] = useState(false);
  const rules = deciding.rules ?? [];
  const turnable = rules.filter(({ can_turn: can }) => can);
  if (rules.length === 0) return null;
  const shown = isWhole || rules.length <= MAX_SHOWN + 1 ? rules : rules.slice(0, MAX_SHOWN);
  return (
    <section class="renamed" aria-labelledby="renamed-title">
      <h2 id="renamed-title">{t("renamed.title", { count: rules.length })}</h2>
      <p class="hint">{t("renamed.what")}</p>
      <ul>
        {shown.map((rule) => (
          <li key={rule.rule_id}>
            <h3>
              <a href={rulePath(rule.rule_id)} dir="auto">
                {rule.rule_name}
              </a>
            </h3>
            <Decision rule={rule} deciding={deciding} />
          </li>
        ))}
      </ul>
      <p class="buttons">
        {shown.length < rules.length && (
          <button type="button" onClick={() => setWhole(true)}>
            {t("renamed.show_all", { count: formatNumber(rules.length) })}
          </button>
        )}
        {turnable.length > 1 && allows("admin") && (
          <button
            type="button"
            disabled={deciding.busy || !mayAct("admin")}
            onClick={() => void deciding.change(turnable)}
          >
            {t("renamed.change_all")}
          </button>
        )}
      </p>
    </section>
  );
}

/** On the view of one rule. */
export function RenamedNote({ id, onChanged }: RenamedProps & { id: string }) {
  const deciding = useDeciding(onChanged);
  const rule = deciding.rules?.find(({ rule_id }) => rule_id === id);
  if (!rule) return null;
  return (
    <section class="renamed" aria-label={t("renamed.note")}>
      <Decision rule={rule} deciding={deciding} />
      <p class="hint">{t("renamed.what")}</p>
    </section>
  );
}

function Decision({ rule, deciding }: { rule: RenamedRule; deciding: Deciding }) {
  const { rule_id: id, rule_name: name, can_turn: can, why_not: why } = rule;
  const disabled = deciding.busy || !mayAct("admin");
  return (
    <>
      {renamedSentences(rule).map((sentence) => (
        <p key={sentence} dir="auto">
          {sentence}
        </p>
      ))}
      {!can && why !== null && (
        <p class="renamed-why">{t("renamed.by_hand", { why: ruleProblem(why, nameOfDevice) })}</p>
      )}
      {can && allows("admin") && <WhatChanges id={id} name={name} />}
      {allows("admin") && (
        <p class="buttons">
          {can ? (
            <button
              type="button"
              class="main"
              disabled={disabled}
              aria-label={`${t("renamed.change")}: ${name}`}
              onClick={() => void deciding.change([rule])}
            >
              {t("renamed.change")}
            </button>
          ) : (
            <a class="button" href={`${rulePath(id)}?tab=edit`} aria-label={`${t("renamed.edit")}: ${name}`}>
              {t("renamed.edit")}
            </a>
          )}
          <button
            type="button"
            disabled={disabled}
            aria-label={`${t("renamed.keep")}: ${name}`}
            onClick={() => void deciding.keep(rule)}
          >
            {t("renamed.keep")}
          </button>
        </p>
      )}
      <Problem of={deciding.problems.get(id)} />
    </>
  );
}

/** Read when it is opened, and anew each time: somebody may have edited the rule meanwhile. */
function WhatChanges({ id, name }: { id: string; name: string }) {
  const [changes, setChanges] = useState<readonly ChangedLine[]>();
  const [problem, setProblem] = useState<unknown>();
  const [isOpen, setOpen] = useState(false);

  async function read(): Promise<void> {
    setProblem(undefined);
    try {
      setChanges(await readChanges(id));
    } catch (error) {
      setProblem(error);
    }
  }
  return (
    <details
      open={isOpen}
      onToggle={({ currentTarget: { open } }) => {
        setOpen(open);
        if (open) void read();
      }}
    >
      <summary>
        {t("renamed.show")}
        <span class="visually-hidden">: {name}</span>
      </summary>
      <div aria-busy={isOpen && changes === undefined && problem === undefined}>
        <Problem of={problem} />
        {problem === undefined && changes?.map((one) => <Changed key={one.line} of={one} />)}
      </div>
    </details>
  );
}

function Changed({ of }: { of: ChangedLine }) {
  const { before, after } = partsOf(of);
  return (
    <div class="renamed-line">
      <p class="hint">{t("rules.line", { line: of.line })}</p>
      <Line sign="−" label={t("renamed.before")} parts={before} />
      <Line sign="+" label={t("renamed.after")} parts={after} />
    </div>
  );
}

function Line({ sign, label, parts }: { sign: string; label: string; parts: readonly LinePart[] }) {
  return (
    <p class={`code ${sign === "+" ? "after" : "before"}`} dir="ltr">
      <span aria-hidden="true">{sign} </span>
      <span class="visually-hidden">{label}: </span>
      {parts.map(({ text, isChanged }, at) => (isChanged ? <mark key={at}>{text}</mark> : text))}
    </p>
  );
}

function useDeciding(onChanged: () => Promise<void>): Deciding {
  const { data: rules, reload } = useRenamedRules();
  const [busy, setBusy] = useState(false);
  const [problems, setProblems] = useState<ReadonlyMap<string, unknown>>(new Map());

  // What is no longer listed has no place for its problem.
  useEffect(() => {
    if (!rules || problems.size === 0) return;
    const listed = new Set(rules.map(({ rule_id: id }) => id));
    const gone = [...problems].filter(([id]) => !listed.has(id));
    if (gone.length === 0) return;
    for (const [, error] of gone) toast(problemText(error));
    setProblems(new Map([...problems].filter(([id]) => listed.has(id))));
  }, [rules]);

  /** One after the other; what the hub refuses stands at its rule, and does not stop the others. */
  async function decide(about: readonly RenamedRule[], how: (id: string) => Promise<unknown>): Promise<RenamedRule[]> {
    const pressed = document.activeElement;
    const failed = new Map(problems);
    const done: RenamedRule[] = [];
    setBusy(true);
    for (const rule of about) {
      failed.delete(rule.rule_id);
      try {
        await how(rule.rule_id);
        done.push(rule);
      } catch (error) {
        failed.set(rule.rule_id, error);
      }
      setProblems(new Map(failed));
    }
    await Promise.all([reload(), onChanged()]);
    setBusy(false);
    requestAnimationFrame(() => focusAfter(pressed));
    return done;
  }
  return {
    ...{ rules, busy, problems },
    async change(about) {
      const done = await decide(about, changeRule);
      const [first] = done;
      if (about.length > 1 && done.length > 0) toast(t("renamed.changed_all", { count: formatNumber(done.length) }));
      else if (first) toast(t("renamed.changed", { name: isolated(first.rule_name) }));
    },
    async keep(rule) {
      const done = await decide([rule], keepRule);
      if (done.length > 0) toast(t("renamed.kept", { name: isolated(rule.rule_name) }));
    },
  };
}

/** The button is gone with its rule: then the next that can be pressed, or the view. */
function focusAfter(pressed: Element | null): void {
  keepFocus(pressed);
  if (document.activeElement !== document.body) return;
  const next = document.querySelector<HTMLElement>(".renamed button:enabled") ?? document.getElementById("content");
  next?.focus({ preventScroll: true });
}

/** What somebody decided has no event. */
const EVERY_MS = 15_000;

/** Rules about attributes that have another name, or mean something else, since a newer version of the hub: which they are, and what somebody decides about each. */
function useRenamedRules(): Watched<RenamedRule[]> {
  return useWatched("renamed attributes", () => get<RenamedRule[]>("/rules/renamed-attributes"), {
    every: EVERY_MS,
    concerns: ({ type }) => type.startsWith("rule_"),
  });
}

/** Changes nothing. Throws ApiError. */
async function readChanges(ruleId: string): Promise<ChangedLine[]> {
  const { changes } = await post<{ changes: ChangedLine[] }>(rulePath(ruleId, "/rename-attributes?dry_run=true"));
  return changes;
}

/** Throws ApiError. */
const changeRule = (ruleId: string): Promise<unknown> => post(rulePath(ruleId, "/rename-attributes"));

/** It is right as it is. Throws ApiError. */
const keepRule = (ruleId: string): Promise<unknown> => remove(rulePath(ruleId, "/renamed-attributes"));
