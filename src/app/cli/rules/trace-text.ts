// One evaluation of a rule as a timeline that can be read: what triggered it, what each condition found, what was done when.
import { isObject, type Json, type JsonObject } from "../../../kit/schema/json.ts";
import { printable } from "../../../kit/text/printable.ts";
import { afterText, type Clockface, type Paint } from "./text.ts";

export interface TraceTextOptions {
  readonly clockface: Clockface;
  readonly paint: Paint;
}

const WORDS: Readonly<Record<string, string>> = {
  fired: "it ran",
  conditions_failed: "it did not run",
  cooldown: "it did not run: too soon after the last time",
  busy: "it did not run: another run was in progress",
  paused: "it did not run: it is paused",
  runaway: "it was stopped: too many runs in a short time",
};
const DRY_WORDS: Readonly<Record<string, string>> = { fired: "it would run", conditions_failed: "it would not run" };

export function traceText(trace: JsonObject, options: TraceTextOptions): string {
  const { clockface, paint } = options;
  const { dry_run, outcome, why, trigger } = trace;
  const words = (dry_run === true ? DRY_WORDS[text(outcome)] : undefined) ?? WORDS[text(outcome)] ?? text(outcome);
  const head = `${clockface.at(text(trace.at))}  ${paint(outcome === "fired" ? "green" : "red", words)}`;
  const unknown = list(trace.unknown).map((entry) => `  not known  ${shown(entry)}\n`);
  return [
    `${head}\n`,
    ...(text(why) === "" ? [] : [`  why        ${shown(why)}\n`]),
    ...(isObject(trigger) ? [`  trigger    ${triggerText(trigger)}\n`] : []),
    ...objects(trace.conditions).map((condition) => conditionText(condition, { ...options, depth: 0 })),
    ...objects(trace.actions).map((action) =>
      actionText(action, { ...options, begin: Date.parse(text(trace.at)), depth: 0 }),
    ),
    ...unknown,
    ...(trace.ended_at === null && dry_run !== true ? ["  still running\n"] : []),
  ].join("");
}

function triggerText({ type, label, context }: JsonObject): string {
  const values = isObject(context)
    ? Object.entries(context).map(([name, value]) => `${printable(name)}=${shown(value)}`)
    : [];
  return [
    shown(label) === text(type) ? text(type) : `${text(type)}: ${shown(label)}`,
    ...(values.length > 0 ? [`(${values.slice(0, 8).join(", ")})`] : []),
  ].join(" ");
}

function conditionText(condition: JsonObject, { paint, depth, ...rest }: TraceTextOptions & { depth: number }): string {
  const { passed, expected, actual, error, parts } = condition;
  const verdict = passed === true ? paint("green", "holds     ") : paint("red", "does not  ");
  const found = error === undefined ? `found ${shown(actual)}` : shown(error);
  const line = `  ${verdict} ${"  ".repeat(depth)}${shown(expected)}  ${paint("dim", `(${found})`)}\n`;
  return (
    line +
    objects(parts)
      .map((part) => conditionText(part, { paint, depth: depth + 1, ...rest }))
      .join("")
  );
}

interface ActionOptions extends TraceTextOptions {
  /** Epoch ms. */
  readonly begin: number;
  readonly depth: number;
}

function actionText(action: JsonObject, options: ActionOptions): string {
  const { begin, depth, paint } = options;
  const { type, result, detail, error, started_at, parts } = action;
  const after = Date.parse(text(started_at)) - begin;
  const when = (Number.isNaN(after) ? "" : afterText(Math.max(0, after))).padEnd(10);
  const failed =
    result === "failed" ? paint("red", ` failed: ${shown(error)}`) : result === "ok" ? "" : ` (${text(result)})`;
  const line = `  ${when} ${"  ".repeat(depth)}${text(type)}${detail === undefined ? "" : ` ${shown(detail)}`}${failed}\n`;
  return (
    line +
    objects(parts)
      .map((part) => actionText(part, { ...options, depth: depth + 1 }))
      .join("")
  );
}

function shown(value: Json | undefined): string {
  return printable(typeof value === "string" ? value : JSON.stringify(value ?? null));
}

function text(value: Json | undefined): string {
  return typeof value === "string" ? printable(value) : "";
}

function list(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

function objects(value: Json | undefined): JsonObject[] {
  return list(value).filter(isObject);
}
