// homeCore's glue: what holds one value becomes a variable, groups and schedules become our own, and the rest is reported.
import { Value } from "@sinclair/typebox/value";
import { checkVariableName, readVariableValue } from "../../../house/state/variable-value.ts";
import { createScheduleStore } from "../../../house/state/virtual/schedule-store.ts";
import { type PlanEntry, readWeekPlan, WeekPlan } from "../../../house/state/virtual/week-plan.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import { isObject } from "../../../kit/schema/json.ts";
import { WEEKDAYS } from "../../../kit/time/weekdays.ts";
import type { StateDb } from "../../../server/db/state-db.ts";
import type { DeviceImport } from "./devices.ts";
import { importGroups } from "./groups.ts";
import type { OldDevice } from "./shapes.ts";
import { addOwn } from "./virtual.ts";

const ACTIVE = 'expressions must ask for its "on" where they ask for its "active"';

/** Type → the attribute with its value. */
const VALUES: Readonly<Record<string, string>> = {
  counter: "count",
  number: "value",
  select: "selected",
  text: "value",
  datetime: "value",
};

const INSTEAD: Readonly<Record<string, string>> = {
  button: "there are no buttons of this kind here: a rule with a manual trigger is run from the page in the same way",
  threshold: "there are no thresholds here: a rule with a numeric_threshold trigger does the same",
};

/** Of what is in a list of its own. */
const LISTED = ["switch", "timer"];

export function importGlue(
  tables: Pick<StateDb, "durable" | "faults">,
  glue: readonly OldDevice[],
  into: DeviceImport,
): void {
  const ofType = (type: string) => glue.filter(({ device_type }) => device_type === type);
  importSchedules(tables, ofType("schedule"), into);
  importGroups(tables, ofType("group"), into);
  for (const old of glue) {
    const type = old.device_type ?? "thing";
    if (["group", "schedule", ...LISTED].includes(type)) continue;
    const key = VALUES[type];
    if (key !== undefined) importVariable(tables, { ...old, type, key }, into);
    else into.report.add("other", `the ${type} ${old.name}`, "left", INSTEAD[type] ?? "there is no such device here");
  }
}

function importVariable(
  { durable }: Pick<StateDb, "durable">,
  { device_id, attributes, type, key }: OldDevice & { type: string; key: string },
  { report, now }: DeviceImport,
): void {
  const insert = durable.query(
    "INSERT INTO variables (name, value, updated_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
  );
  try {
    checkVariableName(device_id);
    const { value } = readVariableValue(attributes[key] ?? null);
    if (insert.run(device_id, JSON.stringify(value), now).changes === 0) report.add("variable", device_id, "there");
    else {
      const note = `the ${type} is a variable here: rules read it as hub_var("${device_id}")`;
      report.add("variable", device_id, "changed", note);
    }
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    report.add("variable", device_id, "left", error.message);
  }
}

/** Schedules of homeCore's glue → schedules here, which are on at the same times. */
function importSchedules(
  tables: Pick<StateDb, "durable" | "faults">,
  schedules: readonly OldDevice[],
  into: DeviceImport,
): void {
  const store = createScheduleStore(tables);
  for (const old of schedules) {
    const blocks = Array.isArray(old.attributes.blocks) ? old.attributes.blocks : [];
    const plan = blocks.flatMap(entriesOf);
    if (!Value.Check(WeekPlan, plan)) {
      into.report.add("schedule", old.name, "left", "its times cannot be read: make it here by hand");
      continue;
    }
    // The hub corrects both when it starts.
    const attributes = { enabled: true, on: old.attributes.active === true, next_change: null };
    const own = { kind: "schedule", attributes, note: ACTIVE } as const;
    if (addOwn(old, own, into)) store.save(old.device_id, { plan: readWeekPlan(plan), enabled: true });
  }
}

/**
 * Past midnight, homeCore counts the early hours of the same days, and not of the days after: those are entries of their own.
 * What ends when it begins is never on there.
 */
function entriesOf(block: unknown): unknown[] {
  if (!isObject(block) || !Array.isArray(block.days)) return [block];
  const [from, to] = [timeIn(block.start), timeIn(block.end)];
  const days = block.days.map((day) => String(day).slice(0, 3).toLowerCase());
  if (days.length === 0 || (from !== undefined && from === to)) return [];
  const entry = { days, from, to } as PlanEntry;
  if (from === undefined || to === undefined || from < to) return [entry];
  const isDaily = WEEKDAYS.every((day) => days.includes(day));
  if (isDaily) return [entry];
  return [{ ...entry, to: "24:00" }, ...(to === "00:00" ? [] : [{ ...entry, from: "00:00" }])];
}

/** `8:05` is `08:05`. */
function timeIn(text: unknown): string | undefined {
  const [, hours, minutes] = /^(\d{1,2}):(\d{1,2})(?::\d{1,2})?$/.exec(String(text)) ?? [];
  return hours === undefined || minutes === undefined
    ? undefined
    : `${hours.padStart(2, "0")}:${minutes.padStart(2, "0")}`;
}
