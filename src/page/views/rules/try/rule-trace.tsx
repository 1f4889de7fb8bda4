// One evaluation of a rule, reported as a timeline: what set it off, each condition with what it found, each action with how it
// went. A wait that is not over counts.

import { useEffect, useState } from "preact/hooks";
import type { Attributes } from "../../../model/device/json.ts";
import type { ActionTrace, ConditionTrace, Part, Trace } from "../../../model/rules/rule.ts";
import { clockText } from "../../../model/rules/rule-clock.ts";
import { quoted } from "../../../model/rules/rule-text.ts";
import { formatAge, formatExact, formatNumber, t } from "../../../texts/index.ts";
import { foundWords, isUnknown } from "../words/rule-found.ts";
import { actionWords, outcomeWords, refusalWords, triggerWords } from "../words/rule-happened.ts";
import { type Mark, Moment, Timeline } from "./timeline.tsx";

interface TraceProps {
  trace: Trace;
  /** The actions of the rule, as far as it still is the one that ran. */
  actions: readonly Part[];
}

/** Its headline; the timeline unfolds. */
export function TraceItem({ trace, actions, startsOpen }: TraceProps & { startsOpen: boolean }) {
  const [isOpen, setOpen] = useState(startsOpen);
  const headline = outcomeWords(trace);
  return (
    <li class="trace">
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <span class={`trace-headline ${lookOf(trace)}`}>{headline}</span>
          <time dateTime={trace.at} title={formatAge(trace.at)}>
            {formatExact(trace.at)}
          </time>
        </summary>
        {isOpen && <TraceTimeline trace={trace} actions={actions} />}
      </details>
    </li>
  );
}

export function lookOf({ outcome, actions, ended_at, dry_run }: Trace): "ran" | "not" | "failed" | "running" {
  if (outcome !== "fired") return "not";
  if (actions.some(({ result }) => result === "failed")) return "failed";
  return ended_at === null && !dry_run ? "running" : "ran";
}

export function TraceTimeline({ trace, actions }: TraceProps) {
  const refusal = refusalWords(trace);
  return (
    <Timeline label={outcomeWords(trace)}>
      <Moment mark="start" title={triggerWords(trace.trigger)} aside={formatExact(trace.at)}>
        <Context of={trace.trigger.context} label={trace.trigger.label} />
      </Moment>
      {trace.conditions.map((condition, at) => (
        <Condition key={at} of={condition} />
      ))}
      {refusal && (
        <Moment mark="no" title={refusal}>
          <p class="hint">{trace.why}</p>
        </Moment>
      )}
      {trace.actions.map((action, at) => (
        <Action key={at} of={action} spec={actions[at]} isSimulated={trace.dry_run} />
      ))}
      {trace.omittedActions !== undefined && (
        <Moment mark="skipped" title={t("why.omitted", { count: trace.omittedActions })} />
      )}
      {trace.outcome === "fired" && trace.actions.length === 0 && <Moment mark="skipped" title={t("why.no_actions")} />}
    </Timeline>
  );
}

function Context({ of: context, label }: { of: Attributes; label: string }) {
  return (
    <details class="trace-raw">
      <summary>{t("why.details")}</summary>
      <p class="hint" dir="auto">
        {label}
      </p>
      <pre>{JSON.stringify(context, null, 2)}</pre>
    </details>
  );
}

function Condition({ of: condition }: { of: ConditionTrace }) {
  const { passed, parts = [], type, error } = condition;
  const isGroup = parts.length > 0;
  const title = isGroup ? t(`why.group_${type as "and" | "or" | "xor" | "not"}`) : foundWords(condition);
  return (
    <Moment mark={passed ? "yes" : "no"} title={title}>
      {error !== undefined && (
        <p class="problem" dir="auto">
          {error}
        </p>
      )}
      {isUnknown(condition) && (
        <p class="hint" dir="auto">
          {String(condition.actual)}
        </p>
      )}
      {isGroup && (
        <Timeline label={title}>
          {parts.map((part, at) => (
            <Condition key={at} of={part} />
          ))}
        </Timeline>
      )}
    </Moment>
  );
}

const MARKS: Readonly<Record<ActionTrace["result"], Mark>> = {
  running: "waiting",
  ok: "done",
  queued: "waiting",
  failed: "failed",
  skipped: "skipped",
  cancelled: "skipped",
};

interface ActionProps {
  of: ActionTrace;
  spec: Part | undefined;
  /** Its times are those of a made-up run. */
  isSimulated: boolean;
}

function Action({ of: action, spec, isSimulated }: ActionProps) {
  const { result, error, parts = [], detail, duration_ms: ms, started_at: begun } = action;
  const words = actionWords(action, spec);
  const isPlain = result === "ok" || result === "running";
  const title = isPlain ? words : t(`why.action_${result}`, { action: words });
  return (
    <Moment
      mark={MARKS[result]}
      title={title}
      aside={
        isSimulated ? (
          formatExact(begun)
        ) : result === "running" ? (
          <Counting action={action} spec={spec} />
        ) : (
          ms !== undefined && took(ms)
        )
      }
    >
      {error !== undefined && (
        <p class="problem" dir="auto">
          {error}
        </p>
      )}
      {detail !== undefined && !words.includes(detail) && (
        <p class="hint trace-detail" dir="auto">
          {quoted(detail)}
        </p>
      )}
      {parts.length > 0 && (
        <Timeline label={title}>
          {parts.map((part, at) => (
            <Action key={at} of={part} spec={undefined} isSimulated={isSimulated} />
          ))}
        </Timeline>
      )}
    </Moment>
  );
}

/** `12 ms`, `5.0 s`, `5:00`. */
function took(ms: number): string {
  if (ms < 1000) return `${formatNumber(ms, 0)} ms`;
  return ms < 60_000 ? `${formatNumber(ms / 1000, 1)} s` : clockText(ms);
}

/** Down, where the rule says how long it waits; else up. */
function Counting({ action, spec }: { action: ActionTrace; spec: Part | undefined }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const elapsed = now - Date.parse(action.started_at);
  const seconds = spec?.type === "delay" && action.type === "delay" ? spec.duration_secs : undefined;
  return (
    <span class="counting">
      {typeof seconds === "number"
        ? t("why.still", { time: clockText(seconds * 1000 - elapsed) })
        : t("why.since", { time: clockText(elapsed) })}
    </span>
  );
}
