// What must hold for a rule to run, as clauses after "When" and "if".
import type { Part } from "../../../model/rules/rule.ts";
import * as plain from "../../../model/rules/rule-text.ts";
import { isolated } from "../../../model/rules/rule-text.ts";
import { t } from "../../../texts/index.ts";
import { deviceName, nameOf } from "./rule-names.ts";
import { unknownWords } from "./rule-vocabulary.ts";
import * as words from "./rule-words.ts";

const OPPOSITE: Readonly<Record<string, string>> = { Eq: "Ne", Ne: "Eq", Gt: "Lte", Gte: "Lt", Lt: "Gte", Lte: "Gt" };

/** Undefined for a kind that this page does not know. */
export function ifOf(spec: Part): string | undefined {
  return Object.hasOwn(CLAUSES, spec.type) ? CLAUSES[spec.type]?.(spec) : undefined;
}

/** Several conditions that must all hold. */
export function allOf(conditions: readonly Part[]): string {
  return plain.listed(conditions.map(inWords));
}

function inWords(spec: Part): string {
  return ifOf(spec) ?? unknownWords("conditions", spec);
}

const inside = (spec: Part): Part[] => (spec.conditions as unknown as Part[] | undefined) ?? [];

const CLAUSES: Readonly<Record<string, (spec: Part) => string>> = {
  device_state: deviceState,
  time_elapsed: (spec) =>
    t("if.unchanged", {
      what: words.attributeOf(undefined, plain.text(spec.attribute), words.targetWords(spec, "disjunction")),
      time: plain.span(spec.duration_secs),
    }),
  time_window({ start, end, days }) {
    const between = { start: plain.text(start), end: plain.text(end) };
    return days === undefined
      ? t("if.window", between)
      : t("if.window_days", { ...between, days: plain.dayWords(days) });
  },
  mode_is: ({ mode_id, on }) =>
    t(on === false ? "if.mode_off" : "if.mode_on", { mode: nameOf("mode", plain.text(mode_id)) }),
  hub_variable: (spec) =>
    t("if.compare", {
      what: t("when.variable", { name: isolated(plain.text(spec.name)) }),
      comparison: words.comparison("op", spec),
    }),
  sun: ({ position }) => t(position === "above_horizon" ? "if.light" : "if.dark"),
  and: (spec) => grouped(plain.listed(inside(spec).map(inWords))),
  or: (spec) => grouped(plain.listed(inside(spec).map(inWords), "disjunction")),
  xor: (spec) => t("if.one_of", { clauses: inside(spec).map(inWords).join("; ") }),
  not: negated,
  trigger_is: ({ ids, id }) =>
    t("if.trigger", {
      trigger: plain.listed(
        [ids ?? id ?? ""].flat().map((one) => plain.quoted(one)),
        "disjunction",
      ),
    }),
  calendar_active: ({ calendar, title }) =>
    t("if.calendar", { calendar: deviceName(plain.text(calendar)), what: words.eventWords(title) }),
  private_boolean_is: ({ name, value }) =>
    t(value === false ? "if.private_false" : "if.private_true", { name: plain.quoted(name) }),
  device_last_change(spec) {
    const { actor_name, actor_id, source, kind } = spec;
    const by = [actor_name ?? actor_id, source, kind].filter((one) => one !== undefined && one !== null);
    const what = by.map((one) => plain.quoted(one)).join(", ");
    return t("if.last_change", { device: words.targetWords(spec, "disjunction"), what });
  },
  expression: formula,
  script_expression: formula,
};

function grouped(text: string): string {
  return t("rule.group", { inside: text });
}

function formula({ expression }: Part): string {
  return t("rule.formula", { text: plain.quoted(expression) });
}

function deviceState(spec: Part): string {
  const ids = plain.devicesOf(spec);
  const attribute = plain.text(spec.attribute);
  const { op = "Eq", value } = spec;
  const isPlain = typeof value === "boolean" && (op === "Eq" || op === "Ne");
  const who = words.targetWords(spec, spec.match === "any" ? "disjunction" : "conjunction");
  const own = isPlain && words.stateWords("is", { who, ids, attribute, value: op === "Eq" ? value : !value });
  if (own) return own;
  const about = { device: ids?.[0] ?? "", attribute };
  return t("if.compare", {
    what: words.attributeOf(ids, attribute, who),
    comparison: words.comparison("op", { op, value }, about),
  });
}

/** Simple ones are turned round, which reads better than a "not" before them. */
function negated(spec: Part): string {
  const [only, ...more] = spec.condition ? [spec.condition as unknown as Part] : inside(spec);
  if (only === undefined) return "";
  const opposite = more.length === 0 ? oppositeOf(only) : undefined;
  if (opposite) return inWords(opposite);
  return t("if.not", { clause: plain.listed([only, ...more].map(inWords), "disjunction") });
}

function oppositeOf(spec: Part): Part | undefined {
  switch (spec.type) {
    case "mode_is":
      return { ...spec, on: spec.on === false };
    case "sun":
      return { ...spec, position: spec.position === "above_horizon" ? "below_horizon" : "above_horizon" };
    case "device_state":
    case "hub_variable":
      return { ...spec, op: OPPOSITE[plain.text(spec.op ?? "Eq")] ?? "Ne" };
    default:
      return undefined;
  }
}
