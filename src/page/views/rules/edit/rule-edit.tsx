// Editing a rule: its text and the guided form beside it change one text, whose sentence stands above.

import { useEffect, useRef, useState } from "preact/hooks";
import type { RuleProblem, Vocabulary, WholeRule } from "../../../model/rules/rule.ts";
import { ruleProblem } from "../../../model/text/problem-words.ts";
import { Problem } from "../../../parts/acting/problem.tsx";
import { nameOfDevice } from "../../../state/house/devices.ts";
import { readVocabulary } from "../../../state/house/rules.ts";
import { connection } from "../../../state/hub/live.ts";
import { formatNumber, t } from "../../../texts/index.ts";
import { toast } from "../../../ui/toast.ts";
import { BlueprintGuide } from "../blueprints/blueprint-guide.tsx";
import { madeSentence } from "../blueprints/blueprint-words.ts";
import { RuleGuide } from "../guide/rule-guide.tsx";
import { RuleSentence } from "../rule-sentence.tsx";
import { Code, type CodeHandle } from "./code.tsx";
import { completeRule } from "./rule-complete.ts";
import { RuleConflict } from "./rule-conflict.tsx";
import { type RuleDraft, useRuleDraft } from "./rule-draft.ts";
import { RuleSecrets } from "./rule-secrets.tsx";

interface EditProps {
  /** Undefined for a new rule. */
  id?: string;
  start?: string;
  onSaved: (id: string) => void;
  onDiscarded?: () => void;
}

export function RuleEdit({ id, start = "", onSaved, onDiscarded }: EditProps) {
  const draft = useRuleDraft({
    id,
    start,
    onSaved(saved) {
      toast(t("edit.saved"));
      onSaved(saved);
    },
    onLost: () => toast(t("edit.comments_lost")),
  });
  const [vocabulary, setVocabulary] = useState<Vocabulary>();
  const [problem, setProblem] = useState<unknown>();
  const code = useRef<CodeHandle>(null);
  useEffect(() => void readVocabulary().then(setVocabulary, setProblem), []);
  const { text, checked, conflict, ahead } = draft;
  // What is typed into the text takes a moment to be read: until then the last one stays in its place.
  const last = useRef(checked);
  if (checked) last.current = checked;
  const made = last.current?.written && ((ahead as unknown as typeof last.current.written) ?? last.current.written);
  const lastRight = useRef<WholeRule>(undefined);
  const rule = made ? undefined : (ahead ?? (checked ?? last.current)?.rule);
  if (rule) lastRight.current = rule;
  const format = checked?.format ?? (/^\s*(#|\w+\s*=|\[)/m.test(text ?? "") ? "toml" : "ron");

  if (text === undefined) return <Problem of={draft.problem ?? problem} />;
  const problems = [
    ...(checked?.problems ?? []).map((one) => ({ ...one, warning: false })),
    ...(checked?.warnings ?? []).map((one) => ({ ...one, warning: true })),
  ];
  return (
    <section class="edit" aria-label={t("rules.tab.edit")}>
      {conflict && (
        <RuleConflict
          mine={text}
          theirs={conflict.text}
          onMine={draft.keepMine}
          onTheirs={() => {
            draft.takeTheirs();
            toast(t("edit.took_theirs"), () => draft.setText(text));
          }}
          onMerge={() => {
            const clashes = draft.merge({ comment: format === "toml" ? "#" : "//", label: t("edit.theirs") });
            toast(clashes > 0 ? t("edit.clashes", { count: formatNumber(clashes) }) : t("edit.merged"));
          }}
        />
      )}
      {made && <p class="rule-sentence">{madeSentence(made.use, made.inputs ?? {})}</p>}
      {!made && lastRight.current && <RuleSentence rule={lastRight.current} />}
      <div class="edit-sides">
        <div class="edit-guide" inert={!checked && !ahead}>
          <h2>{t(made ? "blueprints.inputs" : "edit.guided")}</h2>
          {made && <BlueprintGuide written={made} problems={checked?.problems ?? []} onChange={draft.writeRule} />}
          {!made && checked && !checked.rule && <p class="hint">{t("edit.text_broken")}</p>}
          {rule && vocabulary && <RuleGuide rule={rule} vocabulary={vocabulary} onChange={draft.writeRule} />}
          {checked?.rule && <RuleSecrets rule={checked.rule} />}
        </div>
        <div class="edit-text">
          <h2>{t("edit.text")}</h2>
          <Code
            text={text}
            format={format}
            label={t("edit.text")}
            problems={problems}
            complete={(context) => (vocabulary ? completeRule(context, { vocabulary, format }) : null)}
            onChange={draft.setText}
            onSave={() => void saveIfRight(draft)}
            handle={code}
          />
          <RuleProblems problems={problems} onGo={({ line, column }) => code.current?.goTo(line, column)} />
        </div>
      </div>
      <Problem of={draft.problem ?? problem} />
      <SaveBar draft={draft} onDiscarded={onDiscarded} />
    </section>
  );
}

const canSave = ({ checked, busy, isChanged, conflict }: RuleDraft): boolean =>
  connection.value.state === "live" && !busy && isChanged && !conflict && checked?.problems.length === 0;

async function saveIfRight(draft: RuleDraft): Promise<void> {
  if (canSave(draft)) await draft.save();
}

function SaveBar({ draft, onDiscarded }: { draft: RuleDraft; onDiscarded: (() => void) | undefined }) {
  const { isChanged, checked } = draft;
  const count = checked?.problems.length ?? 0;
  return (
    <div class="save-bar">
      <button type="button" class="main" disabled={!canSave(draft)} onClick={() => void draft.save()}>
        {t("edit.save")}
      </button>
      <button
        type="button"
        disabled={!isChanged || draft.busy}
        onClick={() => (onDiscarded ?? (() => discarded(draft)))()}
      >
        {t("edit.discard")}
      </button>
      <p class="hint" role="status">
        {!isChanged
          ? t("edit.unchanged")
          : count > 0
            ? t("edit.broken", { count: formatNumber(count) })
            : t("edit.kept")}
      </p>
    </div>
  );
}

/** Can be undone: the text is back where it was. */
function discarded(draft: RuleDraft): void {
  const { text = "" } = draft;
  draft.discard();
  toast(t("edit.discarded"), () => draft.setText(text));
}

type Listed = RuleProblem & { warning: boolean };

/** What is wrong with a rule's text, each with its place to go to. */
function RuleProblems({ problems, onGo }: { problems: readonly Listed[]; onGo: (problem: Listed) => void }) {
  if (problems.length === 0) return null;
  return (
    <ul class="rule-problems">
      {problems.map((problem) => (
        <li key={`${problem.line} ${problem.column} ${problem.message}`} class={problem.warning ? "warning" : "error"}>
          <button type="button" onClick={() => onGo(problem)}>
            {t(problem.warning ? "edit.warning_at" : "edit.problem_at", { line: problem.line, column: problem.column })}
          </button>{" "}
          <span dir="auto">{ruleProblem(problem.message, nameOfDevice)}</span>
        </li>
      ))}
    </ul>
  );
}
