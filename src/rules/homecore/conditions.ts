// homeCore's conditions as ours, those that are written otherwise.
import { isPlacedObject, listAt, objectAt, othersOf, type Placed, type PlacedObject } from "./place.ts";
import { isTimerState, ourTimerState } from "./timer-words.ts";
import { expressionOf, required, type Translating } from "./translating.ts";
import { calendar, deviceOf, type Translate } from "./triggers.ts";

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

export function conditionsOf(list: Placed, to: Translating): Placed {
  if (!Array.isArray(list.value)) return list;
  return listAt(
    list,
    list.items().map((condition) => conditionOf(condition, to)),
  );
}
