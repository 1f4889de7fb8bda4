// /rules: reading, changing, testing and running rules. A rule may command every device and call any service in the hub's name, and
// alarms are rules too, so only administrators may change, run, pause or disable one. Others see rules and traces without secrets.
import { Type } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import { seesSecrets } from "../../auth/roles.ts";
import { decodeText } from "../../core/decode-text.ts";
import { HubError } from "../../core/errors.ts";
import { type Json, type JsonObject, parseJson } from "../../core/json.ts";
import { MAX_RULE_BYTES } from "../../rules/parse/read.ts";
import { vocabulary } from "../../rules/read/vocabulary.ts";
import type { Rules } from "../../rules/rules.ts";
import { RULE_STATUSES } from "../../rules/store/describe.ts";
import { jsonBody, optionalJsonBody, readBody } from "../body.ts";
import type { Callers } from "../callers.ts";
import { created, noContent } from "../crud.ts";
import { doc } from "../doc.ts";
import { Patch, Pause, RuleToCompose, Run, TestRun, TextToCheck, Vocabulary, WholeRule } from "./rule-requests.ts";
import {
  CheckedRule,
  ComposedRule,
  checkedBody,
  detailsFor,
  ListedRule,
  listedFor,
  RuleDetails,
  Trace,
  traceBody,
  traceFor,
} from "./rule-responses.ts";

const closed = { additionalProperties: false } as const;

export interface RuleRoutesDeps {
  rules: Rules;
  callers: Callers;
}

export function ruleRoutes(deps: RuleRoutesDeps) {
  return new Elysia({ prefix: "/rules" }).use(reading(deps)).use(editing(deps)).use(texts(deps)).use(running(deps));
}

const tag = "rules";
const ruleBody = { ...jsonBody(WholeRule), parse: [readRuleBody, "json" as const] };
const answers = { 200: { description: "The rule", schema: RuleDetails } };
const madeAnswers = { 201: { description: "The rule", schema: RuleDetails } };
const refusals = {
  conflict: "The id is another rule's, the file has problems or was changed meanwhile, or there are too many files",
  unavailable: "The hub is starting: the rules are still being read",
};
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

// Actions contain actions, so a rule may be nested deeper than other bodies. The code that writes its file has its own limit.
const MOST_LEVELS = 256;

async function readRuleBody({ request, contentType }: { request: Request; contentType: string }): Promise<Json> {
  if (contentType.toLowerCase() !== "application/json") return readBody(request, contentType);
  const parsed = parseJson(await request.text(), MOST_LEVELS);
  if (parsed.ok) return parsed.value;
  throw new HubError("invalid", `the body is refused: ${parsed.problem}`);
}

// Only for administrators: the texts contain secrets of webhooks and services.
function texts({ rules }: RuleRoutesDeps) {
  const summaries = { get: "The rule's file, as it is", put: "Replace the rule's file" };
  return new Elysia()
    .post("/check", ({ body: { text, id } }) => checkedBody(rules.check(text, id)), {
      ...jsonBody(TextToCheck),
      ...doc({
        access: "admin",
        summary: "What a text would be as a rule; nothing is saved",
        tag,
        answers: { 200: { description: "The rule, or why it is none", schema: CheckedRule } },
        refusals: { unavailable: refusals.unavailable },
      }),
    })
    .post(
      "/compose",
      function composeRule({ body: { rule, text, id } }) {
        const composed = rules.compose(rule as JsonObject, text, id);
        return { text: composed.text, comments_kept: composed.commentsKept };
      },
      {
        ...jsonBody(RuleToCompose),
        parse: [readRuleBody, "json" as const],
        ...doc({
          access: "admin",
          summary: "A text with a rule put into it, whose comments stay as far as possible; nothing is saved",
          tag,
          answers: { 200: { description: "The text", schema: ComposedRule } },
          refusals: { unavailable: refusals.unavailable },
        }),
      },
    )
    .get(
      "/:id/text",
      function ruleText({ params }) {
        const { text, etag } = rules.text(params.id);
        return new Response(text, { headers: { "content-type": "text/plain; charset=utf-8", etag } });
      },
      doc({
        access: "admin",
        summary: summaries.get,
        tag,
        answers: {
          200: { description: "RON or TOML, with an ETag", contentType: "text/plain", schema: Type.String() },
        },
        refusals: { conflict: "The file is not text" },
      }),
    )
    .put(
      "/:id/text",
      function putRuleText({ params, body, request, set }) {
        const etag = request.headers.get("if-match") ?? undefined;
        const info = rules.putText(params.id, body, etag);
        set.headers.etag = info.etag;
        return detailsFor("admin", info);
      },
      {
        body: Type.String({ description: "RON or TOML; an empty id becomes the rule's" }),
        // "text" is never used; with it the OpenAPI document shows the type.
        parse: [({ request }) => readText(request), "text" as const],
        ...doc({
          access: "admin",
          audit: "rule.change",
          summary: `${summaries.put}; with If-Match 409 where it was changed meanwhile`,
          tag,
          answers,
          readsElsewhere: [
            { in: "header", name: "If-Match", description: "The ETag it was read with", schema: Type.String() },
          ],
          refusals,
        }),
      },
    );
}

/** Throws HubError `too_large`, or `invalid` with the position of the first byte that is not UTF-8. */
async function readText(request: Request): Promise<string> {
  const bytes = new Uint8Array(await request.arrayBuffer());
  if (bytes.byteLength > MAX_RULE_BYTES)
    throw new HubError("too_large", `a rule file has at most ${MAX_RULE_BYTES} bytes`);
  const decoded = decodeText(bytes);
  if (decoded.ok) return decoded.text;
  throw new HubError("invalid", decoded.problem.message, { details: { problems: [decoded.problem] } });
}

function running({ rules, callers }: RuleRoutesDeps) {
  return new Elysia()
    .post(
      "/:id/test",
      async function testRule({ params, body: { trigger }, request }) {
        const { type, context } = trigger ?? {};
        const { role } = callers.of(request);
        // With made-up contexts a user could find out by trial which code a rule waits for.
        if (context && !seesSecrets(role)) throw new HubError("forbidden", "making up a context needs the role admin");
        const trial = { ...(type !== undefined && { type }), ...(context && { context: context as JsonObject }) };
        return traceFor(role, await rules.test(params.id, trial));
      },
      {
        ...optionalJsonBody(TestRun),
        ...doc({
          access: "user",
          summary: "What the rule would do, without doing it; a made-up context is for administrators",
          tag,
          answers: traced,
          refusals: notRunning,
        }),
      },
    )
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
