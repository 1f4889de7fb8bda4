// What a rule is, and how JSON becomes one: a rule with all defaults, or all problems, each with its path.
import { type Static, Type } from "@sinclair/typebox";
import { ID_PATTERN } from "../../kit/schema/ids.ts";
import type { JsonObject } from "../../kit/schema/json.ts";
import type { Problem } from "../../kit/schema/schema.ts";
import { child, choice, expression, json, text, wholeSecs, YEAR_SECS } from "../model/fields.ts";
import { MAX_DEPTH, readBySchema, startReading } from "./read-typed.ts";

const closed = { additionalProperties: false } as const;
const MAX_ID_CHARS = 255;

export const Rule = Type.Object(
  {
    id: Type.String({
      default: "",
      maxLength: MAX_ID_CHARS,
      // Empty, or as isValidId wants it.
      pattern: `^$|${ID_PATTERN}`,
      problem: `must be a text without / + #, at most ${MAX_ID_CHARS} characters; leave it empty, and the hub sets one`,
      description: "Set by the hub if it is empty",
    }),
    name: text("Its name for people", { maxLength: 200 }),
    description: Type.Optional(Type.String({ maxLength: 10_000, description: "What it is for" })),
    enabled: Type.Boolean({ default: true, description: "Whether it runs" }),
    priority: Type.Integer({
      default: 0,
      minimum: -1_000_000,
      maximum: 1_000_000,
      description: "If an event triggers several rules, the one with the higher priority runs first",
    }),
    cooldown_secs: wholeSecs("For so many seconds after it fired, it does not fire again", {
      default: 0,
      maximum: 10 * YEAR_SECS,
    }),
    tags: Type.Array(text("A tag", { maxLength: 100 }), { default: [], maxItems: 50, description: "To find it by" }),
    triggers: Type.Array(child("trigger"), {
      default: [],
      description:
        "What triggers it, each on its own; without any it runs only by hand. A single one can be written as `trigger`",
    }),
    trigger_condition: Type.Optional(
      expression("Evaluated first, with `trigger`: if it is false, the event does not concern this rule"),
    ),
    trigger_label: Type.Optional(text("The label in `rule_fired`, instead of the trigger's own", { maxLength: 200 })),
    required_expression: Type.Optional(expression("Must be true, in addition to the conditions")),
    conditions: Type.Array(child("condition"), { default: [], description: "All of them must pass" }),
    actions: Type.Array(child("action"), { default: [], description: "Run one after the other" }),
    run_mode: choice(
      ["parallel", "single", "restart", "queued"],
      "When it fires while it is running: parallel runs it again, single does not, restart cancels the last run, queued waits for it",
      { default: "parallel" },
    ),
    max_queued: Type.Integer({
      default: 10,
      minimum: 1,
      maximum: 100,
      description: "How many runs wait with `queued`",
    }),
    variables: Type.Record(Type.String({ minLength: 1, maxLength: 100 }), json("Any JSON"), {
      default: {},
      maxProperties: 100,
      description: "The initial `vars` of each run",
    }),
    durable: Type.Boolean({
      default: true,
      description: "Whether its runs that wait go on after a restart of the hub; false ends them when the hub stops",
    }),
    cancel_on_false: Type.Optional(
      Type.Boolean({ description: "Whether a run is cancelled as soon as its conditions no longer hold" }),
    ),
    log_runs: Type.Optional(
      Type.Boolean({ description: "Whether each evaluation and each action is written into the hub's log" }),
    ),
    catch_up_secs: Type.Optional(
      wholeSecs(
        "How late a time that was missed while the hub was off may still run; without it, missed times do not run",
        { maximum: 7 * 86_400 },
      ),
    ),
  },
  closed,
);
export type Rule = Static<typeof Rule>;

/** As written in a file, which may have a single `trigger`. */
export const WrittenRule = Type.Object({ ...Rule.properties, trigger: Type.Optional(child("trigger")) }, closed);

// More than a valid rule with its data can have. Deeper values must not be walked at all.
const MAX_JSON_DEPTH = 5 * MAX_DEPTH;

export interface ReadRule {
  /** Present if there are no problems. */
  rule?: Rule;
  problems: Problem[];
}

/** `checkExpression` returns the error in a CEL text. Never throws. */
export function readRule(value: JsonObject, checkExpression: (text: string) => string | undefined): ReadRule {
  if (isDeeper(value, MAX_JSON_DEPTH)) return { problems: [{ path: "", message: TOO_DEEP }] };
  const reading = startReading(checkExpression);
  const { problems } = reading;
  if (value.trigger !== undefined && value.triggers !== undefined) {
    problems.push({ path: "trigger", message: "give either one `trigger` or a list `triggers`" });
  }
  const written = readBySchema(reading, { schema: WrittenRule, value, path: "", depth: 0 }) as
    | Static<typeof WrittenRule>
    | undefined;
  if (!written || problems.length > 0) return { problems };
  const { trigger, ...rule } = written;
  return { rule: trigger ? { ...rule, triggers: [trigger] } : rule, problems };
}

const TOO_DEEP = `is nested too deeply: at most ${MAX_DEPTH} conditions or actions may be around another`;

/** Level by level, so that no value can overflow the stack. */
function isDeeper(value: unknown, maxDepth: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return true;
    const next: unknown[] = [];
    for (const one of level) addInner(next, one);
    level = next;
  }
  return false;
}

/** The objects and lists in it. */
function addInner(into: unknown[], value: unknown): void {
  for (const item of Array.isArray(value) ? value : Object.values(value as object))
    if (typeof item === "object" && item !== null) into.push(item);
}
