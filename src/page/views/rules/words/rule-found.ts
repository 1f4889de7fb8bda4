// What a rule's condition wanted and what it found, in words. A trace has the hub's own text of both, as it was at that
// moment; where that has another form than those known here, it is shown as it is.
import type { Json } from "../../../model/device/json.ts";
import type { ConditionTrace } from "../../../model/rules/rule.ts";
import * as plain from "../../../model/rules/rule-text.ts";
import { isolated } from "../../../model/rules/rule-text.ts";
import { t } from "../../../texts/index.ts";
import { nameOf } from "./rule-names.ts";
import * as words from "./rule-words.ts";

/** `{what} was {found}, wanted {wanted}`. */
export interface Found {
  what: string;
  found: string;
  wanted: string;
}

/** What it asks for does not exist: `actual` says so. */
export function isUnknown({ passed, actual, type }: ConditionTrace): boolean {
  const says = /^(there is no (device|mode|variable) "|the device ".* has no "|no change of ")/s;
  return !passed && typeof actual === "string" && Object.hasOwn(READERS, type) && says.test(actual);
}

/** One condition in a sentence. */
export function foundWords(trace: ConditionTrace): string {
  const found = { ...foundIn(trace) };
  if (trace.error !== undefined) return t("why.failed", found);
  if (isUnknown(trace)) return t("why.unknown", found);
  return t(trace.passed ? "why.fits" : "why.was", found);
}

type Reader = (trace: ConditionTrace) => Found | undefined;

const OPS: Readonly<Record<string, string>> = {
  is: "Eq",
  "is not": "Ne",
  "is above": "Gt",
  "is at least": "Gte",
  "is below": "Lt",
  "is at most": "Lte",
};
const COMPARISON = "(is not|is above|is at least|is below|is at most|is) (.*)$";

const READERS: Readonly<Record<string, Reader>> = {
  device_state: deviceState,
  time_elapsed: unchanged,
  time_window: timeWindow,
  mode_is({ expected, actual }) {
    const [, mode, state] = /^mode (.+) is (on|off)$/s.exec(expected) ?? [];
    if (mode === undefined) return undefined;
    const inWords = (value: Json): string =>
      value === "on" || value === "off" ? t(`kind.on.${value === "on"}`) : isolated(plain.text(value));
    return { what: nameOf("mode", mode), found: inWords(actual), wanted: inWords(state ?? "") };
  },
  hub_variable({ expected, actual }) {
    const [, name, op, value] = new RegExp(`^variable (.+?) ${COMPARISON}`, "s").exec(expected) ?? [];
    if (name === undefined) return undefined;
    const wanted = words.comparison("wanted", { op: OPS[op ?? ""], value: parsed(value) });
    return { what: t("found.variable", { name: isolated(name) }), found: words.valueWords(actual), wanted };
  },
  sun({ expected, actual }) {
    const light = (text: unknown): string => t(plain.text(text).includes("above") ? "found.light" : "found.dark");
    if (!/^(above|below) the horizon$/.test(plain.text(actual))) return undefined;
    return { what: t("found.it"), found: light(actual), wanted: light(expected) };
  },
  expression: formula,
  script_expression: formula,
  trigger_condition: formula,
  required_expression: formula,
};

export function foundIn(trace: ConditionTrace): Found {
  const known = Object.hasOwn(READERS, trace.type) ? READERS[trace.type]?.(trace) : undefined;
  return (
    known ?? {
      what: trace.type.replaceAll("_", " "),
      found: plain.quoted(trace.actual),
      wanted: plain.quoted(trace.expected),
    }
  );
}

/** The first cross, in one sentence; of conditions that hold others, the innermost that decides. */
export function headlineOf(trace: ConditionTrace): string {
  const { type, parts = [] } = trace;
  const decisive = parts.find(({ passed }) => passed === (type === "not"));
  if (decisive === undefined) return foundWords(trace);
  const inner = headlineOf(decisive);
  if (type === "not") return t("why.must_not", { ...foundIn(decisive) });
  return type === "and" || parts.length === 1 ? inner : t("why.none_of", { first: inner });
}

function deviceState({ expected, actual }: ConditionTrace): Found | undefined {
  const [, device, attribute, op, value] = new RegExp(`^(.+)\\.([^.\\s]+) ${COMPARISON}`, "s").exec(expected) ?? [];
  if (device === undefined || attribute === undefined) return undefined;
  const about = { device, attribute };
  const wanted = parsed(value);
  return {
    what: words.attributeOf([device], attribute),
    found: words.valueWords(actual, about),
    wanted:
      typeof wanted === "boolean" && op === "is"
        ? words.valueWords(wanted, about)
        : words.comparison("wanted", { op: OPS[op ?? ""], value: wanted }, about),
  };
}

function unchanged({ expected, actual }: ConditionTrace): Found | undefined {
  const [, device, attribute, wanted] = /^(.+)\.([^.\s]+) unchanged for at least ([\d.]+) s$/s.exec(expected) ?? [];
  if (device === undefined || attribute === undefined) return undefined;
  const [, elapsed] = /^unchanged for ([\d.]+) s$/.exec(plain.text(actual)) ?? [];
  return {
    what: words.attributeOf([device], attribute),
    found:
      elapsed === undefined ? plain.quoted(actual) : t("found.unchanged", { time: plain.duration(Number(elapsed)) }),
    wanted: words.comparison("wanted", { op: "Gte", value: `${plain.duration(Number(wanted))}` }),
  };
}

function timeWindow({ expected, actual }: ConditionTrace): Found | undefined {
  const [, start, end, days] = /^([\d:]+)–([\d:]+)(?: on ([\w, ]+))?$/.exec(expected) ?? [];
  const [, day, time] = /^(\w{3}) ([\d:]{8})$/.exec(plain.text(actual)) ?? [];
  if (start === undefined || day === undefined) return undefined;
  const window = `${start}–${end}`;
  return {
    what: t("found.it"),
    found: `${plain.dayWords([day])} ${time}`,
    wanted: days === undefined ? window : `${window} (${plain.dayWords(days.split(", "))})`,
  };
}

function formula({ expected, actual }: ConditionTrace): Found {
  return {
    what: t("found.formula", { text: plain.quoted(expected) }),
    found: words.valueWords(actual),
    wanted: t("state.yes"),
  };
}

/** The hub shortens long values, which are no JSON then. */
function parsed(text = ""): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
