// /rules as texts: reading and replacing a rule's file, and for editors what a text would be as a rule, and a rule as a text. Only for
// administrators: the texts contain secrets of webhooks and services.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { decodeText } from "../../../kit/schema/decode-text.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import type { JsonObject } from "../../../kit/schema/json.ts";
import { MAX_RULE_BYTES } from "../../../rules/parse/read.ts";
import type { Rules } from "../../../rules/rules.ts";
import { jsonBody } from "../body.ts";
import { doc } from "../doc.ts";
import { RuleToCompose, readRuleBody, TextToCheck } from "./rule-requests.ts";
import { CheckedRule, ComposedRule, checkedBody, detailsFor, ruleAnswers, ruleRefusals } from "./rule-responses.ts";

const tag = "rules";

const NO_RULE = "There is no rule with the `id` of the body";

export function ruleTextRoutes({ rules }: { rules: Pick<Rules, "check" | "compose" | "putText" | "text"> }) {
  const summaries = { get: "The rule's file, as it is", put: "Replace the rule's file" };
  return new Elysia()
    .post("/check", ({ body: { text, id } }) => checkedBody(rules.check(text, id)), {
      ...jsonBody(TextToCheck),
      ...doc({
        access: "admin",
        keeps: false,
        summary: "What a text would be as a rule; nothing is saved",
        tag,
        answers: { 200: { description: "The rule, or why it is none", schema: CheckedRule } },
        refusals: { unavailable: ruleRefusals.unavailable, not_found: NO_RULE },
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
          keeps: false,
          summary: "A text with a rule put into it, whose comments stay as far as possible; nothing is saved",
          tag,
          answers: { 200: { description: "The text", schema: ComposedRule } },
          refusals: { unavailable: ruleRefusals.unavailable, not_found: NO_RULE },
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
        // The file shows the secrets of its webhooks.
        audit: "rule.read",
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
          answers: ruleAnswers,
          readsElsewhere: [
            { in: "header", name: "If-Match", description: "The ETag it was read with", schema: Type.String() },
          ],
          refusals: ruleRefusals,
        }),
      },
    );
}

/** Throws HubError `too_large`, or `invalid` with the position of the first byte that is not UTF-8. */
export async function readText(request: Request): Promise<string> {
  const bytes = new Uint8Array(await request.arrayBuffer());
  if (bytes.byteLength > MAX_RULE_BYTES)
    throw new HubError("too_large", `a rule file has at most ${MAX_RULE_BYTES} bytes`);
  const decoded = decodeText(bytes);
  if (decoded.ok) return decoded.text;
  throw new HubError("invalid", decoded.problem.message, { details: { problems: [decoded.problem] } });
}
