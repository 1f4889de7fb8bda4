// homeCore's actions that command devices, as ours.
import { isObject } from "../../../kit/schema/json.ts";
import { listAt, objectAt, othersOf, type Placed, type PlacedObject } from "../place.ts";
import { byMode, isEmptyTable, problemAt, required, secsOfMs } from "../translating.ts";
import { deviceOf } from "../triggers.ts";
import { enabledOf, nothing, type TranslateAction } from "./action.ts";

const [FEWEST_STEPS, MAX_STEPS] = [2, 100];

export const deviceActions: Readonly<Record<string, TranslateAction>> = {
  set_device_state: (part, { to }) => {
    const tracks = part.get("track_event_value")?.value === true;
    const state = part.get("state");
    return objectAt(part, {
      ...othersOf(part, ["device", "state", "track_event_value"]),
      ...deviceOf(part),
      ...(!(tracks && isEmptyTable(state?.value ?? null)) && { state: state ?? required(to, part, "state") }),
      ...(tracks && { track_event_value: part.get("track_event_value") }),
    });
  },
  set_device_state_per_mode: (part, { to }) =>
    objectAt(part, {
      ...othersOf(part, ["device", "modes", "default_state"]),
      ...deviceOf(part),
      states: byMode(to, required(to, part, "modes"), "state"),
      default: part.some("default_state"),
    }),
  activate_scene_per_mode: (part, { to }) =>
    objectAt(part, {
      ...othersOf(part, ["modes", "default_scene_id"]),
      scenes: byMode(to, required(to, part, "modes"), "scene_id"),
      default: part.some("default_scene_id"),
    }),
  delay_per_mode: (part, { to }) =>
    objectAt(part, {
      ...othersOf(part, ["modes", "default_secs"]),
      durations: byMode(to, required(to, part, "modes"), "duration_secs"),
      default: part.some("default_secs"),
    }),
  capture_device_state: (part) => {
    const ids = part.get("device_ids") ?? part.get("devices");
    if (Array.isArray(ids?.value) && ids.value.length === 0) return nothing(part, "captures no device");
    return objectAt(part, { ...othersOf(part, ["devices"]), device_ids: ids });
  },
  fade_device: fadeDevice,
  set_mode: (part, { to }) => {
    const command = required(to, part, "command");
    const word = command?.value;
    if (command && word !== "On" && word !== "Off" && word !== "Toggle")
      problemAt(to, command, "must be On, Off or Toggle");
    return objectAt(part, {
      ...othersOf(part, ["command"]),
      ...(word === "Toggle" ? { toggle: command?.with(true) } : { on: command?.with(word === "On") ?? true }),
    });
  },
  ping_host: (part, { inner }) =>
    objectAt(part, {
      ...othersOf(part, ["timeout_ms", "count", "response_event", "then_actions", "else_actions"]),
      count: part.some("count"),
      timeout_secs: secsOfMs(part.some("timeout_ms")),
      response_event: part.some("response_event"),
      then_actions: inner(part.get("then_actions")),
      else_actions: inner(part.get("else_actions")),
    }),
};

/** There one action fades several numbers and sets whatever is no number; here each number is faded by its own. */
function fadesOf(part: PlacedObject, target: Placed): PlacedObject[] {
  const { value } = target;
  const entries = isObject(value) ? Object.keys(value).map((key) => [key, target.get(key)] as const) : [];
  const plain = entries.filter(([, member]) => typeof member?.value !== "number");
  const duration = part.get("duration_secs");
  const secs = typeof duration?.value === "number" ? duration.value : 0;
  const wanted = part.some("steps");
  const steps = clamp(typeof wanted?.value === "number" ? wanted.value : Math.round(secs));
  const fades = entries.flatMap(([attribute, member]) =>
    typeof member?.value === "number"
      ? objectAt(part, {
          ...othersOf(part, ["device", "target", "steps", "enabled"]),
          ...deviceOf(part),
          attribute,
          to: member,
          steps: wanted?.with(steps) ?? steps,
        })
      : [],
  );
  if (plain.length === 0) return fades;
  const state = objectAt(target, Object.fromEntries(plain));
  return [objectAt(part, { type: "set_device_state", ...deviceOf(part), state }), ...fades];
}

function fadeDevice(part: PlacedObject, { to }: Parameters<TranslateAction>[1]): PlacedObject {
  const target = required(to, part, "target");
  const actions = target ? fadesOf(part, target) : [];
  const [only] = actions;
  if (only === undefined) return nothing(part, "fades nothing");
  if (actions.length === 1) return objectAt(only, { ...othersOf(only, []), ...enabledOf(part) });
  return objectAt(part, { type: "parallel", ...enabledOf(part), actions: listAt(part, actions) });
}

function clamp(steps: number): number {
  return Math.min(MAX_STEPS, Math.max(FEWEST_STEPS, steps));
}
