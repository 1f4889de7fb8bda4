// What an event says, in a sentence. An event that is not known shows its fields.
import type { Attributes, Json } from "../../model/device/json.ts";
import { type Part, phrase } from "../../model/text/phrase.ts";
import { type Alert, alertInWords } from "../../model/text/problem-words.ts";
import {
  attributeWords,
  changeWords,
  deviceLink,
  short,
  shownOnce,
  valueWords,
  wantedWords,
} from "../../parts/devices/values.ts";
import type { HubEvent } from "../../state/hub/live.ts";
import type { TextKey } from "../../texts/catalogue.ts";
import { formatTime, t, textFor } from "../../texts/index.ts";
import type { AnyIconName } from "../../ui/more-icons.tsx";

type Words = (event: HubEvent) => Part[];

const MAX_CHANGES = 3;
const ENVELOPE = new Set(["type", "timestamp", "seq", "device_id"]);

const text = (value: unknown): string => short(String(value ?? ""), 300);
const link = (base: string, id: unknown, name: unknown): Part => ({
  text: text(name || id),
  href: `${base}/${encodeURIComponent(String(id))}`,
});
const device = ({ device_id }: HubEvent): Part => deviceLink(device_id);
const rule = ({ rule_id, rule_name }: HubEvent): Part => link("/rules", rule_id, rule_name);
const scene = ({ scene_id, scene_name }: HubEvent): Part => link("/scenes", scene_id, scene_name);

/** Ends with who asked for it, where that is known. */
function by(parts: Part[], who: unknown): Part[] {
  return typeof who === "string" && who !== "" ? phrase("event.by", { what: parts, who: short(who) }) : parts;
}

function changes({ device_id: id = "", current, changed, change }: HubEvent): Part[] {
  const all = changed as string[];
  const names = shownOnce(id, all, current as Attributes);
  const words = changeWords(id, current as Attributes, names.slice(0, MAX_CHANGES));
  const rest = names.length - words.length;
  if (rest > 0) words.push(t("event.more_changes", { count: rest }));
  const sentence = phrase("event.changed", { device: deviceLink(id), changes: words.join(" · ") });
  return by(sentence, (change as { actor_name?: unknown } | undefined)?.actor_name);
}

function wanted(key: TextKey, event: HubEvent): Part[] {
  const command = (event.command ?? {}) as Attributes;
  const words = wantedWords(event.device_id ?? "", command).join(" · ");
  return phrase(key, { device: device(event), wanted: words, why: text(event.message) });
}

/** Of one that only says that it is low, the level is none that was measured. */
function batteryWords(key: "event.battery_low" | "event.battery_good", event: HubEvent): Part[] {
  const about = { device: device(event), percent: valueWords(event.battery_pct as Json) };
  return phrase(event.reported === undefined ? key : `${key}_reported`, about);
}

function activated(event: HubEvent): Part[] {
  const failed = (event.failed ?? []) as { device_id: string; error: string }[];
  const sentence = by(phrase("event.scene", { scene: scene(event) }), event.actor_name);
  if (failed.length === 0) return sentence;
  const missing = failed
    .slice(0, MAX_CHANGES)
    .flatMap(({ device_id }, index) => [index > 0 ? ", " : "", deviceLink(device_id)]);
  return [...sentence, " · ", ...phrase("event.scene_failed", { count: failed.length, devices: missing })];
}

function lost({ from, timestamp, reason }: HubEvent): Part[] {
  if (reason !== undefined) return phrase("event.lost_one", { at: formatTime(timestamp) });
  if (from === undefined) return phrase("event.lost_before", { to: formatTime(timestamp) });
  const [first, last] = [formatTime(String(from)), formatTime(timestamp)];
  return first === last ? phrase("event.lost_at", { at: last }) : phrase("event.lost", { from: first, to: last });
}

/** The words of each type, and its picture. The order is that of the filter. */
const EVENTS: Readonly<Record<string, readonly [AnyIconName, Words]>> = {
  device_state_changed: ["gauge", changes],
  device_availability_changed: [
    "plug",
    (event) => phrase(event.available === true ? "event.available" : "event.unavailable", { device: device(event) }),
  ],
  device_attributes_unavailable: [
    "plug",
    (event) => {
      const names = (event.unavailable ?? []) as string[];
      const key = names.length > 0 ? "event.parts_unavailable" : "event.parts_available";
      return phrase(key, { device: device(event), names: names.slice(0, MAX_CHANGES).join(", ") });
    },
  ],
  device_action: ["button", (event) => phrase("event.action", { device: device(event), action: text(event.action) })],
  device_command_sent: ["power", (event) => by(wanted("event.command", event), event.actor_name)],
  device_command_failed: ["alert", (event) => wanted("event.command_failed", event)],
  device_battery_low: ["battery", (event) => batteryWords("event.battery_low", event)],
  device_battery_recovered: ["battery", (event) => batteryWords("event.battery_good", event)],
  device_name_changed: [
    "pencil",
    (event) =>
      phrase("event.renamed", { device: device(event), before: text(event.previous_name), name: text(event.name) }),
  ],
  device_attribute_renamed: [
    "pencil",
    (event) =>
      phrase("event.attribute_renamed", {
        ...{ device: device(event), before: text(event.previous_name), name: text(event.name) },
      }),
  ],
  timer_state_changed: [
    "timer",
    (event) =>
      phrase("event.timer", {
        device: device(event),
        state: textFor(`timer_event.${event.state}`) ?? text(event.state),
      }),
  ],
  mode_changed: [
    "mode",
    (event) => phrase(event.on === true ? "event.mode_on" : "event.mode_off", { mode: text(event.mode_name) }),
  ],
  rule_fired: [
    "workflow",
    (event) => phrase("event.rule", { rule: rule(event), why: text(event.trigger_label || event.trigger_type) }),
  ],
  action_failed: ["alert", (event) => phrase("event.action_failed", { rule: rule(event), error: text(event.error) })],
  rule_run_ended: [
    "alert",
    (event) => phrase("event.rule_run_ended", { rule: rule(event), reason: text(event.reason) }),
  ],
  scene_activated: ["scene", activated],
  hub_variable_changed: [
    "variable",
    (event) =>
      phrase(event.previous_value == null ? "event.variable_first" : "event.variable", {
        name: { text: text(event.name), href: `/variables?edit=${encodeURIComponent(String(event.name))}` },
        value: valueWords(event.value as Json),
        before: valueWords(event.previous_value as Json),
      }),
  ],
  notification_queued: ["bell", (event) => phrase("event.queued", about(event))],
  notification_delivered_late: ["bell", (event) => phrase("event.late", about(event))],
  notification_given_up: ["alert", (event) => phrase("event.given_up", about(event))],
  notification_recipient_refused: [
    "alert",
    (event) => phrase("event.recipient_refused", { ...about(event), recipient: text(event.recipient) }),
  ],
  notification_acknowledged: [
    "check",
    (event) =>
      phrase(event.action === "acknowledge" ? "event.answered" : "event.answered_with", {
        who: text(event.by),
        title: text(event.title),
        action: text(event.action),
      }),
  ],
  notification_unanswered: ["alert", (event) => phrase("event.unanswered", { title: text(event.title) })],
  webhook_received: ["activity", (event) => phrase("event.webhook", { path: text(event.path) })],
  plugin_registered: ["plugin", (event) => phrase("event.plugin_registered", plugin(event))],
  plugin_offline: ["alert", (event) => phrase("event.plugin_offline", plugin(event))],
  plugin_status_changed: ["plugin", (event) => phrase("event.plugin_status", plugin(event))],
  plugin_heartbeat: ["plugin", (event) => phrase("event.plugin_heartbeat", plugin(event))],
  plugin_action: ["plugin", (event) => phrase("event.plugin_action", { ...plugin(event), action: text(event.action) })],
  system_started: ["house", (event) => phrase("event.started", { version: text(event.version) })],
  system_safe_start: ["alert", (event) => phrase("event.safe_start", { error: text(event.error) })],
  alert: [
    "alert",
    (event) => {
      const { message, mend } = alertInWords(event as unknown as Alert);
      return phrase(event.state === "cleared" ? "event.alert_over" : "event.alert", {
        message: text(message),
        mend: text(mend),
      });
    },
  ],
  system_took_over: [
    "house",
    (event) => phrase("event.took_over", { lost: text(event.lost_secs), gone: text(event.gone_secs) }),
  ],
  standby_connected: ["house", (event) => phrase("event.standby_connected", { name: text(event.name) })],
  standby_lost: ["alert", (event) => phrase("event.standby_lost", { name: text(event.name) })],
  backup_failed: ["alert", (event) => phrase("event.backup_failed", { reason: text(event.reason) })],
  backup_copied: ["alert", (event) => phrase("event.backup_copied", { target: text(event.target) })],
  backup_copy_failed: [
    "alert",
    (event) => phrase("event.backup_copy_failed", { target: text(event.target), reason: text(event.reason) }),
  ],
  limit_reached: [
    "alert",
    (event) => phrase("event.limit", { who: text(event.account), message: text(event.message) }),
  ],
  stream_gap: ["alert", lost],
};

/** Those that can be asked for. */
export const EVENT_TYPES: readonly string[] = Object.keys(EVENTS).filter((type) => type !== "stream_gap");

function about({ channel, title, waited_secs, error }: HubEvent): Record<string, Part> {
  return {
    channel: text(channel),
    title: text(title),
    secs: valueWords((waited_secs ?? 0) as Json),
    error: text(error),
  };
}

function plugin({ plugin_id, status, stage, reason }: HubEvent): Record<string, Part> {
  const state = status ?? stage;
  return {
    plugin: link("/plugins", plugin_id, plugin_id),
    state: textFor(`plugin_state.${state}`) ?? text(state),
    reason: text(reason),
  };
}

/** What a type is called; that of a custom event without the beginning all of them have. */
export function typeWords(type: string): string {
  return textFor(`type.${type}`) ?? attributeWords(type.replace(/^custom_/, ""));
}

export function iconOfEvent({ type }: HubEvent): AnyIconName {
  return EVENTS[type]?.[0] ?? "unknown";
}

export function eventInWords(event: HubEvent): Part[] {
  const known = EVENTS[event.type]?.[1];
  if (known) return known(event);
  const fields = ownFields(event).slice(0, 2 * MAX_CHANGES);
  const words = fields.map(([name, value]) => `${attributeWords(name)} ${valueWords(value)}`).join(" · ");
  const what = phrase("event.other", { type: typeWords(event.type), fields: words });
  return event.device_id === undefined ? what : [deviceLink(event.device_id), ": ", ...what];
}

/** The fields of an event beside those that all have. */
export function ownFields(event: HubEvent): [string, Json][] {
  return Object.entries(event).filter(([name]) => !ENVELOPE.has(name)) as [string, Json][];
}
