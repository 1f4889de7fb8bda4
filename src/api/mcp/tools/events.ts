// The tool for recent events: only of kinds that are listed here, each seen by keys that see what it is about.
import { Type } from "@sinclair/typebox";
import { isObject, type JsonObject } from "../../../kit/schema/json.ts";
import type { KeptEvent } from "../../../server/events/feed.ts";
import type { SeenHouse } from "../house.ts";
import { defineTool } from "../tool.ts";
import { someOf } from "../untrusted.ts";
import { saidOtherwise } from "../words.ts";

type Fields = Record<string, unknown>;
type Sees = (house: SeenHouse, fields: Fields) => boolean;

const ofDevice: Sees = (house, { device_id }) => house.seesId(String(device_id));
const ofRule: Sees = (house, { rule_id }) => house.seesRuleId(String(rule_id));
const ofHouse: Sees = (house) => house.whole;

/** What is missing here (messages, webhooks, MQTT, what plugins and rules invent) is never shown. */
const SEES: Readonly<Record<string, Sees>> = {
  device_state_changed: ofDevice,
  device_availability_changed: ofDevice,
  device_attributes_unavailable: ofDevice,
  device_name_changed: ofDevice,
  device_attribute_renamed: ofDevice,
  device_command_sent: ofDevice,
  device_command_failed: ofDevice,
  device_action: ofDevice,
  device_battery_low: ofDevice,
  device_battery_recovered: ofDevice,
  timer_state_changed: ofDevice,
  mode_changed: (house, { mode_id }) => house.seesId(String(mode_id)),
  scene_activated: (house, { scene_id }) => house.seesSceneId(String(scene_id)),
  rule_fired: ofRule,
  action_failed: ofRule,
  rule_run_ended: ofRule,
  hub_variable_changed: ofHouse,
  system_started: ofHouse,
  system_safe_start: ofHouse,
  system_took_over: ofHouse,
  plugin_registered: ofHouse,
  plugin_offline: ofHouse,
  plugin_status_changed: ofHouse,
  alert: ofHouse,
};
const KINDS = Object.keys(SEES);
const MOST = 50;

export const recentEvents = defineTool({
  name: "recent_events",
  title: "Recent events",
  description: `What happened lately, newest first, at most ${MOST} an answer: changes, commands and by whom, rules that ran.`,
  input: Type.Object(
    {
      type: Type.Optional(
        Type.Union(
          KINDS.map((kind) => Type.Literal(kind)),
          { description: "Only events of this type" },
        ),
      ),
      device: Type.Optional(
        Type.String({ maxLength: 255, description: "Only events of the device with this id or name" }),
      ),
      before: Type.Optional(Type.Integer({ minimum: 0, description: "The `next` of the answer before" })),
    },
    { additionalProperties: false },
  ),
  target: ({ device }) => device,
  run({ type, device, before }, { house, deps: { ring } }) {
    const id = device === undefined ? undefined : house.device(device).id;
    function* seen(): Iterable<Fields> {
      for (const event of ring.newestFirst(before)) {
        if (type !== undefined && event.type !== type) continue;
        if (id !== undefined && event.deviceId !== id) continue;
        const fields = shown(event, house);
        if (fields) yield fields;
      }
    }
    const { items, more } = someOf(seen(), MOST);
    const last = items.at(-1)?.seq;
    return { events: items, ...(more && last !== undefined && { next: last }) };
  },
});

function shown({ type, redacted }: KeptEvent, house: SeenHouse): Fields | undefined {
  const sees = Object.hasOwn(SEES, type) ? SEES[type] : undefined;
  if (!sees) return undefined;
  const fields = JSON.parse(redacted) as JsonObject;
  if (!sees(house, fields) || house.mentionsHidden(redacted)) return undefined;
  return type === "device_state_changed" ? changes(fields, house) : fields;
}

/** What changed, in words and without all that did not. */
function changes({ previous, current, changed, ...event }: JsonObject, house: SeenHouse): Fields {
  const valueIn = (state: unknown, name: string): unknown =>
    isObject(state) && Object.hasOwn(state, name) ? state[name] : null;
  const id = String(event.device_id);
  const said = house.seesId(id) ? saidOtherwise(house.device(id)) : new Set();
  const names = Array.isArray(changed) ? changed.map(String).filter((name) => !said.has(name)) : [];
  const pairs = names.map((name) => [name, { from: valueIn(previous, name), to: valueIn(current, name) }]);
  const { change: _, ...rest } = event;
  return { ...rest, changed: Object.fromEntries(pairs) };
}
