// Fills in the placeholders of messages: {{device.temperature}}, {{devices.<id>.<attribute>}}, {{vars.x}}, {{trigger.value}}, {{now}},
// and {{= expression}}, each also with a format. A value is inserted as it is: placeholders inside a value are not filled in.
import { messageOf } from "../schema/errors.ts";
import type { Json, JsonObject } from "../schema/json.ts";
import { formattedText, valueText } from "./formats.ts";
import { type Placeholder, placeholdersIn } from "./placeholders.ts";

/** A text in pieces: what the author wrote, and the values that were filled in. */
export type Piece = { readonly markup: string } | { readonly value: string };

/** The fields of a device that a placeholder can name. */
export interface TemplateDevice {
  readonly id: string;
  readonly name: string;
  readonly attributes: Readonly<JsonObject>;
}

export interface TemplateContext {
  /** The triggering device. */
  readonly deviceId: string | undefined;
  readonly trigger: Readonly<JsonObject>;
  /** The rule's variables. */
  readonly vars: Readonly<JsonObject>;
  /** For `{{= …}}`. Throws what cannot be evaluated. Without it, expressions have no value. */
  readonly evaluate?: ((expression: string) => Json) | undefined;
}

export interface TemplateHouse {
  device(id: string): TemplateDevice | undefined;
  /** The hub's variables, used when the rule has none of this name. */
  variable(name: string): Json | undefined;
  /** The local time, for people. */
  now(): string;
  /** IANA name, for formats. */
  readonly timezone: string;
}

export interface Filling {
  /** What cannot be filled in becomes "unknown", and is reported here, with the reason where there is one. */
  onUnknown(source: string, reason?: string): void;
  /** Leaves `{{…}}` that are none of ours as they are: the text may be a template of somebody else. */
  onlyOwn?: boolean;
}

export const TEMPLATE_ROOTS = ["now", "trigger", "vars", "device", "devices"];
const UNKNOWN = "unknown";
/** Of one value of an expression. */
const MAX_VALUE = 4000;
export const MAX_EXPRESSIONS = 20;

/** The author's text and the values in it. */
export function fillTemplate(
  text: string,
  look: (placeholder: Placeholder) => string | null | undefined,
  { onUnknown, onlyOwn = false }: Filling,
): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  let expressions = 0;

  function shownOf(placeholder: Placeholder): string {
    const { source, expression } = placeholder;
    try {
      if (expression && ++expressions > MAX_EXPRESSIONS)
        throw new Error(`a text has at most ${MAX_EXPRESSIONS} expressions`);
      const value = look(placeholder);
      if (value !== undefined) return value ?? UNKNOWN;
      onUnknown(source);
    } catch (error) {
      onUnknown(source, messageOf(error));
    }
    return UNKNOWN;
  }

  for (const placeholder of placeholdersIn(text)) {
    const { start, end, unclosed } = placeholder;
    if (unclosed || (onlyOwn && !isOwn(placeholder))) continue;
    if (start > from) pieces.push({ markup: text.slice(from, start) });
    pieces.push({ value: shownOf(placeholder) });
    from = end;
  }
  if (from < text.length) pieces.push({ markup: text.slice(from) });
  return pieces;
}

export function isOwn({ expression, text }: Placeholder): boolean {
  if (expression) return true;
  const [root = "", ...keys] = text.split(".");
  return TEMPLATE_ROOTS.includes(root) && (root === "now") === (keys.length === 0);
}

/**
 * Makes the lookup for `fillTemplate`. It returns null for a value that there is but cannot be shown, undefined for what does
 * not exist, and throws for an expression that fails and a format that does not fit.
 */
export function createLookup(house: TemplateHouse, context: TemplateContext) {
  const lookPath = createPathLookup(house, context);
  return function look({ expression, text, format, problem }: Placeholder): string | null | undefined {
    if (problem !== undefined) throw new Error(problem);
    const value = expression ? context.evaluate?.(text) : lookPath(text);
    if (value === undefined || value === null) return value;
    // {{now}} is a local time already.
    if (!format || (text === "now" && !expression)) return bounded(valueText(value) ?? null, expression);
    const shown = formattedText(value, format, house.timezone);
    if (shown === undefined) throw new Error(`the value cannot be shown as a ${format.name}`);
    return shown;
  };
}

function createPathLookup(house: TemplateHouse, { deviceId, trigger, vars }: TemplateContext) {
  return function look(path: string): Json | undefined {
    const [root, ...keys] = path.split(".");
    switch (root) {
      case "now":
        return keys.length === 0 ? house.now() : undefined;
      case "trigger":
        return valueAt(trigger, keys);
      case "vars":
        return valueAt(vars, keys) ?? variableAt(house, keys);
      case "device":
        return deviceId === undefined ? undefined : ofDevice(house.device(deviceId), keys);
      case "devices":
        return ofSomeDevice(house, keys);
      default:
        return undefined;
    }
  };
}

// Ids and attributes may contain dots: the longest id that exists wins.
function ofSomeDevice(house: TemplateHouse, keys: readonly string[]): Json | undefined {
  for (let length = keys.length - 1; length > 0; length--) {
    const device = house.device(keys.slice(0, length).join("."));
    if (device) return ofDevice(device, keys.slice(length));
  }
  return undefined;
}

function ofDevice(device: TemplateDevice | undefined, keys: readonly string[]): Json | undefined {
  if (!device || keys.length === 0) return undefined;
  if (keys.length === 1 && (keys[0] === "name" || keys[0] === "id")) return device[keys[0]];
  return valueAt(device.attributes, keys);
}

function variableAt(house: TemplateHouse, [name = "", ...keys]: readonly string[]): Json | undefined {
  const value = house.variable(name);
  return keys.length === 0 ? value : valueAt(value, keys);
}

/** Reads own keys only, as a path may name `__proto__`. A key that contains dots is found as well. */
function valueAt(value: unknown, keys: readonly string[]): Json | undefined {
  if (typeof value !== "object" || value === null || keys.length === 0) return undefined;
  const whole = keys.join(".");
  if (Object.hasOwn(value, whole)) return (value as JsonObject)[whole];
  const [first = "", ...rest] = keys;
  if (rest.length === 0 || !Object.hasOwn(value, first)) return undefined;
  return valueAt((value as JsonObject)[first], rest);
}

function bounded(text: string | null, expression: boolean): string | null {
  if (!expression || text === null || text.length <= MAX_VALUE) return text;
  return `${text.slice(0, MAX_VALUE).toWellFormed()}…`;
}
