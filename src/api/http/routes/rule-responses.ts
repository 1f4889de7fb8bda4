// Rules and traces as the API answers them, with their schemas.
import { Type } from "@sinclair/typebox";
import { type MadeFrom, redactedInputs } from "../../../rules/blueprints/use.ts";
import type { ActionTrace, Trace as TraceRecord } from "../../../rules/model/trace.ts";
import { withoutSecrets } from "../../../rules/read/references.ts";
import type { CheckedText } from "../../../rules/store/check-text.ts";
import { RULE_STATUSES, type RuleInfo } from "../../../rules/store/describe.ts";
import { redactedInfo, redactedTrace } from "../../../rules/store/redact.ts";
import { type Role, seesSecrets } from "../../../server/auth/roles.ts";

const nullableText = Type.Union([Type.String(), Type.Null()]);
const oneOf = (words: readonly string[], description?: string) =>
  Type.Union(
    words.map((word) => Type.Literal(word)),
    { description },
  );
const anything = Type.Record(Type.String(), Type.Unknown());

export const Problem = Type.Object({
  message: Type.String(),
  path: Type.Optional(Type.String({ description: "Within the rule" })),
  line: Type.Integer(),
  column: Type.Integer(),
  frame: Type.Optional(Type.String({ description: "The lines of the place, with a mark; only for administrators" })),
});

export const ListedRule = Type.Object(
  {
    id: Type.String({ description: "Of a file that cannot be read as a rule, its name" }),
    name: Type.String(),
    enabled: Type.Boolean(),
    state: oneOf(RULE_STATUSES, "broken: the file has problems; loading: not read yet, while the hub starts"),
    running_version: oneOf(["current", "last_good", "none"], "Of a broken file last_good or none"),
    priority: Type.Integer(),
    tags: Type.Array(Type.String()),
    file: Type.String(),
    format: oneOf(["ron", "toml"]),
    error: Type.Optional(Problem),
    warnings: Type.Array(Problem),
    last_fired_at: nullableText,
    fire_count: Type.Integer(),
    next_run_at: Type.Union([Type.String(), Type.Null()], {
      description: "When the first of its schedules is due; null without one, and while it is off or paused for good",
    }),
    running: Type.Integer({ description: "Runs in progress" }),
    queued: Type.Integer({ description: "Runs that wait for another to end" }),
    paused_until: nullableText,
    last_error: Type.Union([Type.Object({ at: Type.String(), message: Type.String() }), Type.Null()]),
    trigger_types: Type.Array(Type.String()),
    rule: Type.Optional(
      Type.Union([anything, Type.Null()], { description: "With `with=rule`; secrets only for administrators" }),
    ),
    use: Type.Optional(Type.String({ description: "The blueprint that makes it" })),
    inputs: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "With `use`: what its file gives the blueprint; secrets only for administrators",
      }),
    ),
  },
  { $id: "ListedRule" },
);

export const RuleDetails = Type.Object(
  {
    ...ListedRule.properties,
    problems: Type.Array(Problem, { description: "All there are; the first is `error`" }),
    rule: Type.Union([anything, Type.Null()], {
      description: "The version that runs, with every default; secrets only for administrators",
    }),
  },
  { $id: "RuleDetails" },
);

export const CheckedRule = Type.Object(
  {
    format: oneOf(["ron", "toml"]),
    problems: Type.Array(Problem, { description: "Why it could not be saved" }),
    warnings: Type.Array(Problem),
    rule: Type.Union([anything, Type.Null()], { description: "What it says, with every default" }),
    written: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "Where it uses a blueprint: what it says itself, with `use` and `inputs`, also with problems",
      }),
    ),
  },
  { $id: "CheckedRule" },
);

export const ComposedRule = Type.Object({
  text: Type.String(),
  comments_kept: Type.Boolean({ description: "False where the text had to be written anew, and had comments" }),
});

export const Trace = Type.Object(
  {
    id: Type.String(),
    rule_id: Type.String(),
    at: Type.String({ description: "UTC" }),
    dry_run: Type.Boolean(),
    trigger: Type.Object({ type: Type.String(), label: Type.String(), context: anything }),
    outcome: oneOf(["fired", "conditions_failed", "cooldown", "busy", "stopped", "paused", "runaway"]),
    why: Type.String({ description: "One sentence for people" }),
    conditions: Type.Array(anything, { description: "type, passed, expected, actual, error, parts" }),
    actions: Type.Array(anything, { description: "type, result, detail, error, started_at, duration_ms, parts" }),
    ended_at: nullableText,
  },
  { $id: "Trace" },
);

/** A rule without what this role may not see. */
export function detailsFor(role: Role, info: RuleInfo) {
  const { made } = info;
  if (seesSecrets(role)) return { ...detailsBody(info, info.rule), ...madeBody(made) };
  const redacted = detailsBody(redactedInfo(info), info.rule && withoutSecrets(info.rule));
  return { ...redacted, ...madeBody(made && { ...made, inputs: redactedInputs(made) }) };
}

/** `whole`: with the version that runs. */
export function listedFor(role: Role, info: RuleInfo, whole = false) {
  const { problems: _, rule, ...listed } = detailsFor(role, info);
  return whole ? { ...listed, rule } : listed;
}

function madeBody(made: Pick<MadeFrom, "use" | "inputs"> | undefined) {
  return made ? { use: made.use, inputs: made.inputs } : {};
}

export function checkedBody({ rule, written, ...found }: CheckedText) {
  return { ...found, rule: rule ?? null, ...(written && { written }) };
}

export function traceFor(role: Role, trace: TraceRecord) {
  return traceBody(seesSecrets(role) ? trace : redactedTrace(trace));
}

function listedBody(info: RuleInfo) {
  const { activity, problems } = info;
  const [error] = problems;
  return {
    id: info.id,
    name: info.name,
    enabled: info.enabled,
    state: info.state,
    running_version: info.runningVersion,
    priority: info.priority,
    tags: info.tags,
    file: info.file,
    format: info.format,
    ...(error && { error }),
    warnings: info.warnings,
    last_fired_at: isoOrNull(activity.last_fired_at),
    fire_count: activity.fire_count,
    next_run_at: isoOrNull(activity.next_run_at),
    running: activity.running,
    queued: activity.queued,
    paused_until: isoOrNull(activity.paused_until),
    last_error: activity.last_error ? { ...activity.last_error, at: iso(activity.last_error.at) } : null,
    trigger_types: info.triggerTypes,
  };
}

function detailsBody(info: RuleInfo, rule: object | undefined) {
  return { ...listedBody(info), problems: info.problems, rule: rule ?? null };
}

export function traceBody({ ruleId, dryRun, at, actions, endedAt, ...trace }: TraceRecord) {
  return {
    ...trace,
    rule_id: ruleId,
    at: iso(at),
    dry_run: dryRun,
    actions: actions.map(actionBody),
    ended_at: isoOrNull(endedAt),
  };
}

export function actionBody({ startedAt, durationMs, parts, ...action }: ActionTrace): object {
  return {
    ...action,
    started_at: iso(startedAt),
    ...(durationMs === undefined ? {} : { duration_ms: durationMs }),
    ...(parts && { parts: parts.map(actionBody) }),
  };
}

/** With milliseconds: the actions of a run often differ by less than a second. */
export function iso(ms: number): string {
  return new Date(ms).toISOString();
}

function isoOrNull(ms: number | undefined): string | null {
  return ms === undefined ? null : iso(ms);
}

export const ruleAnswers = { 200: { description: "The rule", schema: RuleDetails } };
export const ruleRefusals = {
  conflict: "The id is another rule's, the file has problems or was changed meanwhile, or there are too many files",
  unavailable: "The hub is starting: the rules are still being read",
};
