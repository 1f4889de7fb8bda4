// homeCore's actions that wait, choose and repeat, as ours.
import { isPlacedObject, listAt, objectAt, othersOf, type Placed, type PlacedObject } from "../place.ts";
import { expressionOf, problemAt, renamed, required, secsOfMs, warningAt } from "../translating.ts";
import { type ActionTools, enabledOf, isEmptyList, nothing, type TranslateAction, unlessEmpty } from "./action.ts";

/** As good as for ever: a wait without a timeout. */
const YEAR_SECS = 366 * 86_400;
/** What homeCore's own bus calls a custom event, and ours an event of its own. */
const EVENTS: ReadonlySet<string> = new Set(["hub_variable_changed", "mode_changed", "system_started"]);

export const flowActions: Readonly<Record<string, TranslateAction>> = {
  parallel: (part, { inner }) =>
    isEmptyList(part.get("actions"))
      ? nothing(part, "nothing at the same time")
      : objectAt(part, { ...othersOf(part, []), actions: inner(part.get("actions")) }),
  conditional: (part, { to, inner }) =>
    objectAt(part, {
      ...othersOf(part, ["else_if", "else_actions", "condition", "then_actions"]),
      condition: expressionOf(to, required(to, part, "condition")),
      then_actions: inner(required(to, part, "then_actions")),
      else_if: unlessEmpty(elseIf(part.get("else_if"), { to, inner })),
      else_actions: unlessEmpty(inner(part.get("else_actions"))),
    }),
  delay: (part, { to }) => {
    const ms = part.get("duration_ms");
    const key = part.some("cancel_key");
    const cancelable = part.get("cancelable");
    if (cancelable?.value === true)
      warningAt(to, cancelable, "here a delay that is cancelled ends its run; there the next action ran at once");
    return objectAt(part, {
      ...othersOf(part, ["duration_ms", "cancelable", "cancel_key"]),
      ...(ms && { duration_secs: secsOfMs(ms) }),
      key,
    });
  },
  repeat_count: repeatCount,
  repeat_while: (part, tools) => repeat(part, tools),
  repeat_until: (part, tools) => repeat(part, tools),
  wait_for_event: waitForEvent,
  wait_for_expression: (part, { to }) =>
    objectAt(part, {
      // Here it is evaluated at every event, so there is nothing to poll.
      ...othersOf(part, ["expression", "timeout_ms", "hold_duration_ms", "poll_interval_ms"]),
      expression: expressionOf(to, required(to, part, "expression")),
      timeout_secs: secsOfMs(part.some("timeout_ms")) ?? YEAR_SECS,
      for_duration_secs: secsOfMs(part.some("hold_duration_ms")),
    }),
  run_rule_actions: (part) => renamed(part, "run_rule"),
  run_script: (part, { to }) => {
    if (part.get("enabled")?.value === false) return nothing(part, "a script in Rhai, which is disabled");
    const message = "a Rhai script cannot run here: write what it does as actions, or disable this action";
    problemAt(to, part.get("script") ?? part, message);
    return nothing(part, "a script in Rhai");
  },
};

function elseIf(branches: Placed | undefined, { to, inner }: ActionTools): Placed | undefined {
  if (!branches || !Array.isArray(branches.value)) return branches;
  const translated = branches.items().map((branch) => {
    if (!isPlacedObject(branch)) return branch;
    return objectAt(branch, {
      ...othersOf(branch, ["condition", "actions"]),
      condition: expressionOf(to, required(to, branch, "condition")),
      then_actions: inner(required(to, branch, "actions")),
    });
  });
  return listAt(branches, translated);
}

function delayOf(interval: Placed): PlacedObject {
  return objectAt(interval, { type: "delay", duration_secs: secsOfMs(interval) });
}

/** Undefined for no pause between the turns. */
function intervalOf(part: Placed): Placed | undefined {
  const interval = part.some("interval_ms");
  return interval?.value === 0 ? undefined : interval;
}

function repeat(part: PlacedObject, { to, inner }: ActionTools): PlacedObject {
  const actions = part.get("actions");
  const interval = intervalOf(part);
  if (isEmptyList(actions) && !interval) return nothing(part, "repeats nothing");
  const body = inner(actions)?.items() ?? [];
  return objectAt(part, {
    ...othersOf(part, ["condition", "actions", "max_iterations", "interval_ms"]),
    expression: expressionOf(to, required(to, part, "condition")),
    actions: listAt(actions ?? part, [...body, ...(interval ? [delayOf(interval)] : [])]),
    max_turns: part.some("max_iterations"),
  });
}

/** The pause is between the turns, and not after the last one. */
function repeatCount(part: PlacedObject, { inner }: ActionTools): PlacedObject {
  const actions = part.get("actions");
  if (actions === undefined || isEmptyList(actions)) return nothing(part, "repeats nothing");
  const body = inner(actions)?.items() ?? [];
  const count = part.get("count");
  const interval = intervalOf(part);
  const others = othersOf(part, ["actions", "interval_ms"]);
  if (!interval || typeof count?.value !== "number" || count.value < 2)
    return objectAt(part, { ...others, actions: listAt(actions, body) });
  const more = objectAt(part, {
    type: "repeat_count",
    count: count.with(count.value - 1),
    actions: listAt(actions, [delayOf(interval), ...body]),
  });
  return objectAt(part, { ...others, ...enabledOf(part), count: 1, actions: listAt(actions, [...body, more]) });
}

function waitForEvent(part: PlacedObject, { to }: ActionTools): PlacedObject {
  const type = part.some("event_type");
  const device = part.some("device_id") ?? part.some("device");
  const members = {
    ...othersOf(part, ["event_type", "device_id", "device", "attribute", "timeout_ms"]),
    timeout_secs: secsOfMs(part.some("timeout_ms")) ?? YEAR_SECS,
  };
  if (device) {
    if (type && type.value !== "device_state_changed")
      problemAt(to, type, "waits for this event or the device, whichever is first: here it can wait for one of them");
    const changed = { event_type: "device_state_changed", device_id: device, attribute: part.some("attribute") };
    return objectAt(part, { ...members, ...changed });
  }
  if (!type) problemAt(to, part, "waits for nothing: give `event_type` or `device_id`");
  const word = String(type?.value ?? "nothing");
  const known = word === "webhook" ? "webhook_received" : EVENTS.has(word) ? word : `custom_${word}`;
  return objectAt(part, { ...members, event_type: type?.with(known) ?? "custom_nothing" });
}
