// A rule as homeCore writes it, as one of ours. Only what differs is touched; what neither knows stays, and is refused by the
// reader like everywhere else. Nothing is lost silently: what cannot be done is a problem, what is done otherwise a warning.
import type { Json, JsonObject } from "../../kit/schema/json.ts";
import type { Mark } from "../../kit/schema/text-places.ts";
import { actionsOf } from "./actions/index.ts";
import {
  isPlacedObject,
  listAt,
  type Members,
  type OwnMark,
  objectAt,
  othersOf,
  ownMark,
  Placed,
  type PlacedObject,
} from "./place.ts";
import { isTimerState, ourTimerState } from "./timer-words.ts";
import { expressionOf, isEmptyTable, type OwnFlaw, required, type Translating, warningAt } from "./translating.ts";
import { calendar, deviceOf, eventTypeOf, type Translate, triggers } from "./triggers.ts";

export interface Translated {
  value: JsonObject;
  /** Of the translated rule; the paths in it are those of its author. */
  mark: OwnMark;
  problems: OwnFlaw[];
  warnings: OwnFlaw[];
  /** CEL → offset of the script that it was made from. */
  expressions: ReadonlyMap<string, number>;
}

const LOGS = ["log_events", "log_triggers", "log_actions"];
const OPTIONAL = ["required_expression", "trigger_condition", "trigger_label", "cooldown_secs"];
/** Ours are no longer. */
const MAX_QUEUED = 100;

export function translateRule(value: JsonObject, mark: Mark): Translated {
  const rule = new Placed<JsonObject>(value, ownMark(mark));
  const trigger = rule.get("trigger");
  const to: Translating = {
    problems: [],
    warnings: [],
    expressions: new Map(),
    constants: {
      trigger_label: JSON.stringify(rule.some("trigger_label")?.value ?? ""),
      trigger_event_type: eventTypeOf(trigger),
    },
  };
  const error = rule.some("error");
  if (error)
    warningAt(to, error, "homeCore found this wrong with the rule; whether it is right here is said by the hub");
  const conditions = rule.get("conditions");
  const variables = rule.get("variables");
  const translated = objectAt(rule, {
    ...othersOf(rule, [...LOGS, ...OPTIONAL, "error", "cancel_on_false", "run_mode", "variables"]),
    cooldown_secs: rule.some("cooldown_secs"),
    trigger_label: rule.some("trigger_label"),
    ...runModeOf(rule.some("run_mode"), to),
    ...(variables && !isEmptyTable(variables.value) && { variables }),
    ...(LOGS.some((key) => rule.get(key)?.value === true) && { log_runs: true }),
    ...(rule.get("cancel_on_false")?.value === true && { cancel_on_false: rule.get("cancel_on_false") }),
    trigger: trigger && triggerOf(trigger, to),
    trigger_condition: expressionOf(to, rule.some("trigger_condition")),
    required_expression: expressionOf(to, rule.some("required_expression")),
    conditions: conditions && conditionsOf(conditions, to),
    actions: actionsOf(rule.get("actions"), to),
  });
  return { value: translated.value, mark: translated.mark, ...to };
}

function triggerOf(trigger: Placed, to: Translating): Placed {
  if (!isPlacedObject(trigger)) return trigger;
  const { type } = trigger.value;
  const translate = typeof type === "string" && Object.hasOwn(triggers, type) ? triggers[type] : undefined;
  return translate?.(trigger, to) ?? trigger;
}

/** `Queued(max_queue: 5)` comes as a table, since the names of structs in data are only labels. */
function runModeOf(mode: Placed | undefined, to: Translating): Members {
  if (!isPlacedObject(mode)) return { run_mode: mode };
  const most: Json = mode.get("max_queue")?.value ?? 10;
  if (typeof most === "number" && most > MAX_QUEUED)
    warningAt(to, mode, `here at most ${MAX_QUEUED} runs wait, and not ${most}`);
  const max = typeof most === "number" ? Math.min(most, MAX_QUEUED) : most;
  return { run_mode: mode.with("queued"), max_queued: mode.get("max_queue")?.with(max) };
}

const conditions: Readonly<Record<string, Translate>> = {
  device_state: (part) => {
    const { device_id } = deviceOf(part);
    const value = part.get("value");
    const isTimers = isTimerState(part.get("device_id")?.value, part.get("attribute")?.value);
    return objectAt(part, {
      ...othersOf(part, ["device"]),
      device_id,
      value: value && isTimers ? value.with(ourTimerState(value.value)) : value,
    });
  },
  calendar_active: calendar,
  time_elapsed: (part) => objectAt(part, { ...othersOf(part, ["device"]), ...deviceOf(part) }),
  device_last_change: (part) =>
    objectAt(part, {
      ...othersOf(part, ["device"]),
      ...deviceOf(part),
      kind: part.some("kind"),
      source: part.some("source"),
      actor_id: part.some("actor_id"),
      actor_name: part.some("actor_name"),
    }),
  script_expression: (part, to) =>
    objectAt(part, {
      ...othersOf(part, ["type", "script"]),
      type: "expression",
      expression: expressionOf(to, required(to, part, "script")) ?? "true",
    }),
  not: (part, to) => {
    const inner = part.get("condition");
    return inner ? objectAt(part, { ...othersOf(part, []), condition: conditionOf(inner, to) }) : part;
  },
  and: (part, to) => group(part, to, true),
  or: (part, to) => group(part, to, false),
  xor: (part, to) => group(part, to, false),
};

/** Of none of them, all pass, and not one does. */
function group(part: PlacedObject, to: Translating, withoutAny: boolean): PlacedObject {
  const inner = part.get("conditions");
  if (!inner || !Array.isArray(inner.value)) return part;
  if (inner.value.length === 0) return objectAt(part, { type: "expression", expression: String(withoutAny) });
  return objectAt(part, { ...othersOf(part, []), conditions: conditionsOf(inner, to) });
}

function conditionOf(condition: Placed, to: Translating): Placed {
  if (!isPlacedObject(condition)) return condition;
  const { type } = condition.value;
  const translate = typeof type === "string" && Object.hasOwn(conditions, type) ? conditions[type] : undefined;
  return translate?.(condition, to) ?? condition;
}

function conditionsOf(list: Placed, to: Translating): Placed {
  if (!Array.isArray(list.value)) return list;
  return listAt(
    list,
    list.items().map((condition) => conditionOf(condition, to)),
  );
}
