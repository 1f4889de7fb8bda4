// Timers, switches and the states of modes, which are devices of the hub itself; and glue, of which the kinds that hold one
// value become variables.
import type { Database } from "bun:sqlite";
import { HubError } from "../../core/errors.ts";
import { HUB_PLUGIN_ID } from "../../core/ids.ts";
import type { JsonObject } from "../../core/json.ts";
import { checkVariableName, readVariableValue } from "../../state/variable-value.ts";
import type { Kind, Report } from "../report.ts";
import { addDevice, type DeviceImport } from "./devices.ts";
import type { ListedMode, OldDevice } from "./shapes.ts";

export function importTimers(timers: readonly OldDevice[], into: DeviceImport): void {
  for (const old of timers) addOwn(old, { kind: "timer", attributes: timerAttributes(old.attributes, into.now) }, into);
}

export function importSwitches(switches: readonly OldDevice[], into: DeviceImport): void {
  for (const old of switches) addOwn(old, { kind: "switch", attributes: { on: old.attributes.on === true } }, into);
}

/** What manual modes are, on or off; solar ones follow the sun by themselves. */
export function importModeStates(modes: readonly ListedMode[], into: DeviceImport): void {
  for (const { config, state } of modes) {
    if (config.kind !== "manual" || !state || into.known.has(config.id)) continue;
    const old = { ...state, device_id: config.id, name: config.name ?? config.id };
    addOwn(old, { kind: "mode", attributes: { on: state.attributes.on === true } }, { ...into, report: NO_REPORT });
  }
}

// modes.toml has told of each mode.
const NO_REPORT: Report = { entries: [], add() {} };

function addOwn(
  old: OldDevice,
  own: { kind: "timer" | "switch" | "mode"; attributes: JsonObject },
  into: DeviceImport,
) {
  const present = into.known.get(old.device_id);
  const { kind, attributes } = own;
  if (!present) addDevice(old, kind, { pluginId: HUB_PLUGIN_ID, deviceType: kind, attributes }, into);
  else if (present.pluginId === HUB_PLUGIN_ID && present.deviceType === kind)
    into.report.add(kind, present.name, "there");
  else into.report.add(kind, old.name, "left", `the id "${old.device_id}" is another device's here`);
}

/** homeCore's `running` and `finished` are `started` and `expired` here. A running timer goes on, and ends when it would have. */
function timerAttributes(old: JsonObject | Record<string, unknown>, now: number): JsonObject {
  const [duration, remaining] = [secondsIn(old.duration_secs), secondsIn(old.remaining_secs)];
  const kept: JsonObject = {
    ...(duration !== undefined && { duration_secs: duration }),
    ...(typeof old.label === "string" && old.label !== "" && { label: old.label.slice(0, 200) }),
    ...(old.repeat === true && { repeat: true }),
  };
  if (old.state === "running" && remaining !== undefined)
    return {
      ...kept,
      state: "started",
      duration_secs: Math.max(duration ?? 0, remaining),
      ends_at: new Date(now + remaining * 1000).toISOString(),
    };
  if (old.state === "paused" && remaining !== undefined)
    return { ...kept, state: "paused", duration_secs: duration ?? remaining, remaining_secs: remaining };
  const words: Record<string, string> = { running: "expired", finished: "expired", cancelled: "cancelled" };
  const state = words[String(old.state)] ?? "idle";
  return { ...kept, state };
}

const TEN_YEARS_SECS = 10 * 365.25 * 86_400;

/** As long as a timer may run here. */
function secondsIn(value: unknown): number | undefined {
  return typeof value === "number" && value > 0 && value <= TEN_YEARS_SECS ? value : undefined;
}

/** Glue → the attribute with its value. */
const VALUES: Readonly<Record<string, string>> = {
  counter: "count",
  number: "value",
  select: "selected",
  text: "value",
  datetime: "value",
};

const NO_VARIABLE: Readonly<Record<string, string>> = {
  button: "a rule with a manual trigger does the same",
  group: "make the group here, under the same id",
  threshold: "a rule with a numeric_threshold trigger does the same",
  schedule: "make the schedule here, under the same id",
};

export function importGlue(
  db: Database,
  glue: readonly OldDevice[],
  { report, now }: { report: Report; now: number },
): void {
  const insert = db.query("INSERT INTO variables (name, value, updated_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING");
  for (const { device_id, device_type, attributes } of glue) {
    const tell = (outcome: "left" | "there" | "changed", note?: string) =>
      report.add("variable" satisfies Kind, device_id, outcome, note);
    const key = VALUES[device_type ?? ""];
    if (key === undefined) {
      tell(
        "left",
        `a ${device_type ?? "thing"} of homeCore is no variable: ${NO_VARIABLE[device_type ?? ""] ?? "make it by hand"}`,
      );
      continue;
    }
    try {
      checkVariableName(device_id);
      const { value } = readVariableValue(attributes[key] ?? null);
      if (insert.run(device_id, JSON.stringify(value), now).changes === 0) tell("there");
      else tell("changed", `the ${device_type} is a variable here: rules read it as hub_var("${device_id}")`);
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      tell("left", error.message);
    }
  }
}
