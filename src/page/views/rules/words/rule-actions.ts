// What rules do, as clauses that can stand alone.

import type { Attributes, Json } from "../../../model/device/json.ts";
import type { Fields, Part } from "../../../model/rules/rule.ts";
import * as plain from "../../../model/rules/rule-text.ts";
import { isolated } from "../../../model/rules/rule-text.ts";
import type { TextKey } from "../../../texts/catalogue.ts";
import { t } from "../../../texts/index.ts";
import { allOf } from "./rule-conditions.ts";
import { nameOf } from "./rule-names.ts";
import { whenOf } from "./rule-triggers.ts";
import { unknownWords } from "./rule-vocabulary.ts";
import * as words from "./rule-words.ts";

/** One after the other, in one sentence. Switched-off ones are left out. */
export function thenOf(actions: readonly Part[]): string {
  const clauses: string[] = [];
  const live = actions.filter(({ enabled }) => enabled !== false);
  for (let at = 0; at < live.length; at++) {
    const action = live[at];
    if (action === undefined) break;
    const secs = goesOffAgain(live.slice(at, at + 3));
    const clause = doOf(action) ?? unknownWords("actions", action);
    clauses.push(secs === undefined ? clause : t("do.for", { clause, time: plain.duration(secs) }));
    if (secs !== undefined) at += 2;
  }
  const [first, ...rest] = clauses;
  if (first === undefined) return t("rule.nothing");
  return rest.reduce((before, next) => t("rule.then", { first: before, next }), first);
}

/** On, a wait, and off again: "for five minutes". */
function goesOffAgain([on, wait, off]: readonly Part[]): number | undefined {
  if (on?.type !== "set_device_state" || wait?.type !== "delay" || off?.type !== "set_device_state") return undefined;
  const [first, last] = [on.state as Attributes | undefined, off.state as Attributes | undefined];
  const isSame = words.targetWords(on) === words.targetWords(off);
  return isSame && first?.on === true && last?.on === false ? plain.secondsOf(wait.duration_secs) : undefined;
}

/** Undefined for a kind that this page does not know. */
export function doOf(spec: Part): string | undefined {
  return Object.hasOwn(CLAUSES, spec.type) ? CLAUSES[spec.type]?.(spec) : undefined;
}

const inside = (value: Json | undefined): string => thenOf((value as unknown as Part[] | undefined) ?? []);
const formula = (value: Json | undefined): string => plain.quoted(value);
const rule = ({ rule_id }: Part): string => nameOf("rule", plain.text(rule_id));

const CLAUSES: Readonly<Record<string, (spec: Part) => string>> = {
  set_device_state: (spec) =>
    spec.state === undefined
      ? t("do.computed", { device: words.targetWords(spec), text: formula(spec.expression) })
      : setWords(plain.devicesOf(spec) ?? [], spec.state as Attributes, words.targetWords(spec)),
  delay: ({ duration_secs, expression }) =>
    duration_secs === undefined || duration_secs === null
      ? t("do.wait_computed", { text: formula(expression) })
      : t("do.wait", { time: plain.span(duration_secs) }),
  delay_per_mode: ({ delays, durations, modes }) =>
    t("do.delay_per_mode", { modes: modesIn(delays ?? durations ?? modes) }),
  notify: ({ channel, channels, message }) =>
    t("do.notify", {
      message: plain.quoted(message),
      channel: plain.listed([channels ?? channel ?? ""].flat().map((one) => channelWords(plain.text(one)))),
    }),
  choose: chosen,
  set_variable: ({ name, value, expression }) =>
    t("do.run_variable", {
      name: isolated(plain.text(name)),
      value: expression === undefined ? words.valueWords(value) : formula(expression),
    }),
  wait_for_trigger: ({ triggers, trigger, timeout_secs }) => {
    const all = (triggers ?? trigger ?? []) as unknown as Part | Part[];
    const what = plain.listed(
      [all].flat().map((one) => whenOf(one) ?? unknownWords("triggers", one)),
      "disjunction",
    );
    return timeout_secs === undefined || timeout_secs === null
      ? t("do.wait_trigger", { what })
      : t("do.wait_trigger_for", { what, time: plain.span(timeout_secs) });
  },
  stop_rule_chain: () => t("do.stop_chain"),
  ping_host({ host, then_actions, else_actions }) {
    const ask = t("do.ping", { host: plain.quoted(host) });
    const answers = Array.isArray(then_actions) && t("do.if_answers", { does: inside(then_actions) });
    const silent = Array.isArray(else_actions) && t("do.if_silent", { does: inside(else_actions) });
    return [ask, answers, silent].filter(Boolean).join("; ");
  },
  cancel_rule_timers: (spec) =>
    spec.rule_id === undefined ? t("do.cancel_own_delays") : t("do.cancel_delays", { rule: rule(spec) }),
  set_private_boolean: ({ name, value }) =>
    t("do.private_boolean", { name: plain.quoted(name), value: words.valueWords(value) }),
  parallel: ({ actions }) => t("do.parallel", { actions: inside(actions) }),
  activate_scene: ({ scene_id }) => t("do.scene", { scene: nameOf("scene", plain.text(scene_id)) }),
  set_mode({ mode_id, on, toggle }) {
    const key = toggle === true ? "do.mode_toggle" : on === false ? "do.mode_off" : "do.mode_on";
    return t(key, { mode: nameOf("mode", plain.text(mode_id)) });
  },
  set_hub_variable: ({ name, value, expression }) =>
    t("do.variable", {
      name: isolated(plain.text(name)),
      value: expression === undefined ? words.valueWords(value) : formula(expression),
    }),
  timer: timerWords,
  wait_for_event: ({ event_type }) => t("do.wait_event", { type: plain.quoted(event_type) }),
  wait_for_expression: ({ expression }) => t("do.wait_until", { text: formula(expression) }),
  conditional: branches,
  repeat_count: ({ count, actions }) => t("do.repeat", { count: plain.text(count), actions: inside(actions) }),
  repeat_while: ({ expression, actions }) =>
    t("do.repeat_while", { text: formula(expression), actions: inside(actions) }),
  repeat_until: ({ expression, actions }) =>
    t("do.repeat_until", { text: formula(expression), actions: inside(actions) }),
  fire_event: ({ event_type }) => t("do.event", { type: plain.quoted(event_type) }),
  publish_mqtt: ({ topic }) => t("do.publish", { topic: plain.quoted(topic) }),
  call_service: ({ url }) => t("do.call", { host: isolated(hostOf(plain.text(url))) }),
  run_rule(spec) {
    const clause = t("do.run_rule", { rule: rule(spec) });
    const handed = Object.entries((spec.parameters as Attributes | undefined) ?? {});
    if (handed.length === 0) return clause;
    const values = handed.map(([name, value]) =>
      t("do.value", { attribute: isolated(name), value: words.valueWords(value) }),
    );
    return t("do.handed", { clause, values: plain.listed(values) });
  },
  pause_rule: (spec) =>
    spec.duration_secs === undefined || spec.duration_secs === null
      ? t("do.pause_rule", { rule: rule(spec) })
      : t("do.pause_rule_for", { rule: rule(spec), time: plain.span(spec.duration_secs) }),
  resume_rule: (spec) => t("do.resume_rule", { rule: rule(spec) }),
  cancel_delays: (spec) => t("do.cancel_delays", { rule: rule(spec) }),
  capture_device_state: (spec) => t("do.capture", { device: words.targetWords(spec) }),
  restore_device_state: ({ key }) => t("do.restore", { key: plain.quoted(key) }),
  fade_device(spec) {
    const attribute = plain.text(spec.attribute);
    const [device = ""] = plain.devicesOf(spec) ?? [];
    return t("do.fade", {
      what: words.attributeOf(plain.devicesOf(spec), attribute, words.targetWords(spec)),
      value: words.valueWords(spec.to, { device, attribute }),
      time: plain.span(spec.duration_secs),
    });
  },
  set_device_state_per_mode: (spec) =>
    t("do.per_mode", { device: words.targetWords(spec), modes: modesIn(spec.states) }),
  activate_scene_per_mode: ({ scenes }) => t("do.scene_per_mode", { modes: modesIn(scenes) }),
  log_message: ({ message }) => t("do.log", { message: plain.quoted(message) }),
  exit_rule: () => t("do.exit"),
  comment: ({ text }) => t("do.comment", { text: plain.quoted(text) }),
};

/** `Hall lamp goes on (60 %)`. */
export function setWords(ids: readonly string[], state: Attributes, device = words.deviceWords(ids)): string {
  const { on, locked, command, ...rest } = state;
  const values = valuesOf(ids, rest);
  const key = mainKey({ on, locked, command }, ids.length > 1);
  if (key === undefined)
    return command === undefined
      ? t("do.set", { device, values })
      : t("do.command", { device, command: plain.quoted(command) });
  const clause = t(key, { device });
  return values === "" ? clause : t("do.with", { clause, values });
}

function mainKey({ on, locked, command }: Fields, many: boolean): TextKey | undefined {
  if (typeof on === "boolean") return many ? (on ? "do.on_many" : "do.off_many") : on ? "do.on" : "do.off";
  if (typeof locked === "boolean") return locked ? "do.locked" : "do.unlocked";
  return command === "toggle" ? "do.toggle" : undefined;
}

/** A level needs no name: it is a lamp's, or a blind's. */
function valuesOf(ids: readonly string[], values: Attributes): string {
  const [device = ""] = ids;
  return Object.entries(values)
    .map(([attribute, value]) => {
      const shown = words.valueWords(value, { device, attribute });
      if (attribute === "brightness" || attribute === "brightness_pct" || attribute === "position") return shown;
      return t("do.value", { attribute: plain.attributeWords(attribute), value: shown });
    })
    .join(", ");
}

function channelWords(channel: string): string {
  return channel === "all" ? t("do.channel_all") : channel === "log" ? t("do.channel_log") : nameOf("channel", channel);
}

function timerWords(spec: Part): string {
  const clause = timerClause(spec);
  const notes = [spec.repeat === true ? t("do.again") : undefined, spec.label && plain.quoted(spec.label)];
  const values = notes.filter(Boolean).join(", ");
  return values === "" ? clause : t("do.with", { clause, values });
}

function timerClause({ device_id, command, duration_secs }: Part): string {
  const device = words.deviceWords([plain.text(device_id)]);
  if (command === "start" && duration_secs !== undefined && duration_secs !== null)
    return t("do.timer_start_for", { device, time: plain.span(duration_secs) });
  return t(`do.timer_${plain.text(command)}` as TextKey, { device });
}

function branches(spec: Part): string {
  const all = [spec, ...((spec.else_if as unknown as Part[] | undefined) ?? [])].map(
    ({ condition, conditions, then_actions }) =>
      t("do.if", {
        if:
          condition === undefined
            ? allOf((conditions as unknown as Part[] | undefined) ?? [])
            : t("rule.formula", { text: formula(condition) }),
        does: inside(then_actions),
      }),
  );
  if (spec.else_actions !== undefined) all.push(inside(spec.else_actions));
  return all.reduce((first, next) => t("do.else", { first, next }));
}

/** The first that fits of several. */
function chosen(spec: Part): string {
  const options = ((spec.options ?? spec.choices ?? spec.cases ?? []) as unknown as Part[]).map((option) =>
    t("do.if", { if: choiceWords(option), does: inside(option.actions ?? option.then_actions) }),
  );
  const otherwise = spec.default ?? spec.otherwise ?? spec.else_actions;
  if (Array.isArray(otherwise) && otherwise.length > 0) options.push(inside(otherwise));
  const [first = t("rule.nothing"), ...rest] = options;
  return rest.reduce((before, next) => t("do.else", { first: before, next }), first);
}

function choiceWords({ condition, conditions, when, expression }: Part): string {
  const formulaText = [condition, when, expression].find((one) => typeof one === "string");
  if (formulaText !== undefined) return t("rule.formula", { text: formula(formulaText) });
  return allOf([conditions ?? condition ?? when ?? []].flat() as unknown as Part[]);
}

function modesIn(table: Json | undefined): string {
  return Object.keys((table as Attributes | undefined) ?? {})
    .map((mode) => nameOf("mode", mode))
    .join(", ");
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
