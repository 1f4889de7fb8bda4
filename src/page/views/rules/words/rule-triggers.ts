// What sets rules off, as clauses after "When".

import type { Json } from "../../../model/device/json.ts";
import type { Part } from "../../../model/rules/rule.ts";
import * as plain from "../../../model/rules/rule-text.ts";
import { isolated } from "../../../model/rules/rule-text.ts";
import type { TextKey } from "../../../texts/catalogue.ts";
import { t, textFor } from "../../../texts/index.ts";
import { deviceName, nameOf } from "./rule-names.ts";
import * as words from "./rule-words.ts";

type Clause = (spec: Part) => string;

/** Undefined for a kind that this page does not know. */
export function whenOf(spec: Part): string | undefined {
  const clause = Object.hasOwn(CLAUSES, spec.type) ? CLAUSES[spec.type]?.(spec) : undefined;
  const { for_duration_secs: span } = spec;
  if (clause === undefined || span === undefined || span === null || plain.secondsOf(span) === 0) return clause;
  return t("rule.lasting", { clause, time: plain.span(span) });
}

const device = (spec: Part): string => words.targetWords(spec, "disjunction");

const CLAUSES: Readonly<Record<string, Clause>> = {
  device_state_changed: stateChanged,
  device_availability_changed: (spec) =>
    t(
      spec.available === true ? "when.available" : spec.available === false ? "when.unavailable" : "when.availability",
      { device: device(spec) },
    ),
  button_event: (spec) => buttonUsed(spec, spec.event),
  device_action: (spec) => buttonUsed(spec, spec.action),
  numeric_threshold: threshold,
  cron: ({ expression }) => cronWords(plain.text(expression)),
  time_of_day: ({ time, days }) => atTime(plain.text(time), days),
  sun_event: sunEvent,
  periodic: ({ every_secs }) => t("when.every", { time: plain.span(every_secs) }),
  mode_changed({ mode_id, on }) {
    const mode = mode_id === undefined ? t("when.any_mode") : nameOf("mode", plain.text(mode_id));
    return t(on === true ? "when.mode_on" : on === false ? "when.mode_off" : "when.mode", { mode });
  },
  hub_variable_changed(spec) {
    const { name } = spec;
    return change(
      name === undefined ? t("when.any_variable") : t("when.variable", { name: isolated(plain.text(name)) }),
      spec,
    );
  },
  timer_state_changed(spec) {
    const { state } = spec;
    if (state === undefined) return t("when.timer_any", { device: device(spec) });
    const states = (Array.isArray(state) ? state : [state]).map(
      (one) => textFor(`inline.timer.${one}`) ?? plain.text(one),
    );
    return t("when.timer", { device: device(spec), state: plain.listed(states, "disjunction") });
  },
  device_battery_low: (spec) => t("when.battery_low", { device: device(spec) }),
  device_battery_recovered: (spec) => t("when.battery_recovered", { device: device(spec) }),
  mqtt_message(spec) {
    const topic = plain.quoted(spec.topic);
    if (spec.value === undefined) return t("when.mqtt", { topic });
    return t("when.mqtt_value", { topic, comparison: words.comparison("op", spec) });
  },
  webhook_received: ({ path }) => t("when.webhook", { path: plain.quoted(path) }),
  custom_event: ({ event_type }) => t("when.custom_event", { type: plain.quoted(event_type) }),
  notification_acknowledged({ tag, title, action, unanswered }) {
    const named = plain.text(tag ?? title);
    const what = named === "" ? t("when.any_message") : plain.quoted(named);
    if (unanswered === true) return t("when.unanswered", { what });
    if (action === "acknowledge") return t("when.confirmed", { what });
    return action === undefined
      ? t("when.answered", { what })
      : t("when.answered_with", { what, action: plain.quoted(action) });
  },
  system_started: () => t("when.started"),
  plugin_offline: ({ plugin_id }) =>
    plugin_id === undefined
      ? t("when.any_plugin")
      : t("when.plugin_offline", { name: isolated(plain.text(plugin_id)) }),
  manual_trigger: () => t("when.by_hand"),
  calendar_event: calendarEvent,
};

function calendarEvent({ calendar, event, title, offset_minutes: offset = 0 }: Part): string {
  const named = { calendar: deviceName(plain.text(calendar)), what: words.eventWords(title) };
  const clause = t(event === "end" ? "when.calendar_end" : "when.calendar_start", named);
  const minutes = Number(offset);
  if (minutes === 0) return clause;
  const time = plain.duration(Math.abs(minutes) * 60);
  return t(minutes < 0 ? "when.calendar_before" : "when.calendar_after", { time, what: clause });
}

function stateChanged(spec: Part): string {
  const ids = plain.devicesOf(spec);
  if (typeof spec.attribute !== "string") return t("when.changes", { what: device(spec) });
  const { attribute, to } = spec;
  const own =
    spec.from === undefined ? words.stateWords("turn", { who: device(spec), ids, attribute, value: to }) : undefined;
  return own ?? change(words.attributeOf(ids, attribute, device(spec)), spec, { device: ids?.[0] ?? "", attribute });
}

function change(what: string, spec: Part, about: { device?: string; attribute?: string } = {}): string {
  const { to, from, not_to, not_from } = spec;
  const value = words.valueWords(to, about);
  const before = words.valueWords(from ?? not_from, about);
  if (to !== undefined && from !== undefined) return t("when.becomes_from", { what, value, before });
  if (to !== undefined) return t("when.becomes", { what, value });
  if (not_to !== undefined) return t("when.becomes_other", { what, value: words.valueWords(not_to, about) });
  if (from !== undefined) return t("when.leaves", { what, before });
  return t("when.changes", { what });
}

function threshold(spec: Part): string {
  const ids = plain.devicesOf(spec);
  const attribute = plain.text(spec.attribute);
  const what = words.attributeOf(ids, attribute, device(spec));
  const clauses = (["above", "below"] as const).flatMap((side) => {
    const limit = spec[side] ?? spec[`crosses_${side}`];
    if (limit === undefined) return [];
    return [t(`when.${side}`, { what, value: words.valueWords(limit, { device: ids?.[0] ?? "", attribute }) })];
  });
  return plain.listed(clauses, "disjunction");
}

function buttonUsed(spec: Part, event: Json | undefined): string {
  if (event === undefined) return t("when.button_any", { device: device(spec) });
  return t("when.button", { device: device(spec), press: pressWords(event, spec.button) });
}

/** `a double press of button 2`. */
export function pressWords(event: Json | undefined, button: Json | undefined): string {
  const press = textFor(`press.${plain.text(event)}`) ?? plain.quoted(event);
  return button === undefined || button === null
    ? press
    : t("press.button", { press, button: isolated(plain.text(button)) });
}

function atTime(time: string, days: Json | undefined): string {
  return days === undefined ? t("when.time", { time }) : t("when.time_days", { time, days: plain.dayWords(days) });
}

/** The usual ones in words; any other as it is written. */
function cronWords(expression: string): string {
  const [second = "", minute = "", hour = "", day, month, weekday = ""] = expression.trim().toLowerCase().split(/\s+/);
  if (second === "0" && day === "*" && month === "*") {
    if (minute === "*" && hour === "*" && weekday === "*") return t("when.every_minute");
    const [, step] = /^\*\/(\d+)$/.exec(minute) ?? [];
    if (step !== undefined && hour === "*" && weekday === "*")
      return t("when.every", { time: plain.duration(Number(step) * 60) });
    if (/^\d+$/.test(minute) && /^\d+$/.test(hour)) {
      const time = `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
      if (weekday === "*") return t("when.time", { time });
      return t("when.time_days", { time, days: weekdaysOf(weekday) });
    }
  }
  return t("when.cron", { text: plain.quoted(expression) });
}

function weekdaysOf(field: string): string {
  return field
    .split(",")
    .map((part) =>
      part
        .split("-")
        .map((day) => plain.dayWords([day]))
        .join("–"),
    )
    .join(", ");
}

function sunEvent({ event, offset_minutes: offset = 0 }: Part): string {
  const key = `sun.${plain.text(event)}`;
  const name = textFor(key) === undefined ? plain.text(event).replaceAll("_", " ") : t(key as TextKey);
  const minutes = Number(offset);
  if (minutes === 0) return t("when.sun", { event: name });
  const time = plain.duration(Math.abs(minutes) * 60);
  return t(minutes < 0 ? "when.sun_before" : "when.sun_after", { time, event: name });
}
