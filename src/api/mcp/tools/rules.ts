// Tools for rules: which there are, why one ran or did not, and what one would do.
import { Type } from "@sinclair/typebox";
import { parseTime, TIME_FORMS } from "../../../house/history/query/parse-time.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import type { JsonObject } from "../../../kit/schema/json.ts";
import { detailsFor, listedFor, traceFor } from "../../http/routes/rule-responses.ts";
import { PageInput, pageOf } from "../page.ts";
import { defineTool } from "../tool.ts";
import { harmless, someOf } from "../untrusted.ts";

const closed = { additionalProperties: false } as const;
const MAX_TRACES = 10;
const RuleId = Type.String({
  minLength: 1,
  maxLength: 255,
  description: "The rule's id, from list_rules, or its name",
});
// Whoever asks sees no secrets, nor may find them out by trial.
const ROLE = "viewer";

export const listRules = defineTool({
  name: "list_rules",
  title: "List rules",
  description:
    "The rules of the house: what runs by itself, and when it ran last. `state`: enabled, disabled, paused, or broken, where its file has problems.",
  input: Type.Object(
    {
      query: Type.Optional(Type.String({ maxLength: 200, description: "Words in the name or the tags" })),
      ...PageInput,
    },
    closed,
  ),
  run({ query = "", ...page }, { house }) {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = ({ name, tags }: { name: string; tags: readonly string[] }): boolean => {
      const text = [name, ...tags].join(" ").toLowerCase();
      return words.every((word) => text.includes(word));
    };
    const { items, next } = pageOf(house.rules().filter(fits), page, (info) => listed(listedFor(ROLE, info)));
    return { rules: items, ...(next !== undefined && { next }) };
  },
});

export const explainRule = defineTool({
  name: "explain_rule",
  title: "Explain a rule",
  description: "What a rule says, and why it ran or did not, in its last evaluations, newest first.",
  input: Type.Object({ id: RuleId }, closed),
  target: ({ id }) => id,
  run({ id }, { house, deps }) {
    const info = house.rule(id);
    const details = detailsFor(ROLE, info);
    const traces = info.rule === undefined ? [] : deps.rules.traces(info.id);
    const shown = traces
      .map((trace) => traceFor(ROLE, trace))
      .filter((one) => !house.mentionsHidden(JSON.stringify(one)));
    return {
      ...(harmless({
        ...listed(details),
        problems: [...details.problems, ...details.warnings].map(({ message }) => message),
        rule: details.rule,
      }) as JsonObject),
      evaluations: someOf(shown, MAX_TRACES).items,
    };
  },
});

export const testRule = defineTool({
  name: "test_rule",
  title: "Try a rule out",
  description: "What a rule would do now, waits included. Nothing of it is done.",
  input: Type.Object(
    {
      id: RuleId,
      trigger: Type.Optional(
        Type.Integer({ minimum: 0, description: "Which of its triggers to assume, from 0; the first where absent" }),
      ),
      at: Type.Optional(Type.String({ maxLength: 50, description: "When: ISO 8601; now where absent" })),
    },
    closed,
  ),
  target: ({ id }) => id,
  async run({ id, trigger, at }, { house, deps: { rules, history } }) {
    const { id: known } = house.rule(id);
    const time = at === undefined ? undefined : parseTime(at, history.zone);
    if (at !== undefined && time === undefined) throw new HubError("invalid", `at: ${TIME_FORMS}`);
    const { trace, unknown } = await rules.trials.test(known, {
      ...(trigger !== undefined && { trigger: { index: trigger } }),
      ...(time !== undefined && { at: time }),
    });
    const { outcome, why, conditions, actions } = traceFor(ROLE, trace);
    const answer = { outcome, why, conditions, actions, unknown };
    if (house.mentionsHidden(JSON.stringify(answer)))
      throw new HubError("forbidden", "it would command devices that this key may not see");
    return harmless(answer) as JsonObject;
  },
});

function listed(info: ReturnType<typeof listedFor>) {
  const { id, name, state, tags, trigger_types, last_fired_at, fire_count, next_run_at } = info;
  return { id, name, state, tags, trigger_types, last_fired_at, fire_count, next_run_at };
}
