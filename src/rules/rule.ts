// What a rule is, and how JSON becomes one: with every default filled in, or with every problem that keeps it from being
// one, each with its path.
import { type Static, Type } from "@sinclair/typebox";
import { ID_PATTERN } from "../core/ids.ts";
import type { JsonObject } from "../core/json.ts";
import type { Problem } from "../core/schema.ts";
import { child, choice, expression, json, text, YEAR_SECS } from "./fields.ts";
import { DEEPEST, readBySchema, startReading } from "./read-typed.ts";

const closed = { additionalProperties: false } as const;
const LONGEST_ID = 255;

export const Rule = Type.Object(
  {
    id: Type.String({
      default: "",
      maxLength: LONGEST_ID,
      // As isValidId has it, or empty.
      pattern: `^$|${ID_PATTERN}`,
      problem: `must be a text without / + #, at most ${LONGEST_ID} characters; leave it empty and the hub gives one`,
      description: "Given by the hub where it is empty",
    }),
    name: text("What people call it", { maxLength: 200 }),
    description: Type.Optional(Type.String({ maxLength: 10_000, description: "What it is for" })),
    enabled: Type.Boolean({ default: true, description: "Whether it runs" }),
    priority: Type.Integer({
      default: 0,
      minimum: -1_000_000,
      maximum: 1_000_000,
      description: "Of rules that an event sets off together, the higher runs first",
    }),
    cooldown_secs: Type.Integer({
      default: 0,
      minimum: 0,
      maximum: 10 * YEAR_SECS,
      description: "Seconds during which it does not fire again after it has fired",
    }),
    tags: Type.Array(text("A tag", { maxLength: 100 }), { default: [], maxItems: 50, description: "To find it by" }),
    triggers: Type.Array(child("trigger"), {
      default: [],
      description: "What sets it off, each on its own; none: only by hand. A single one may stand under `trigger`",
    }),
    trigger_condition: Type.Optional(
      expression("Looked at first, with `trigger`: where it does not hold, the event is none of this rule's"),
    ),
    trigger_label: Type.Optional(text("Told with `rule_fired`, instead of the trigger's own", { maxLength: 200 })),
    required_expression: Type.Optional(expression("Must hold, beside the conditions")),
    conditions: Type.Array(child("condition"), { default: [], description: "All of them must pass" }),
    actions: Type.Array(child("action"), { default: [], description: "Run one after the other" }),
    run_mode: choice(
      ["parallel", "single", "restart", "queued"],
      "When it fires while it is running: also runs, does not, starts anew, or waits for its turn",
      { default: "parallel" },
    ),
    max_queued: Type.Integer({ default: 10, minimum: 1, maximum: 100, description: "How many wait with `queued`" }),
    variables: Type.Record(Type.String({ minLength: 1, maxLength: 100 }), json("Any JSON"), {
      default: {},
      maxProperties: 100,
      description: "What each run begins with in `vars`",
    }),
    catch_up_secs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 7 * 86_400,
        description: "How late a time may still run that was missed while the hub was off; not at all when absent",
      }),
    ),
  },
  closed,
);
export type Rule = Static<typeof Rule>;

/** As it may stand in a file: the contract has one `trigger`. */
const WrittenRule = Type.Object({ ...Rule.properties, trigger: Type.Optional(child("trigger")) }, closed);

// Above what may stand inside each other, with the data in it: what is deeper must not be walked at all.
const DEEPEST_JSON = 5 * DEEPEST;

export interface ReadRule {
  /** There when there are no problems. */
  rule?: Rule;
  problems: Problem[];
}

/** `checkExpression` answers what is wrong with a CEL text. Never throws. */
export function readRule(value: JsonObject, checkExpression: (text: string) => string | undefined): ReadRule {
  if (isDeeper(value, DEEPEST_JSON)) return { problems: [{ path: "", message: TOO_DEEP }] };
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

const TOO_DEEP = `is nested too deeply: at most ${DEEPEST} conditions or actions may stand around another`;

/** Without recursion, whatever it is given. */
function isDeeper(value: unknown, most: number): boolean {
  let level: object[] = [value as object];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > most) return true;
    level = level.flatMap((one) => Object.values(one).filter((item) => typeof item === "object" && item !== null));
  }
  return false;
}
