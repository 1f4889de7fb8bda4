// homeCore's glue: what holds one value becomes a variable, groups and schedules become our own, and the rest is reported.
import { checkVariableName, readVariableValue } from "../../../house/state/variable-value.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import type { StateDb } from "../../../server/db/state-db.ts";
import type { DeviceImport } from "./devices.ts";
import { importGroups } from "./groups.ts";
import { importSchedules } from "./schedules.ts";
import type { OldDevice } from "./shapes.ts";

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
