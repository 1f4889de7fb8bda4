// homeCore's triggers as ours, those that are written otherwise. All others are the same in both.
import { isObject, type Json } from "../../kit/schema/json.ts";
import { listAt, type Members, objectAt, othersOf, Placed, type PlacedObject } from "./place.ts";
import { isTimerState, ourTimerState } from "./timer-words.ts";
import { problemAt, renamed, required, type Translating, warningAt } from "./translating.ts";

export type Translate = (part: PlacedObject, to: Translating) => PlacedObject;

const BUTTON_EVENTS: Readonly<Record<string, string>> = {
  Pushed: "pressed",
  Held: "held",
  DoubleTapped: "double",
  Released: "released",
};
const UNIT_SECS: Readonly<Record<string, number>> = { Minutes: 60, Hours: 3600, Days: 86_400, Weeks: 7 * 86_400 };
const THRESHOLDS: Readonly<Record<string, string>> = {
  Above: "above",
  Below: "below",
  CrossesAbove: "crosses_above",
  CrossesBelow: "crosses_below",
};

export const triggers: Readonly<Record<string, Translate>> = {
  device_state_changed: deviceStateChanged,
  button_event: (part, to) => {
    const event = required(to, part, "event");
    return objectAt(part, {
      ...othersOf(part, ["device", "button_number", "event"]),
      ...deviceOf(part),
      button: part.some("button_number"),
      event: wordIn(to, BUTTON_EVENTS, event),
    });
  },
  numeric_threshold: numericThreshold,
  device_availability_changed: (part) =>
    objectAt(part, { ...othersOf(part, ["device", "to"]), ...deviceOf(part), available: part.some("to") }),
  device_battery_low: (part) => objectAt(part, { ...othersOf(part, ["device"]), ...deviceOf(part) }),
  device_battery_recovered: (part) => objectAt(part, { ...othersOf(part, ["device"]), ...deviceOf(part) }),
  mode_changed: (part) => renamed(part, "mode_changed", { to: "on" }),
  calendar_event: calendar,
  hub_variable_changed: (part) => objectAt(part, { ...othersOf(part, []), every_write: true }),
  mqtt_message: mqttMessage,
  periodic: (part, to) => {
    const [count, unit] = [required(to, part, "every_n"), required(to, part, "unit")];
    const secs = wordIn(to, UNIT_SECS, unit)?.value;
    const every = typeof count?.value === "number" && typeof secs === "number" ? count.value * secs : 1;
    return objectAt(part, { ...othersOf(part, ["every_n", "unit"]), every_secs: count?.with(every) ?? every });
  },
  time_of_day: (part) => {
    const days = part.get("days");
    const everyDay = Array.isArray(days?.value) && days.value.length === 0;
    return objectAt(part, othersOf(part, everyDay ? ["days"] : []));
  },
  cron: (part, to) => {
    const expression = part.get("expression");
    if (typeof expression?.value !== "string") return part;
    const cron = ourCron(expression.value);
    if (!cron.ok) problemAt(to, expression, cron.problem);
    return cron.ok ? objectAt(part, { ...othersOf(part, []), expression: expression.with(cron.expression) }) : part;
  },
  webhook_received(part, to) {
    const isOpen = part.get("secret") === undefined;
    if (isOpen) warningAt(to, part, "without a `secret`, everybody who reaches the hub can call this webhook");
    return objectAt(part, { ...othersOf(part, []), ...(isOpen && { open: true }) });
  },
};

/** There, without a calendar, all of them are meant. */
export function calendar(part: PlacedObject, to: Translating): PlacedObject {
  const id = part.some("calendar_id");
  if (!id) problemAt(to, part, "is about any calendar, and here it needs one: give `calendar_id`");
  const title = part.some("title_contains");
  return objectAt(part, { ...othersOf(part, ["calendar_id", "title_contains"]), calendar: id ?? "any", title });
}

/** The device under its other name, if it has that. */
export function deviceOf(part: Placed): Members {
  const device = part.get("device_id") ?? part.get("device");
  return { device_id: device };
}

/** The word's meaning, in its place. */
function wordIn<T extends Json>(
  to: Translating,
  words: Readonly<Record<string, T>>,
  word: Placed | undefined,
): Placed | undefined {
  if (typeof word?.value !== "string") return word;
  if (Object.hasOwn(words, word.value)) return word.with(words[word.value] ?? null);
  problemAt(to, word, `must be one of ${Object.keys(words).join(", ")}`);
  return word.with(Object.values(words)[0] ?? null);
}

const OF_AN_ATTRIBUTE = ["to", "from", "not_to", "not_from"];

function deviceStateChanged(part: PlacedObject, to: Translating): PlacedObject {
  const device = part.get("device_id") ?? part.get("device");
  const others = part.get("device_ids") ?? part.get("devices");
  const all = [...(device ? [device] : []), ...(others?.items() ?? [])];
  const distinct = all.filter(({ value }, index) => all.findIndex((one) => one.value === value) === index);
  const attribute = part.some("attribute");
  const ids = distinct.length === 1 ? { device_id: distinct[0] } : { device_ids: others && listAt(others, distinct) };
  const wanted = OF_AN_ATTRIBUTE.flatMap((key): [string, Placed][] => {
    const value = part.get(key);
    if (value === undefined) return [];
    if (attribute) return [[key, oneValue(value, { devices: distinct, attribute })]];
    warningAt(to, value, `\`${key}\` has no effect without \`attribute\``);
    return [];
  });
  return objectAt(part, {
    ...othersOf(part, ["device", "devices", "device_id", "device_ids", "attribute", ...OF_AN_ATTRIBUTE]),
    ...(others ? ids : { device_id: device }),
    attribute,
    ...Object.fromEntries(wanted),
  });
}

/** A list is one value there; here it would be a choice. */
function oneValue(value: Placed, { devices, attribute }: { devices: Placed[]; attribute: Placed }): Placed {
  if (Array.isArray(value.value)) return new Placed([value.value], value.mark);
  const isTimers = devices.every((device) => isTimerState(device.value, attribute.value));
  return isTimers ? value.with(ourTimerState(value.value)) : value;
}

function numericThreshold(part: PlacedObject, to: Translating): PlacedObject {
  const [op, value] = [required(to, part, "op"), required(to, part, "value")];
  const limit = wordIn(to, THRESHOLDS, op)?.value;
  const isBand = limit === "above" || limit === "below";
  return objectAt(part, {
    ...othersOf(part, ["device", "op", "value"]),
    ...deviceOf(part),
    [typeof limit === "string" ? limit : "above"]: value ?? 0,
    ...(isBand && { every_change: true }),
  });
}

function mqttMessage(part: PlacedObject, to: Translating): PlacedObject {
  const [pointer, op, value] = ["value_path", "value_op", "value_cmp"].map((key) => part.some(key));
  // There, the comparison is made only where all three are given.
  const compares = pointer && op && part.get("value_cmp") !== undefined;
  const lone = pointer ?? op ?? value;
  if (lone && !compares) warningAt(to, lone, "has no effect without `value_path`, `value_op` and `value_cmp` together");
  return objectAt(part, {
    ...othersOf(part, ["topic_pattern", "value_path", "value_op", "value_cmp", "payload"]),
    topic: required(to, part, "topic_pattern") ?? "missing",
    payload: part.some("payload"),
    ...(compares && { pointer, op, value: part.get("value_cmp") }),
  });
}

/** What `trigger_event_type()` gives in a rule with this trigger, as CEL. */
export function eventTypeOf(trigger: Placed | undefined): string {
  const type = isObject(trigger?.value) ? trigger.value.type : undefined;
  switch (type) {
    case "device_state_changed":
    case "button_event":
    case "numeric_threshold":
      return '"device_state_changed"';
    case "mqtt_message":
      return '("mqtt:" + trigger.topic)';
    case "webhook_received":
      return '"webhook"';
    case "custom_event":
      return JSON.stringify(trigger?.get("event_type")?.value ?? "");
    case "device_availability_changed":
    case "device_battery_low":
    case "device_battery_recovered":
    case "hub_variable_changed":
    case "mode_changed":
    case "calendar_event":
    case "system_started":
      return JSON.stringify(type);
    default:
      return '""';
  }
}

const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const;
const FIELDS = 6;
const [DAY_OF_MONTH, DAY_OF_WEEK] = [3, 5];

type CronResult = { ok: true; expression: string } | { ok: false; problem: string };

/** The expression with names in place of numbers. Without six fields it is left as it is, for others to refuse. */
function ourCron(expression: string): CronResult {
  const fields = expression.trim().split(/\s+/);
  if (fields.length !== FIELDS) return { ok: true, expression };
  const weekday = fields[DAY_OF_WEEK] ?? "*";
  if (isOpen(weekday)) return { ok: true, expression };
  const days = daysOf(weekday);
  if (days === undefined)
    return { ok: false, problem: `"${weekday}" is no day of the week: it takes 1 (Sunday) to 7 (Saturday), or names` };
  const both = isOpen(fields[DAY_OF_MONTH] ?? "*") ? "" : "+";
  fields[DAY_OF_WEEK] = both + days.join(",");
  return { ok: true, expression: fields.join(" ") };
}

function isOpen(field: string): boolean {
  return field === "*" || field === "?";
}

function daysOf(field: string): string[] | undefined {
  const chosen = new Set<number>();
  for (const part of field.split(",")) {
    const [, from = "", to, step = "1"] = /^([A-Za-z]+|\d+|\*)(?:-([A-Za-z]+|\d+))?(?:\/(\d+))?$/.exec(part) ?? [];
    const first = from === "*" ? 0 : dayOf(from);
    // A step alone goes on to the end: `2/2` is Monday, Wednesday, Friday.
    const last = to !== undefined ? dayOf(to) : from === "*" || part.includes("/") ? DAYS.length - 1 : first;
    if (first === undefined || last === undefined || last < first || Number(step) < 1) return undefined;
    for (let day = first; day <= last; day += Number(step)) chosen.add(day);
  }
  return DAYS.filter((_, day) => chosen.has(day));
}

function dayOf(text: string): number | undefined {
  const number = Number(text);
  if (Number.isInteger(number)) return number >= 1 && number <= DAYS.length ? number - 1 : undefined;
  const index = DAYS.findIndex((day) => text.length >= 3 && FULL_NAMES[day].startsWith(text.toLowerCase()));
  return index < 0 ? undefined : index;
}

const FULL_NAMES: Readonly<Record<(typeof DAYS)[number], string>> = {
  sun: "sunday",
  mon: "monday",
  tue: "tuesday",
  wed: "wednesday",
  thu: "thursday",
  fri: "friday",
  sat: "saturday",
};
