// /rules: reading, changing and running rules. A rule may command every device and call any service in the hub's name, and
// alarms are rules too, so only administrators may change, run, pause or disable one. Others see rules and traces without secrets.
import { Type } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import type { JsonObject } from "../../../kit/schema/json.ts";
import { vocabulary } from "../../../rules/read/vocabulary.ts";
import type { Rules } from "../../../rules/rules.ts";
import { RULE_STATUSES } from "../../../rules/store/describe.ts";
import { jsonBody, optionalJsonBody } from "../body.ts";
import type { Callers } from "../callers.ts";
import { created, noContent } from "../crud.ts";
import { doc } from "../doc.ts";
import { renamedInRulesRoutes } from "./renamed-in-rules.ts";
import { Patch, Pause, Run, readRuleBody, Vocabulary, WholeRule } from "./rule-requests.ts";
import {
  detailsFor,
  ListedRule,
  listedFor,
  RuleDetails,
  ruleAnswers,
  ruleRefusals,
  Trace,
  traceBody,
  traceFor,
} from "./rule-responses.ts";
import { ruleRunRoutes } from "./rule-runs.ts";
import { ruleTextRoutes } from "./rule-texts.ts";

const closed = { additionalProperties: false } as const;

interface RuleRoutesDeps {
  rules: Pick<
    Rules,
    "list" | "get" | "create" | "replace" | "patch" | "remove" | "run" | "pause" | "resume" | "traces"
  >;
  callers: Pick<Callers, "of">;
}

export function ruleRoutes(
  deps: RuleRoutesDeps &
    Parameters<typeof renamedInRulesRoutes>[0] &
    Parameters<typeof ruleTextRoutes>[0] &
    Parameters<typeof ruleRunRoutes>[0],
) {
  return new Elysia({ prefix: "/rules" })
    .use(reading(deps))
    .use(editing(deps))
    .use(renamedInRulesRoutes(deps))
    .use(ruleTextRoutes(deps))
    .use(ruleRunRoutes(deps))
    .use(running(deps));
}

const tag = "rules";
const answers = ruleAnswers;
const refusals = ruleRefusals;
const ruleBody = { ...jsonBody(WholeRule), parse: [readRuleBody, "json" as const] };
const madeAnswers = { 201: { description: "The rule", schema: RuleDetails } };
const notRunning = { conflict: "It does not run: its file has problems" };
const traced = { 200: { description: "What happened and why", schema: Trace } };

function reading({ rules, callers }: RuleRoutesDeps) {
  return new Elysia()
    .get(
      "",
      ({ query: { with: also, ...filter }, request }) =>
        rules.list(filter).map((info) => listedFor(callers.of(request).role, info, also === "rule")),
      {
        query: t.Object(
          {
            tag: t.Optional(t.String()),
            // Not t.UnionEnum: Elysia takes its first value as the default.
            state: t.Optional(t.Union(RULE_STATUSES.map((state) => t.Literal(state)))),
            device_id: t.Optional(t.String({ description: "Only rules that name this device, in expressions too" })),
            with: t.Optional(t.Literal("rule", { description: "With what each rule says" })),
          },
          closed,
        ),
        ...doc({
          access: "viewer",
          summary: "All rules, also those whose file has problems",
          tag,
          answers: { 200: { description: "The rules, by file", schema: Type.Array(ListedRule) } },
        }),
      },
    )
    .get(
      "/vocabulary",
      () => vocabulary(),
      doc({
        access: "viewer",
        summary: "What rules are made of, as JSON Schemas",
        tag,
        answers: { 200: { description: "Triggers, conditions and actions", schema: Vocabulary } },
      }),
    )
    .get(
      "/:id",
      ({ params, request }) => detailsFor(callers.of(request).role, rules.get(params.id)),
      doc({ access: "viewer", summary: "One rule", tag, answers }),
    )
    .get(
      "/:id/traces",
      ({ params, request }) => rules.traces(params.id).map((trace) => traceFor(callers.of(request).role, trace)),
      doc({
        access: "viewer",
        summary: "Its last 50 evaluations, newest first: what triggered it, and why it ran or not",
        tag,
        answers: { 200: { description: "The traces", schema: Type.Array(Trace) } },
      }),
    );
}

function editing({ rules }: RuleRoutesDeps) {
  return new Elysia()
    .post(
      "",
      function createRule({ body, set }) {
        return created(set, detailsFor("admin", rules.create(body as JsonObject)));
      },
      {
        ...ruleBody,
        ...doc({
          access: "admin",
          audit: "rule.create",
          summary: "Make a rule, in a new file",
          tag,
          answers: madeAnswers,
          refusals,
        }),
      },
    )
    .put("/:id", ({ params, body }) => detailsFor("admin", rules.replace(params.id, body as JsonObject)), {
      ...ruleBody,
      ...doc({ access: "admin", audit: "rule.change", summary: "Replace a rule, in its file", tag, answers, refusals }),
    })
    .patch("/:id", ({ params, body }) => detailsFor("admin", rules.patch(params.id, body)), {
      ...jsonBody(Patch),
      ...doc({
        access: "admin",
        audit: "rule.change",
        summary: "Switch a rule on or off, or change its name, priority, cooldown and tags",
        tag,
        answers,
        refusals,
      }),
    })
    .delete(
      "/:id",
      ({ params }) => noContent(() => rules.remove(params.id)),
      doc({
        access: "admin",
        audit: "rule.remove",
        summary: "Remove a rule; its file goes to rules/.trash/",
        tag,
        answers: { 204: { description: "Removed" } },
        refusals,
      }),
    );
}

function running({ rules, callers }: RuleRoutesDeps) {
  return new Elysia()
    .post(
      "/:id/run",
      async function runRule({ params, body, request, set }) {
        const { name } = callers.of(request);
        const trace = await rules.run(params.id, { ...body, actor: { name } });
        if (trace.endedAt === undefined) set.status = 202;
        return traceBody(trace);
      },
      {
        ...optionalJsonBody(Run),
        ...doc({
          access: "admin",
          audit: "rule.run",
          keeps: "rules",
          summary: "Run a rule's actions now",
          tag,
          answers: { ...traced, 202: { description: "It is still running; its trace so far", schema: Trace } },
          refusals: notRunning,
        }),
      },
    )
    .post(
      "/:id/pause",
      function pauseRule({ params, body }) {
        const ms = body.duration_secs === undefined ? undefined : body.duration_secs * 1000;
        return detailsFor("admin", rules.pause(params.id, ms));
      },
      {
        ...optionalJsonBody(Pause),
        ...doc({
          access: "admin",
          audit: "rule.pause",
          summary: "Pause a rule",
          tag,
          answers,
          refusals: notRunning,
        }),
      },
    )
    .post(
      "/:id/resume",
      ({ params }) => detailsFor("admin", rules.resume(params.id)),
      doc({ access: "admin", audit: "rule.resume", summary: "End a rule's pause", tag, answers, refusals: notRunning }),
    );
}
