// /rules/:id/replay and /rules/replay: what a rule would have done over a past period, from the recorded history. One at a
// time for each caller.
import { Type } from "@sinclair/typebox";
import { Elysia, type Static } from "elysia";
import type { History } from "../../../house/history/history.ts";
import { parseTime, TIME_FORMS } from "../../../house/history/query/parse-time.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import type { JsonObject } from "../../../kit/schema/json.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { Trace } from "../../../rules/model/trace.ts";
import type { Replay } from "../../../rules/replay/replay.ts";
import type { RunningReplay, TriedRule } from "../../../rules/replay/trials.ts";
import type { Rules } from "../../../rules/rules.ts";
import { seesSecrets } from "../../../server/auth/roles.ts";
import { jsonBody, optionalJsonBody } from "../body.ts";
import type { Callers } from "../callers.ts";
import { noContent } from "../crud.ts";
import { doc } from "../doc.ts";
import { invalid } from "../errors.ts";
import { WholeRule } from "./rule-requests.ts";
import { actionBody, iso } from "./rule-responses.ts";

const DAY_MS = 86_400_000;
const USUAL_MS = 7 * DAY_MS;
// The month in which the clocks are put back has an hour more.
const MAX_MS = 31 * DAY_MS + 3_600_000;

const anything = Type.Record(Type.String(), Type.Unknown());
const period = {
  from: Type.Optional(
    Type.String({
      description: "ISO 8601 (local time where no offset is given) or a date; a week before `to` where absent",
    }),
  ),
  to: Type.Optional(Type.String({ description: "Not included, 31 days after `from` at most; now where absent" })),
};
const Period = Type.Object(period, { additionalProperties: false });
const Unsaved = Type.Object(
  {
    text: Type.Optional(Type.String({ description: "RON or TOML" })),
    rule: Type.Optional(WholeRule),
    id: Type.Optional(Type.String({ description: "Of a rule that is saved" })),
    ...period,
  },
  { additionalProperties: false, description: "One of `text`, `rule` and `id`" },
);
const Answer = Type.Object(
  {
    rule_id: Type.Union([Type.String(), Type.Null()], { description: "null for a rule that is not saved" }),
    from: Type.String(),
    to: Type.String(),
    until: Type.String({ description: "Up to here it was replayed: before `to` where a limit was reached" }),
    firings: Type.Array(
      Type.Object({
        at: Type.String({ description: "UTC" }),
        why: Type.String({ description: "One sentence for people" }),
        trigger: Type.Object({ type: Type.String(), label: Type.String(), context: anything }),
        actions: Type.Array(anything, { description: "As in a dry run: type, result, detail, error, parts" }),
      }),
    ),
    omitted_firings: Type.Integer({ description: "Firings that are not listed, because there were too many" }),
    misses: Type.Array(
      Type.Object({
        why: Type.String({ description: "The first reason why it was triggered and did not fire" }),
        count: Type.Integer(),
        last: Type.String({ description: "UTC" }),
      }),
    ),
    unknown: Type.Array(Type.String(), { description: "What could not be known from the history, in sentences" }),
    evaluations: Type.Integer({ description: "How often it was triggered" }),
    samples: Type.Integer({ description: "Recorded values that were read" }),
  },
  { $id: "RuleReplay" },
);

const Running = Type.Object(
  {
    id: Type.String(),
    rule_id: Type.Union([Type.String(), Type.Null()], { description: "null for a rule that is not saved" }),
    from: Type.String(),
    to: Type.String(),
    at: Type.String({ description: "Up to here it is replayed" }),
    progress: Type.Number({ description: "From 0 to 1" }),
    samples: Type.Integer(),
    evaluations: Type.Integer(),
    started_at: Type.String(),
  },
  { $id: "RunningReplay" },
);

export interface RuleReplayDeps {
  rules: Pick<Rules, "trials">;
  history: Pick<History, "query" | "zone">;
  clock: Pick<Clock, "now">;
  callers: Pick<Callers, "of">;
}

const tag = "rules";
const answers = { 200: { description: "When it would have fired, and why it would not", schema: Answer } };
const refusals = {
  conflict: "It does not run: its file has problems; or the caller's last replay is not over yet; or it was cancelled",
  unavailable: "No history is kept, or it cannot be read now; or the hub is starting",
};

export function ruleReplayRoutes({ rules, history, clock, callers }: RuleReplayDeps) {
  async function replay(tried: TriedRule, body: Static<typeof Period>, request: Request) {
    const period = readPeriod(body, { zone: history.zone, now: clock.now() });
    const { kind, id, role } = callers.of(request);
    const asked = { history, signal: request.signal, withoutSecrets: !seesSecrets(role), caller: `${kind}/${id}` };
    return answerOf(tried, period, await rules.trials.replay(tried, { ...period, ...asked }));
  }

  /** Their own; administrators see all. */
  function visible(request: Request): RunningReplay[] {
    const { kind, id, role } = callers.of(request);
    return rules.trials.running().filter(({ caller }) => seesSecrets(role) || caller === `${kind}/${id}`);
  }

  return new Elysia({ prefix: "/rules" })
    .post("/:id/replay", ({ params: { id }, body, request }) => replay({ id }, body, request), {
      ...optionalJsonBody(Period),
      ...doc({
        access: "user",
        keeps: false,
        summary: "What the rule would have done over a past period, from the recorded history",
        tag,
        answers,
        refusals,
      }),
    })
    .post(
      "/replay",
      ({ body: { id, text, rule, ...period }, request }) => replay(triedIn({ id, text, rule }), period, request),
      {
        ...jsonBody(Unsaved),
        ...doc({
          access: "admin",
          keeps: false,
          summary: "What a rule would have done that need not be saved",
          tag,
          answers,
          refusals: { ...refusals, not_found: "There is no rule with this id" },
        }),
      },
    )
    .get(
      "/replay",
      ({ request }) => visible(request).map(runningBody),
      doc({
        access: "user",
        summary: "The replays that are not over: the caller's, for administrators all",
        tag,
        answers: { 200: { description: "The replays", schema: Type.Array(Running) } },
      }),
    )
    .delete(
      "/replay/:replay",
      ({ params, request }) =>
        noContent(() => {
          if (visible(request).some(({ id }) => id === params.replay)) rules.trials.cancel(params.replay);
          else throw new HubError("not_found", `no replay "${params.replay}" is running`);
        }),
      doc({
        access: "user",
        keeps: false,
        summary: "Cancel a replay; who waits for it is answered 409",
        tag,
        answers: { 204: { description: "Cancelled" } },
      }),
    );
}

function triedIn({ id, text, rule }: Pick<Static<typeof Unsaved>, "id" | "text" | "rule">): TriedRule {
  const given = [
    ...(id === undefined ? [] : [{ id }]),
    ...(text === undefined ? [] : [{ text }]),
    ...(rule === undefined ? [] : [{ rule: rule as JsonObject }]),
  ];
  const [tried] = given;
  if (!tried || given.length > 1) return refuse("", "give one of `text`, `rule` and `id`");
  return tried;
}

function runningBody({ id, ruleId, from, to, at, samples, evaluations, startedAt }: RunningReplay) {
  return {
    id,
    rule_id: ruleId ?? null,
    from: iso(from),
    to: iso(to),
    at: iso(at),
    progress: Math.round(((at - from) / (to - from)) * 1000) / 1000,
    samples,
    evaluations,
    started_at: iso(startedAt),
  };
}

interface ReadPeriod {
  from: number;
  to: number;
}

function readPeriod(body: Static<typeof Period>, { zone, now }: { zone: History["zone"]; now: number }): ReadPeriod {
  const time = (path: string, text: string): number => parseTime(text, zone) ?? refuse(path, TIME_FORMS);
  const to = Math.min(now, body.to === undefined ? now : time("to", body.to));
  const from = body.from === undefined ? Math.max(0, to - USUAL_MS) : time("from", body.from);
  if (from >= to) refuse("from", body.to === undefined ? "must be in the past" : "must be in the past and before to");
  if (to - from > MAX_MS) refuse("from", "must be 31 days before to at most");
  return { from, to };
}

function refuse(path: string, message: string): never {
  throw invalid([{ path, message }]);
}

function answerOf(tried: TriedRule, { from, to }: ReadPeriod, replay: Replay) {
  return {
    rule_id: "id" in tried ? tried.id : null,
    from: iso(from),
    to: iso(to),
    until: iso(replay.until),
    firings: replay.firings.map(firingBody),
    omitted_firings: replay.omittedFirings,
    misses: replay.misses.map(({ why, count, last }) => ({ why, count, last: iso(last) })),
    unknown: replay.unknown,
    evaluations: replay.evaluations,
    samples: replay.samples,
  };
}

function firingBody({ at, why, trigger, actions }: Trace) {
  return { at: iso(at), why, trigger, actions: actions.map(actionBody) };
}
