// Schemas of the bodies that /rules accepts, how they are read, and its vocabulary. A rule's own keys have the schemas of rules/read/rule.ts.
import { Type } from "@sinclair/typebox";
import { HubError } from "../../../kit/schema/errors.ts";
import { type Json, parseJson } from "../../../kit/schema/json.ts";
import { Rule } from "../../../rules/read/rule.ts";
import { readBody, withoutDefault } from "../body.ts";
import { DESCRIBED_AS } from "../openapi/schemas.ts";

const closed = { additionalProperties: false } as const;
export const WholeRule = Type.Record(Type.String(), Type.Unknown(), {
  description: "A rule, as /rules/vocabulary describes it",
  [DESCRIBED_AS]: "Rule",
});
const { enabled, name, priority, cooldown_secs, tags } = Rule.properties;
export const Patch = Type.Object(
  {
    enabled: Type.Optional(withoutDefault(enabled)),
    name: Type.Optional(name),
    priority: Type.Optional(withoutDefault(priority)),
    cooldown_secs: Type.Optional(withoutDefault(cooldown_secs)),
    tags: Type.Optional(withoutDefault(tags)),
  },
  { ...closed, minProperties: 1 },
);
const Word = Type.Object({
  type: Type.String(),
  doc: Type.String(),
  schema: Type.Record(Type.String(), Type.Unknown(), { description: "JSON Schema" }),
});
export const Vocabulary = Type.Object({
  triggers: Type.Array(Word),
  conditions: Type.Array(Word),
  actions: Type.Array(Word),
  rule: Type.Record(Type.String(), Type.Unknown(), { description: "JSON Schema of a rule, with $defs for its parts" }),
});
export const Run = Type.Object(
  { conditions: Type.Boolean({ default: false, description: "Only if its conditions pass" }) },
  closed,
);
export const Pause = Type.Object(
  {
    duration_secs: Type.Optional(
      Type.Number({ minimum: 1, maximum: 366 * 86_400, description: "When absent, until it is resumed" }),
    ),
  },
  closed,
);
export const RuleToCompose = Type.Object(
  {
    rule: WholeRule,
    text: Type.String({ description: "What it is put into; empty for a new file" }),
    id: Type.Optional(Type.String({ description: "The rule whose file it is meant for; a new one when absent" })),
  },
  closed,
);
export const TextToCheck = Type.Object(
  {
    text: Type.String({ description: "RON or TOML" }),
    id: Type.Optional(Type.String({ description: "The rule whose file it is meant for; a new one when absent" })),
  },
  closed,
);

// Actions contain actions, so a rule may be nested deeper than other bodies. The code that writes its file has its own limit.
const MAX_LEVELS = 256;

export async function readRuleBody({ request, contentType }: { request: Request; contentType: string }): Promise<Json> {
  if (contentType.toLowerCase() !== "application/json") return readBody(request, contentType);
  const parsed = parseJson(await request.text(), MAX_LEVELS);
  if (parsed.ok) return parsed.value;
  throw new HubError("invalid", `the body is refused: ${parsed.problem}`);
}
