// Runs of a rule that are under way: what each waits for and until when, with a way to end it.

import type { ListedRule, RuleRun, RunWait } from "../../model/rules/rule.ts";
import { clockText } from "../../model/rules/rule-clock.ts";
import { isolated } from "../../model/rules/rule-text.ts";
import { Problem } from "../../parts/acting/problem.tsx";
import { mayAct, useAct } from "../../parts/acting/use-act.tsx";
import { rulePath } from "../../state/house/rules.ts";
import { ApiError, get, remove } from "../../state/hub/api.ts";
import { seconds } from "../../state/hub/clock.ts";
import { useWatched } from "../../state/hub/watched.ts";
import { formatExact, t } from "../../texts/index.ts";
import { toast } from "../../ui/toast.ts";

const EVERY_MS = 5000;

interface RuleRunsProps {
  rule: ListedRule;
  onChanged: () => Promise<void>;
}

/** Nothing where none is under way, and where the hub does not report. */
export function RuleRuns({ rule, onChanged }: RuleRunsProps) {
  return rule.running + rule.queued > 0 ? <Runs rule={rule} onChanged={onChanged} /> : null;
}

function Runs({ rule: { id, name, running, queued }, onChanged }: RuleRunsProps) {
  const { data, error, reload } = useWatched(`${id} runs ${running} ${queued}`, () => readRuns(id), {
    every: EVERY_MS,
    concerns: ({ type, rule_id }) => rule_id === id && type.startsWith("rule_"),
  });
  if (!data || data.length === 0) return <Problem of={error} />;
  return (
    <section class="rule-runs" aria-label={t("runs.of", { name: isolated(name) })}>
      <ul>
        {data.map((run) => (
          <Run
            key={run.id}
            run={run}
            onEnded={async () => {
              toast(t("runs.cancelled", { name: isolated(name) }));
              await Promise.all([reload(), onChanged()]);
            }}
          />
        ))}
      </ul>
    </section>
  );
}

async function readRuns(id: string): Promise<RuleRun[]> {
  try {
    return await get<RuleRun[]>(rulePath(id, "/runs"));
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return [];
    throw error;
  }
}

function Run({ run, onEnded }: { run: RuleRun; onEnded: () => Promise<void> }) {
  const { busy, problem, run: act } = useAct();
  const { id, rule_id: rule, started_at: since, state, waits, trigger } = run;
  return (
    <li class="rule-run">
      <div class="what">
        <p>
          <strong>{t(`runs.${state}`)}</strong>{" "}
          <span class="hint" dir="auto">
            {t("runs.since", { time: formatExact(since), trigger: isolated(trigger.label) })}
          </span>
        </p>
        {waits.map((wait) => (
          <Wait key={`${wait.path} ${wait.since}`} of={wait} />
        ))}
      </div>
      <button
        type="button"
        disabled={busy || !mayAct("user")}
        aria-label={`${t("runs.cancel")}: ${trigger.label}`}
        onClick={async () => {
          if (await act(() => remove(rulePath(rule, `/runs/${encodeURIComponent(id)}`)))) await onEnded();
        }}
      >
        {t("runs.cancel")}
      </button>
      <Problem of={problem} />
    </li>
  );
}

/** Counts down to its end, or up where it has none. */
function Wait({ of: { for: what, since, until } }: { of: RunWait }) {
  const now = seconds.value;
  return (
    <p class="rule-wait">
      <span dir="auto">{t("runs.waits", { what: isolated(what) })}</span>{" "}
      {until === undefined || until === null ? (
        <span class="counting">{t("why.since", { time: clockText(now - Date.parse(since)) })}</span>
      ) : (
        <>
          <span class="counting" role="timer">
            {t("why.still", { time: clockText(Date.parse(until) - now) })}
          </span>{" "}
          <span class="hint">{t("runs.until", { time: formatExact(until) })}</span>
        </>
      )}
    </p>
  );
}
