// /blueprints: rules with inputs, and making rules of them. Everybody may see what there is; texts and changes are for
// administrators, as with rules.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { JsonObject } from "../../../kit/schema/json.ts";
import type { Rules } from "../../../rules/rules.ts";
import type { BlueprintInfo } from "../../../rules/store/blueprints.ts";
import { seesSecrets } from "../../../server/auth/roles.ts";
import { jsonBody } from "../body.ts";
import type { Callers } from "../callers.ts";
import { created, noContent } from "../crud.ts";
import { doc } from "../doc.ts";
import { Patch, readRuleBody } from "./rule-requests.ts";
import { detailsFor, Problem, RuleDetails, ruleRefusals } from "./rule-responses.ts";
import { readText } from "./rule-texts.ts";

const tag = "blueprints";

const Input = Type.Object({
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  type: Type.String({
    description:
      "device, devices, area, mode, scene, channel, number, duration, time, weekdays, boolean, choice, text or message",
  }),
  schema: Type.Record(Type.String(), Type.Unknown(), {
    description:
      "JSON Schema of a value; `x-device-types`, `x-device-attributes`, `x-unit` and `x-step` are for editors",
  }),
  default: Type.Optional(Type.Unknown({ description: "Absent where there is none" })),
  required: Type.Boolean(),
});

const Blueprint = Type.Object(
  {
    id: Type.String({ description: "What rules write after `use`" }),
    name: Type.String(),
    description: Type.String(),
    inputs: Type.Array(Input, { description: "None where it has problems" }),
    source: Type.Union([Type.Literal("shipped"), Type.Literal("own")], { description: "shipped: part of the hub" }),
    shadows: Type.Boolean({ description: "An own one in the place of one that is part of the hub" }),
    file: Type.String(),
    used_by: Type.Array(Type.Object({ id: Type.String(), name: Type.String() }), { description: "Rules" }),
    problems: Type.Array(Problem, { description: "Why it cannot be used" }),
    warnings: Type.Array(Problem),
  },
  { $id: "Blueprint" },
);

const { name: _, ...plain } = Patch.properties;
const NewRule = Type.Object(
  {
    name: Type.String({ minLength: 1, description: "Of the rule" }),
    inputs: Type.Record(Type.String(), Type.Unknown(), { description: "A value for each input that needs one" }),
    ...plain,
    description: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);

const answers = { 200: { description: "The blueprint", schema: Blueprint } };
const refusals = {
  conflict: "It was changed meanwhile, there are too many, or it is part of the hub",
  unavailable: ruleRefusals.unavailable,
};

export interface BlueprintRoutesDeps {
  rules: Pick<Rules, "blueprints" | "create">;
  callers: Pick<Callers, "of">;
}

export function blueprintRoutes(deps: BlueprintRoutesDeps) {
  return new Elysia({ prefix: "/blueprints" }).use(reading(deps)).use(texts(deps)).use(making(deps));
}

function reading({ rules: { blueprints }, callers }: BlueprintRoutesDeps) {
  return new Elysia()
    .get(
      "",
      ({ request }) => blueprints.list().map((info) => bodyFor(seesSecrets(callers.of(request).role), info)),
      doc({
        access: "viewer",
        summary: "All blueprints: rules with inputs, of which rules are made",
        tag,
        answers: { 200: { description: "By id", schema: Type.Array(Blueprint) } },
      }),
    )
    .get(
      "/:id",
      ({ params, request }) => bodyFor(seesSecrets(callers.of(request).role), blueprints.get(params.id)),
      doc({ access: "viewer", summary: "One blueprint", tag, answers }),
    );
}

function texts({ rules: { blueprints } }: BlueprintRoutesDeps) {
  return new Elysia()
    .get(
      "/:id/text",
      function blueprintText({ params }) {
        const { text, etag } = blueprints.text(params.id);
        return new Response(text, { headers: { "content-type": "text/plain; charset=utf-8", etag } });
      },
      doc({
        access: "admin",
        summary: "The blueprint's file, as it is",
        tag,
        answers: {
          200: { description: "RON or TOML, with an ETag", contentType: "text/plain", schema: Type.String() },
        },
        refusals: { conflict: "The file is not text" },
      }),
    )
    .put(
      "/:id/text",
      function putBlueprintText({ params, body, request, set }) {
        const info = blueprints.putText(params.id, body, request.headers.get("if-match") ?? undefined);
        set.headers.etag = blueprints.text(params.id).etag;
        return bodyFor(true, info);
      },
      {
        body: Type.String({ description: "RON or TOML" }),
        // "text" is never used; with it the OpenAPI document shows the type.
        parse: [({ request }) => readText(request), "text" as const],
        ...doc({
          access: "admin",
          audit: "blueprint.change",
          summary: "Make a blueprint, or replace its text; with If-Match 409 where it was changed meanwhile",
          tag,
          answers,
          makesMissing: true,
          readsElsewhere: [
            { in: "header", name: "If-Match", description: "The ETag it was read with", schema: Type.String() },
          ],
          refusals,
        }),
      },
    )
    .delete(
      "/:id",
      ({ params }) => noContent(() => blueprints.remove(params.id)),
      doc({
        access: "admin",
        audit: "blueprint.remove",
        summary: "Remove an own blueprint; its file goes to rules/blueprints/.trash/",
        tag,
        answers: { 204: { description: "Removed" } },
        refusals,
      }),
    );
}

function making({ rules }: BlueprintRoutesDeps) {
  return new Elysia().post(
    "/:id/rules",
    function makeRule({ params, body, set }) {
      const { id: use } = rules.blueprints.get(params.id);
      return created(set, detailsFor("admin", rules.create({ ...(body as JsonObject), use })));
    },
    {
      ...jsonBody(NewRule),
      parse: [readRuleBody, "json" as const],
      ...doc({
        access: "admin",
        audit: "rule.create",
        summary: "Make a rule of the blueprint, in a new file",
        tag,
        answers: { 201: { description: "The rule", schema: RuleDetails } },
        refusals: { conflict: "There are too many rule files", unavailable: ruleRefusals.unavailable },
      }),
    },
  );
}

/** The lines of a file may hold anything, so only administrators see them. */
function bodyFor(isWhole: boolean, info: BlueprintInfo) {
  const { id, file, source, shadows, blueprint, usedBy, problems, warnings } = info;
  const shown = (all: BlueprintInfo["problems"]) => (isWhole ? all : all.map((problem) => ({ ...problem, frame: "" })));
  return {
    ...{ id, file, source, shadows },
    name: blueprint?.name ?? id,
    description: blueprint?.description ?? "",
    inputs: (blueprint?.inputs ?? []).map(({ declared: _, secret, ...input }) => ({
      ...input,
      ...(secret && !isWhole && { default: undefined }),
    })),
    used_by: usedBy,
    problems: shown(problems),
    warnings: shown(warnings),
  };
}
