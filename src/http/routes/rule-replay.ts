// /rules/:id/replay: what a rule would have done over a past period, from the recorded history. One at a time for each caller.
import { Type } from "@sinclair/typebox";
import { Elysia, type Static } from "elysia";
import { seesSecrets } from "../../auth/roles.ts";
import type { Clock } from "../../core/clock.ts";
import { HubError } from "../../core/errors.ts";
import type { History } from "../../history/history.ts";
import { parseTime, TIME_FORMS } from "../../history/parse-time.ts";
import type { Trace } from "../../rules/model/trace.ts";
import type { Replay } from "../../rules/replay/replay.ts";
import type { Rules } from "../../rules/rules.ts";
import { optionalJsonBody } from "../body.ts";
import type { Callers } from "../callers.ts";
import { doc } from "../doc.ts";
import { invalid } from "../errors.ts";
import { actionBody, iso } from "./rule-responses.ts";

const DAY_MS = 86_400_000;
const USUAL_MS = 7 * DAY_MS;
// The month in which the clocks are put back has an hour more.
const LONGEST_MS = 31 * DAY_MS + 3_600_000;

const anything = Type.Record(Type.String(), Type.Unknown());
const Period = Type.Object(
  {
    from: Type.Optional(
      Type.String({
        description: "ISO 8601 (local time where no offset is given) or a date; a week before `to` where absent",
      }),
    ),
    to: Type.Optional(Type.String({ description: "Not included, 31 days after `from` at most; now where absent" })),
  },
  { additionalProperties: false },
);
const Answer = Type.Object(
  {
    rule_id: Type.String(),
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

export interface RuleReplayDeps {
  rules: Pick<Rules, "replay">;
  history: Pick<History, "query" | "zone">;
  clock: Pick<Clock, "now">;
  callers: Callers;
}

export function ruleReplayRoutes({ rules, history, clock, callers }: RuleReplayDeps) {
  const busy = new Set<string>();
  return new Elysia({ prefix: "/rules" }).post(
    "/:id/replay",
    async function replayRule({ params: { id }, body, request }) {
      const period = readPeriod(body, { zone: history.zone, now: clock.now() });
      const { kind, id: callerId, role } = callers.of(request);
      const caller = `${kind}/${callerId}`;
      if (busy.has(caller)) throw new HubError("conflict", "your last replay is not over yet: wait for it");
      busy.add(caller);
      try {
        const { signal } = request;
        const replay = await rules.replay(id, { ...period, history, signal, withoutSecrets: !seesSecrets(role) });
        return answerOf(id, period, replay);
      } finally {
        busy.delete(caller);
      }
    },
    {
      ...optionalJsonBody(Period),
      ...doc({
        access: "user",
        summary: "What the rule would have done over a past period, from the recorded history",
        tag: "rules",
        answers: { 200: { description: "When it would have fired, and why it would not", schema: Answer } },
        refusals: {
          conflict: "It does not run: its file has problems; or the caller's last replay is not over yet",
          unavailable: "No history is kept, or it cannot be read now; or the hub is starting",
        },
      }),
    },
  );
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
  if (to - from > LONGEST_MS) refuse("from", "must be 31 days before to at most");
  return { from, to };
}

function refuse(path: string, message: string): never {
  throw invalid([{ path, message }]);
}

function answerOf(id: string, { from, to }: ReadPeriod, replay: Replay) {
  return {
    rule_id: id,
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
