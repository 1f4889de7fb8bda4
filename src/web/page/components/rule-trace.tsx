// One evaluation of a rule, told as a timeline: what set it off, each condition with what it found, each action with how it
// went. A wait that is not over counts.
import { useEffect, useState } from "preact/hooks";
import type { Attributes } from "../state/house.ts";
import type { ActionTrace, ConditionTrace, Part, Trace } from "../state/rules.ts";
import { formatAge, formatExact, formatNumber, t } from "../texts/index.ts";
import { foundWords, isUnknown } from "./rule-found.ts";
import { actionWords, outcomeWords, triggerWords } from "./rule-happened.ts";
import { quoted } from "./rule-words.ts";
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
  const { outcome } = trace;
  const refusal = outcome === "fired" || outcome === "conditions_failed" ? undefined : outcome;
  return (
    <Timeline label={outcomeWords(trace)}>
      <Moment mark="start" title={triggerWords(trace.trigger)} aside={formatExact(trace.at)}>
        <Context of={trace.trigger.context} label={trace.trigger.label} />
      </Moment>
      {trace.conditions.map((condition, at) => (
        <Condition key={at} of={condition} />
      ))}
      {refusal && (
        <Moment mark="no" title={t(`why.${refusal}`)}>
          <p class="hint">{trace.why}</p>
        </Moment>
      )}
      {trace.actions.map((action, at) => (
        <Action key={at} of={action} spec={actions[at]} />
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
  failed: "failed",
  skipped: "skipped",
  cancelled: "skipped",
};

function Action({ of: action, spec }: { of: ActionTrace; spec: Part | undefined }) {
  const { result, error, parts = [], detail, duration_ms: ms } = action;
  const words = actionWords(action, spec);
  const isPlain = result === "ok" || result === "running";
  const title = isPlain ? words : t(`why.action_${result}`, { action: words });
  return (
    <Moment
      mark={MARKS[result]}
      title={title}
      aside={result === "running" ? <Counting action={action} spec={spec} /> : ms !== undefined && took(ms)}
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
            <Action key={at} of={part} spec={undefined} />
          ))}
        </Timeline>
      )}
    </Moment>
  );
}

/** `12 ms`, `5.0 s`, `5:00`. */
function took(ms: number): string {
  if (ms < 1000) return `${formatNumber(ms, 0)} ms`;
  return ms < 60_000 ? `${formatNumber(ms / 1000, 1)} s` : clock(ms);
}

function clock(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const two = (value: number): string => String(value).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = `${hours > 0 ? two(minutes) : minutes}:${two(seconds % 60)}`;
  return hours > 0 ? `${hours}:${rest}` : rest;
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
        ? t("why.still", { time: clock(seconds * 1000 - elapsed) })
        : t("why.since", { time: clock(elapsed) })}
    </span>
  );
}
