// /rules/:id/runs: what a rule is doing now, what it waits for, and ending that.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { maskedText } from "../../../kit/text/masking.ts";
import type { RunInfo, RunWait } from "../../../rules/engine/runs/run-list.ts";
import type { Rules } from "../../../rules/rules.ts";
import { type Role, seesSecrets } from "../../../server/auth/roles.ts";
import type { Callers } from "../callers.ts";
import { noContent } from "../crud.ts";
import { doc } from "../doc.ts";
import { iso } from "./rule-responses.ts";

const Run = Type.Object(
  {
    id: Type.String({ description: "Also of its trace" }),
    rule_id: Type.String(),
    started_at: Type.String({ description: "UTC" }),
    trigger: Type.Object({ type: Type.String(), label: Type.String() }),
    state: Type.Union([Type.Literal("running"), Type.Literal("waiting"), Type.Literal("queued")]),
    waits: Type.Array(
      Type.Object({
        action: Type.String({ description: "The type of the action that waits" }),
        path: Type.String({ description: "Of this action within the rule, such as actions[1].then_actions[0]" }),
        for: Type.String({ description: "delay, a type of event, an expression or a rule" }),
        key: Type.Optional(Type.String({ description: "For cancel_delays" })),
        since: Type.String(),
        until: Type.Optional(Type.String({ description: "Its deadline, if it has one" })),
      }),
      { description: "Several where actions run at the same time or inside each other" },
    ),
  },
  { $id: "RuleRun" },
);

export function ruleRunRoutes({
  rules,
  callers,
}: {
  rules: Pick<Rules, "cancelRun" | "runs">;
  callers: Pick<Callers, "of">;
}) {
  return new Elysia()
    .get(
      "/:id/runs",
      ({ params, request }) => rules.runs(params.id).map((run) => runFor(callers.of(request).role, run)),
      doc({
        access: "viewer",
        summary: "Its runs in progress and queued ones, and what they wait for",
        tag: "rules",
        answers: { 200: { description: "The runs", schema: Type.Array(Run) } },
      }),
    )
    .delete(
      "/:id/runs/:run",
      ({ params, request }) =>
        noContent(() => rules.cancelRun(params.id, params.run, { name: callers.of(request).name })),
      doc({
        access: "user",
        audit: "rule.cancel_run",
        summary: "Cancel a run; what it has not done yet, it does not do",
        tag: "rules",
        answers: { 204: { description: "Cancelled" } },
      }),
    );
}

function runFor(role: Role, { id, ruleId, startedAt, trigger, state, waits }: RunInfo) {
  const shown = (text: string): string => (seesSecrets(role) ? text : maskedText(text));
  return {
    id,
    rule_id: ruleId,
    started_at: iso(startedAt),
    trigger: { ...trigger, label: shown(trigger.label) },
    state,
    waits: waits.map((wait) => waitBody(wait, shown)),
  };
}

function waitBody({ since, until, key, ...wait }: RunWait, shown: (text: string) => string) {
  return {
    ...wait,
    for: shown(wait.for),
    ...(key !== undefined && { key }),
    since: iso(since),
    ...(until !== undefined && { until: iso(until) }),
  };
}
