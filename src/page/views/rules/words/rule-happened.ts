// What set a rule off, and what its actions did, as a trace shows them.

import type { Attributes, Json } from "../../../model/device/json.ts";
import { heldBackWords } from "../../../model/rules/renamed-words.ts";
import type { ActionTrace, Part, Trace } from "../../../model/rules/rule.ts";
import * as plain from "../../../model/rules/rule-text.ts";
import { isolated } from "../../../model/rules/rule-text.ts";
import { formatTime, t } from "../../../texts/index.ts";
import { doOf, setWords } from "./rule-actions.ts";
import { headlineOf } from "./rule-found.ts";
import { deviceName, nameOf } from "./rule-names.ts";
import { pressWords } from "./rule-triggers.ts";
import * as words from "./rule-words.ts";

export function triggerWords({ type, label, context }: Trace["trigger"]): string {
  return (Object.hasOwn(HAPPENED, type) ? HAPPENED[type]?.(context) : undefined) ?? withNames(label, context);
}

type Describe = (context: Attributes) => string | undefined;

const scheduled: Describe = ({ scheduled_at: at }) =>
  typeof at === "string" ? t("did.scheduled", { time: formatTime(at) }) : undefined;

const HAPPENED: Readonly<Record<string, Describe>> = {
  device_state_changed: changed,
  numeric_threshold: changed,
  timer_state_changed: changed,
  device_availability_changed: ({ device_id, available }) =>
    typeof available === "boolean"
      ? t(available ? "did.available" : "did.unavailable", { device: deviceName(plain.text(device_id)) })
      : undefined,
  button_event: (context) => pressed(context, context.event),
  device_action: (context) => pressed(context, context.action),
  cron: scheduled,
  time_of_day: scheduled,
  sun_event: scheduled,
  periodic: scheduled,
  mode_changed: ({ mode_id, on }) =>
    typeof on === "boolean"
      ? t(on ? "did.mode_on" : "did.mode_off", { mode: nameOf("mode", plain.text(mode_id)) })
      : undefined,
  hub_variable_changed: ({ name, value, previous }) =>
    typeof name === "string" ? became(t("found.variable", { name: isolated(name) }), { value, previous }) : undefined,
  device_battery_low: battery,
  device_battery_recovered: battery,
  mqtt_message: ({ topic }) => (topic === undefined ? undefined : t("did.mqtt", { topic: plain.quoted(topic) })),
  webhook_received: ({ path }) => (path === undefined ? undefined : t("did.webhook", { path: plain.quoted(path) })),
  custom_event: ({ event_type }) =>
    event_type === undefined ? undefined : t("did.custom_event", { type: plain.quoted(event_type) }),
  notification_acknowledged({ title, by }) {
    const name = isolated(plain.text(title));
    return typeof by === "string"
      ? t("did.answered", { who: isolated(by), title: name })
      : t("did.unanswered", { title: name });
  },
  calendar_event: ({ title, event }) => {
    const name = plain.text(title);
    return name === ""
      ? undefined
      : t(event === "end" ? "did.calendar_end" : "did.calendar_start", { name: isolated(name) });
  },
  system_started: () => t("did.started"),
  plugin_offline: ({ plugin_id }) => t("did.plugin_offline", { name: isolated(plain.text(plugin_id)) }),
  manual_trigger({ actor_name, rule_name }) {
    if (typeof rule_name === "string") return t("did.by_rule", { name: isolated(rule_name) });
    return typeof actor_name === "string" ? t("did.by_person", { name: isolated(actor_name) }) : t("did.by_hand");
  },
};

function changed({ device_id: device, attribute, value, previous }: Attributes): string | undefined {
  if (typeof device !== "string" || typeof attribute !== "string") return undefined;
  const own = words.stateWords("did", { who: deviceName(device), ids: [device], attribute, value });
  return own ?? became(words.attributeOf([device], attribute), { value, previous }, { device, attribute });
}

function became(
  what: string,
  { value, previous }: { value: Json | undefined; previous: Json | undefined },
  about: { device?: string; attribute?: string } = {},
): string {
  const shown = words.valueWords(value, about);
  if (previous === undefined || previous === null) return t("did.becomes", { what, value: shown });
  return t("did.becomes_from", { what, value: shown, before: words.valueWords(previous, about) });
}

function pressed({ device_id: device, button }: Attributes, event: Json | undefined): string | undefined {
  if (typeof device !== "string" || event === undefined) return undefined;
  return t("did.pressed", { device: deviceName(device), press: pressWords(event, button) });
}

function battery({ device_id: device, battery_pct: level, reported }: Attributes): string | undefined {
  if (typeof device !== "string" || level === undefined) return undefined;
  // The level then only stands for what it says.
  if (reported !== undefined) return t("did.battery_reported", { device: deviceName(device) });
  const value = words.valueWords(level, { device, attribute: "battery_pct" });
  return t("did.battery", { device: deviceName(device), value });
}

/** The hub's own label has ids. */
function withNames(label: string, { device_id: device }: Attributes): string {
  return typeof device === "string" ? label.replaceAll(device, () => deviceName(device)) : label;
}

/** `spec`: the action in the rule, which says what it is about before it is over. */
export function actionWords({ type, detail }: ActionTrace, spec: Part | undefined): string {
  const described = detail === undefined ? undefined : describedIn(type, detail);
  const planned = spec?.type === type ? doOf(spec) : undefined;
  const name = type.replaceAll("_", " ");
  return described ?? planned ?? (detail === undefined ? name : `${name}: ${plain.quoted(detail)}`);
}

function describedIn(type: string, detail: string): string | undefined {
  switch (type) {
    case "set_device_state":
    case "set_device_state_per_mode": {
      const [, ids, state] = /^([^{]+) (\{.*?\})(?:: .*)?$/s.exec(detail) ?? [];
      const wanted = jsonOf(state);
      return ids === undefined || wanted === undefined ? undefined : setWords(ids.split(", "), wanted);
    }
    case "delay": {
      const [, seconds] = /^([\d.]+) s$/.exec(detail) ?? [];
      return seconds === undefined ? undefined : t("do.wait", { time: plain.duration(Number(seconds)) });
    }
    case "notify": {
      const [, channel, message] = /^([^:]+): (.*)$/s.exec(detail) ?? [];
      return channel === undefined ? undefined : doOf({ type, channel, message });
    }
    default:
      return undefined;
  }
}

function jsonOf(text = ""): Attributes | undefined {
  try {
    return JSON.parse(text) as Attributes;
  } catch {
    return undefined;
  }
}

/** What kept it from running, but for its conditions. */
export function refusalWords({ outcome, why }: Trace): string | undefined {
  if (outcome === "fired" || outcome === "conditions_failed") return undefined;
  return (outcome === "paused" ? heldBackWords(why) : undefined) ?? t(`why.${outcome}`);
}

/** One sentence: why it ran, or the first reason why it did not. */
export function outcomeWords(trace: Trace): string {
  const { outcome, conditions, actions } = trace;
  if (outcome === "conditions_failed") {
    const cross = conditions.find(({ passed }) => !passed);
    const why = cross ? headlineOf(cross) : trace.why;
    return t(trace.dry_run ? "why.would_not_run" : "why.did_not_run", { why });
  }
  const refusal = refusalWords(trace);
  if (refusal !== undefined) return t("why.did_not_run", { why: refusal });
  if (trace.dry_run) return t("why.would_run");
  const failed = actions.filter(({ result }) => result === "failed").length;
  if (failed > 0) return t("why.ran_with_failures", { count: failed });
  if (trace.ended_at === null) return t("why.running");
  return t(actions.some(({ result }) => result === "cancelled") ? "why.cancelled" : "why.ran");
}
