// A rule in the list: its sentence, its state, and the switch.

import type { ListedRule } from "../../model/rules/rule.ts";
import { ruleProblem } from "../../model/text/problem-words.ts";
import { nameOfDevice } from "../../state/house/devices.ts";
import { formatAge, formatTime, t } from "../../texts/index.ts";
import { RuleControls, RuleSwitch } from "./rule-controls.tsx";
import { WhatItDoes } from "./rule-made.tsx";
import { RuleRuns } from "./rule-runs.tsx";

interface CardProps {
  rule: ListedRule;
  onChanged: () => Promise<void>;
  onTag: (tag: string) => void;
}

export function RuleCard({ rule, onChanged, onTag }: CardProps) {
  return (
    <li class={`rule-card ${rule.state}`}>
      <div class="rule-head">
        <h2>
          <a class="rule-name" href={`/rules/${encodeURIComponent(rule.id)}`} dir="auto">
            {rule.name}
          </a>
        </h2>
        <RuleSwitch rule={rule} onChanged={onChanged} />
      </div>
      <WhatItDoes rule={rule} />
      <RuleState rule={rule} />
      <RuleRuns rule={rule} onChanged={onChanged} />
      <div class="rule-foot">
        {rule.tags.map((tag) => (
          <button key={tag} type="button" class="tag" dir="auto" onClick={() => onTag(tag)}>
            {tag}
          </button>
        ))}
        <RuleControls rule={rule} onChanged={onChanged} />
      </div>
    </li>
  );
}

/** On, off, paused or broken; when it ran; and what went wrong. */
export function RuleState({ rule }: { rule: ListedRule }) {
  const { state, error, last_error: failed, next_run_at: next } = rule;
  return (
    <div class="rule-state">
      <p>
        <span class={`rule-badge ${state}`}>{stateText(rule)}</span>
        {rule.running > 0 && <span class="rule-badge running">{t("rules.running", { count: rule.running })}</span>}
        <span title={rule.last_fired_at === null ? undefined : formatTime(rule.last_fired_at)}>
          {rule.last_fired_at === null
            ? t("rules.never_ran")
            : t("rules.last_ran", { time: formatAge(rule.last_fired_at) })}
        </span>
        {next && <span title={formatTime(next)}>{t("rules.next_run", { time: formatTime(next) })}</span>}
      </p>
      {error && (
        <p class="problem">
          {t("rules.problem_at", { file: rule.file, line: error.line, column: error.column })}{" "}
          <span dir="auto">{ruleProblem(error.message, nameOfDevice)}</span>
          {rule.running_version === "last_good" && ` ${t("rules.last_good")}`}
        </p>
      )}
      {rule.warnings.map((warning) => (
        <p key={`${warning.line} ${warning.message}`} class="rule-warning">
          {t("rules.line", { line: warning.line })} <span dir="auto">{ruleProblem(warning.message, nameOfDevice)}</span>
        </p>
      ))}
      {failed && (
        <p class="rule-warning" title={formatTime(failed.at)}>
          {t("rules.last_error", { time: formatAge(failed.at) })}{" "}
          <span dir="auto">{ruleProblem(failed.message, nameOfDevice)}</span>
        </p>
      )}
    </div>
  );
}

function stateText({ state, paused_until: until }: ListedRule): string {
  if (state === "paused" && until !== null) return t("rules.paused_until", { time: formatTime(until) });
  return t(`rules.state.${state}`);
}
