// /rules/:id/test: what a rule would do, for a trigger and a house that may be made up. Nothing of it reaches the house.
import { Type } from "@sinclair/typebox";
import { Elysia, type Static } from "elysia";
import { parseTime, TIME_FORMS } from "../../../house/history/query/parse-time.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import type { Json, JsonObject } from "../../../kit/schema/json.ts";
import type { Problem } from "../../../kit/schema/schema.ts";
import type { Zone } from "../../../kit/time/zone.ts";
import type { TestWanted } from "../../../rules/replay/test-run.ts";
import type { Rules } from "../../../rules/rules.ts";
import { type Role, seesSecrets } from "../../../server/auth/roles.ts";
import type { HubEvent } from "../../../server/events/catalog.ts";
import { optionalJsonBody } from "../body.ts";
import type { Callers } from "../callers.ts";
import { doc } from "../doc.ts";
import { invalid } from "../errors.ts";
import { Trace, traceFor } from "./rule-responses.ts";

const closed = { additionalProperties: false } as const;
const MAX_CHANGES = 200;
const MAX_THINGS = 500;
const YEAR_SECS = 366 * 86_400;

const anything = Type.Record(Type.String(), Type.Unknown());
const things = { maxProperties: MAX_THINGS } as const;
const house = {
  devices: Type.Optional(
    Type.Record(Type.String(), anything, { ...things, description: "Attributes, by device: {door: {open: true}}" }),
  ),
  modes: Type.Optional(Type.Record(Type.String(), Type.Boolean(), { ...things, description: "On or off, by mode" })),
  variables: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { ...things, description: "Values, by name" })),
};
const TestRun = Type.Object(
  {
    trigger: Type.Optional(
      Type.Object(
        {
          index: Type.Optional(Type.Integer({ minimum: 0, description: "Which one of the rule's triggers, from 0" })),
          id: Type.Optional(Type.String({ description: "The one with this id" })),
          type: Type.Optional(Type.String({ description: "The first one of this type" })),
          context: Type.Optional(
            Type.Record(Type.String(), Type.Unknown(), {
              description: "What it hands to the rule; that of its last evaluation when absent",
            }),
          ),
        },
        { ...closed, description: "The trigger to assume; the rule's first when absent" },
      ),
    ),
    at: Type.Optional(Type.String({ description: "When it fires: ISO 8601, local where no offset is given; or now" })),
    ...house,
    last_changed: Type.Optional(
      Type.Record(Type.String(), Type.Record(Type.String(), Type.String()), {
        ...things,
        description: "When attributes changed last, by device; those made up changed just now when absent",
      }),
    ),
    changes: Type.Optional(
      Type.Array(
        Type.Object(
          {
            after_secs: Type.Number({ minimum: 0, maximum: YEAR_SECS, description: "After the trigger" }),
            ...house,
            event: Type.Optional(
              Type.Object(
                { type: Type.String({ minLength: 1 }) },
                { additionalProperties: true, description: "An event, with its fields" },
              ),
            ),
          },
          closed,
        ),
        { maxItems: MAX_CHANGES, description: "What happens during the run; nothing when absent" },
      ),
    ),
  },
  closed,
);
const Answer = Type.Composite(
  [
    Trace,
    Type.Object({ unknown: Type.Array(Type.String(), { description: "What could not be known, in sentences" }) }),
  ],
  { $id: "RuleTest" },
);

export interface RuleTestRoutesDeps {
  rules: Pick<Rules, "trials">;
  history: { zone: Zone };
  callers: Pick<Callers, "of">;
}

export function ruleTestRoutes({ rules, history: { zone }, callers }: RuleTestRoutesDeps) {
  return new Elysia({ prefix: "/rules" }).post(
    "/:id/test",
    async function testRule({ params, body, request }) {
      const { role } = callers.of(request);
      refuseMadeUp(role, body);
      const { trace, unknown } = await rules.trials.test(params.id, wantedIn(body, zone));
      return { ...traceFor(role, trace), unknown };
    },
    {
      ...optionalJsonBody(TestRun),
      ...doc({
        access: "user",
        keeps: false,
        summary: "What the rule would do, waits included, without doing it; what is made up is for administrators",
        tag: "rules",
        answers: { 200: { description: "What would happen, in simulated time, and why", schema: Answer } },
        refusals: { conflict: "It does not run: its file has problems" },
      }),
    },
  );
}

/** With a made-up house a user could find out by trial which code a rule waits for. */
function refuseMadeUp(role: Role, { trigger, at: _, ...made }: Static<typeof TestRun>): void {
  if (seesSecrets(role)) return;
  const [what] = [...(trigger?.context ? ["a context"] : []), ...Object.keys(made)];
  if (what !== undefined) throw new HubError("forbidden", `making up ${what} needs the role admin`);
}

function wantedIn({ at, last_changed, changes, trigger, ...made }: Static<typeof TestRun>, zone: Zone): TestWanted {
  const problems: Problem[] = [];
  const time = (path: string, text: string): number => {
    const ms = parseTime(text, zone);
    if (ms === undefined) problems.push({ path, message: TIME_FORMS });
    return ms ?? 0;
  };
  const wanted = {
    ...houseIn(made),
    ...(trigger && { trigger: { ...trigger, context: trigger.context as JsonObject | undefined } }),
    ...(at !== undefined && { at: time("at", at) }),
    ...(last_changed && {
      lastChanged: mapped(last_changed, (times, id) =>
        mapped(times, (text, name) => time(`last_changed.${id}.${name}`, text)),
      ),
    }),
    changes: (changes ?? []).map(({ after_secs, event, ...change }) => ({
      ...houseIn(change),
      afterSecs: after_secs,
      ...(event && { event: event as HubEvent }),
    })),
  };
  if (problems.length > 0) throw invalid(problems);
  return wanted;
}

function houseIn({ devices, modes, variables }: Pick<Static<typeof TestRun>, "devices" | "modes" | "variables">) {
  return {
    ...(devices && { devices: devices as Record<string, JsonObject> }),
    ...(modes && { modes }),
    ...(variables && { variables: variables as Record<string, Json> }),
  };
}

function mapped<T, R>(table: Readonly<Record<string, T>>, change: (value: T, key: string) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(table).map(([key, value]) => [key, change(value, key)]));
}
