// A house of homeCore's rule files, word for word as its serialiser writes them, with the real engine, database and feed. Tests
// let devices report, events happen and time pass, and see what the rules do.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../../../src/kit/schema/json.ts";
import { members } from "../../../src/rules/read/schemas.ts";
import { openRulesRig, type RulesRig } from "../store/rig.ts";

const HOUSE = join(import.meta.dir, "house");

export interface HomeCoreHouse extends RulesRig {
  /** A device reports; `change` says who caused it. */
  report(device: string, attributes: JsonObject, change?: JsonObject): Promise<void>;
  /** A custom event. */
  emit(event: string, fields?: JsonObject): Promise<void>;
  /** Commands since the last call, as `lamp {"on":true}`. */
  commands(): string[];
  /** Why the rule of this file last did what it did, with its conditions and actions. */
  last(file: string): string;
  /** Details of the actions of its last run. */
  details(file: string): string[];
}

export const FILES: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync(HOUSE)
    .sort()
    .map((name) => [name, readFileSync(join(HOUSE, name), "utf8")]),
);

/** Kinds that other parts bring; until they are there, the files that use them are refused by name. */
const TO_COME: Readonly<Record<string, boolean>> = {
  "holiday_starts.ron": members.trigger.has("calendar_event"),
  "rule_variables.ron": members.action.has("set_variable"),
};

export const LOADED = Object.keys(FILES).filter((name) => TO_COME[name] !== false);

const DEVICES: Readonly<Record<string, JsonObject>> = {
  timer_bathroom: { state: "idle" },
  bath_fan: { on: true },
  bath_light: { on: true },
  bath_door: { open: true },
  deck_door_1: { open: false },
  deck_door_2: { open: false },
  deck_door_3: { open: false },
  deck_light: { on: false },
  hall_lamp: { on: true, brightness: 10 },
  hall_switch: { on: false },
  keypad: {},
  attic_sensor: { temperature: 20, humidity: 50 },
  attic_fan: { on: false },
  office_sensor: { humidity: 45 },
  humidifier: { on: false },
  boiler: {},
  front_lock: {},
  bed_lamp: { on: true, brightness: 0 },
  bedroom_blind: { position: 50 },
  kitchen_radio: { on: false },
  porch_light: { on: false },
  porch_motion: { motion: false },
  garage_door: { open: true },
  window: { open: false },
};
const MODES = { mode_night: false, mode_day: true, mode_away: false, mode_guest: false, mode_quiet: false };

/** With these files, or all that can be loaded. */
export async function openHomeCoreHouse(names: readonly string[] = LOADED): Promise<HomeCoreHouse> {
  const rig = await openRulesRig(Object.fromEntries(names.map((name) => [name, FILES[name] ?? ""])));
  const { house, clock } = rig;
  for (const [id, attributes] of Object.entries(DEVICES)) {
    const lastChanged = Object.fromEntries(Object.keys(attributes).map((key) => [key, clock.now()]));
    house.put(id, { attributes, lastChanged });
  }
  for (const [id, on] of Object.entries(MODES)) house.modes.set(id, on);
  for (const scene of ["11111111-0000-4000-8000-000000000001", "22222222-0000-4000-8000-000000000002"])
    house.scenes.add(scene);
  let seen = 0;
  const idOf = (file: string): string => /id: "([^"]+)"/.exec(FILES[`${file}.ron`] ?? "")?.[1] ?? file;
  return Object.assign(rig, {
    async report(device: string, attributes: JsonObject, change?: JsonObject) {
      const before = house.device(device);
      const previous = { ...before?.attributes };
      const current = { ...previous, ...attributes };
      const now = Object.fromEntries(Object.keys(attributes).map((key) => [key, clock.now()]));
      const lastChanged = { ...before?.lastChanged, ...now };
      house.put(device, { attributes: current, lastChanged, lastChange: change ?? { kind: "unknown" } });
      const changed = Object.keys(attributes).filter((key) => previous[key] !== attributes[key]);
      const event = { type: "device_state_changed", device_id: device, previous, current, changed } as const;
      rig.feed.emit({ ...event, ...(change && { change }) });
      await clock.advance(0);
    },
    async emit(event: string, fields: JsonObject = {}) {
      rig.feed.emit({ type: `custom_${event}`, ...fields });
      await clock.advance(0);
    },
    commands() {
      const all = house.done.commands.slice(seen);
      seen = house.done.commands.length;
      return all.map(({ device, command }) => `${device} ${JSON.stringify(command)}`);
    },
    last(file: string) {
      const [trace] = rig.rules.traces(idOf(file));
      return trace ? `${trace.outcome}: ${trace.why}` : "never evaluated";
    },
    details(file: string) {
      const [trace] = rig.rules.traces(idOf(file));
      const flat = (actions: readonly { type: string; detail?: string; parts?: never[] }[]): string[] =>
        actions.flatMap(({ type, detail, parts = [] }) => [`${type}: ${detail}`, ...flat(parts)]);
      return flat((trace?.actions ?? []) as never);
    },
  });
}
