// Likely mistakes in a valid rule: attributes that known devices do not have, values that those never take, misspelt
// placeholders, and no actions. `hub check` and the API report them. They are only warnings, because the house may change.
import type { TSchema } from "@sinclair/typebox";
import { didYouMean } from "../../kit/schema/did-you-mean.ts";
import { isObject, type JsonObject } from "../../kit/schema/json.ts";
import type { TextPosition } from "../../kit/schema/text-places.ts";
import { placeholdersIn, unclosedIn } from "../../kit/text/placeholders.ts";
import { isOwn, TEMPLATE_ROOTS } from "../../kit/text/template.ts";
import { readRuleFileText } from "../homecore/read-text.ts";
import type { Typed } from "../model/define.ts";
import { firstDeviceOf } from "../model/devices.ts";
import { TEMPLATE } from "../model/fields.ts";
import type { RuleTexts } from "../model/host.ts";
import { devicesOf, type SomeDevices } from "../model/targets.ts";
import type { RuleShape } from "../parse/shape.ts";
import { triggers } from "../triggers/index.ts";
import { attributesIn } from "./named-attributes.ts";
import { rewriteRule } from "./references.ts";
import { Rule } from "./rule.ts";
import { templatesAt } from "./templates.ts";
import { valueClaims, valueProblem } from "./value-lint.ts";
import { type Place, under } from "./walk.ts";

export type DescribedAttributes = Readonly<Record<string, JsonObject>>;

/** What is known of the house. Without a function nothing is known, and there are no warnings about it. */
export interface KnownHouse {
  /** Names of a device's attributes; undefined for an unknown device. */
  readonly attributes?: ((deviceId: string) => readonly string[] | undefined) | undefined;
  /** The JSON Schemas of a device's attributes; undefined where it does not describe itself. */
  readonly described?: ((deviceId: string) => DescribedAttributes | undefined) | undefined;
  readonly variable?: ((name: string) => boolean) | undefined;
  /** What is wrong with the text of a message for its channels. */
  readonly textProblems?: RuleTexts["problems"] | undefined;
}

export interface LintWarning {
  /** Dotted path of the key. */
  path: string;
  message: string;
}

/** Every rule can also be run by hand or by another rule. */
const CONTEXT_KEYS_BY_HAND = ["actor_name", "rule_id", "rule_name"];
const MAX_NAMED = 12;

/** Looks at one place of the rule. A new check is a line here. */
type Check = (place: Place, rule: Rule, house: KnownHouse) => LintWarning[];
const CHECKS: readonly Check[] = [
  attributeWarnings,
  valueWarnings,
  placeholderWarnings,
  triggerIdWarnings,
  textWarnings,
];

/** In the order of the rule. */
export function lint(rule: Rule, house: KnownHouse): LintWarning[] {
  const found: LintWarning[] = [];
  rewriteRule({ schema: Rule, value: rule, path: "" }, (place) => {
    found.push(...CHECKS.flatMap((check) => check(place, rule, house)));
    return place.value;
  });
  if (rule.actions.length === 0)
    found.push({ path: "actions", message: "the rule has no actions: nothing happens when it fires" });
  return found;
}

/** The path in the text for one in the rule, where that is another one. */
export type PlaceOf = (path: string) => string;

/** As `lint`, with the places in the text of the rule. */
export function lintText(
  text: string,
  rule: Rule,
  { shape, house, placeOf }: { shape: RuleShape; house: KnownHouse; placeOf?: PlaceOf | undefined },
): (LintWarning & TextPosition)[] {
  const warnings = lint(rule, house);
  if (warnings.length === 0) return [];
  const { value, locate, ownPath } = readRuleFileText(text, { shape });
  return warnings.map(({ path, message }) => {
    // A single trigger is written under `trigger`, and read into the list `triggers`.
    const single = value?.trigger === undefined ? path : path.replace(/^triggers\[0\]/, "trigger");
    const written = placeOf ? placeOf(path) : single;
    return { path: ownPath(written), message, ...locate(written) };
  });
}

function attributeWarnings({ schema, value, path }: Place, _: Rule, house: KnownHouse): LintWarning[] {
  if (!isObject(value) || !schema.properties) return [];
  const devices = devicesOf(value as SomeDevices) ?? [];
  if (devices.length === 0) return [];
  return Object.entries(schema.properties as Record<string, TSchema>).flatMap(([key, field]) =>
    attributesIn(field, value[key], under(path, key)).flatMap(({ name, path }) =>
      devices.flatMap((device) => {
        const message = misspelt(house, device, name);
        return message === undefined ? [] : [{ path, message }];
      }),
    ),
  );
}

/** `trigger_is` with an id that no trigger of the rule has never passes. */
function triggerIdWarnings({ value, path }: Place, rule: Rule): LintWarning[] {
  if (!isObject(value) || value.type !== "trigger_is") return [];
  const known = rule.triggers.flatMap(({ id }) => (typeof id === "string" ? [id] : []));
  return [value.ids].flat().flatMap((id) => {
    if (typeof id !== "string" || known.includes(id)) return [];
    return [
      { path: under(path, "ids"), message: `no trigger of this rule has the id "${id}"${didYouMean(id, known)}` },
    ];
  });
}

function textWarnings({ value, path }: Place, _: Rule, { textProblems }: KnownHouse): LintWarning[] {
  if (!textProblems || !isObject(value) || value.type !== "notify" || typeof value.message !== "string") return [];
  const { message, channel, channels = [channel], markup } = value as NotifySpec;
  const names = channels.filter((name) => name !== undefined);
  return textProblems({ message, markup, channels: names }).map((problem) => ({
    path: under(path, "message"),
    message: problem,
  }));
}

type NotifySpec = Pick<Parameters<RuleTexts["problems"]>[0], "message" | "markup"> & {
  channel?: string;
  channels?: string[];
};

/** A device that does not describe itself may get further attributes: only a name that is close to a known one counts. */
function misspelt({ attributes, described }: KnownHouse, device: string, name: string): string | undefined {
  const announced = Object.keys(described?.(device) ?? {});
  const known = [...new Set([...(attributes?.(device) ?? []), ...announced])];
  if (known.length === 0 || known.includes(name)) return undefined;
  const hint = didYouMean(name, known);
  if (hint !== "") return `the device "${device}" has no attribute "${name}" at present${hint}`;
  if (announced.length === 0) return undefined;
  const shown = known.slice(0, MAX_NAMED).join(", ");
  const more = known.length > MAX_NAMED ? ", …" : "";
  return `the device "${device}" has no attribute "${name}" at present; it has ${shown}${more}`;
}

function valueWarnings({ schema, value, path }: Place, _: Rule, { described }: KnownHouse): LintWarning[] {
  if (!described || !isObject(value) || !schema.properties) return [];
  const devices = devicesOf(value as SomeDevices) ?? [];
  if (devices.length === 0) return [];
  return valueClaims(value as JsonObject, schema, path).flatMap((claim) =>
    devices.flatMap((device) => {
      const property = described(device)?.[claim.attribute];
      const problem = property && valueProblem(claim, property);
      return problem === undefined
        ? []
        : [{ path: claim.path, message: `"${claim.attribute}" of the device "${device}": ${problem}` }];
    }),
  );
}

function placeholderWarnings(place: Place, rule: Rule, house: KnownHouse): LintWarning[] {
  // In a text that is sent on, other braces may be meant for its reader.
  const onlyOwn = place.schema[TEMPLATE] !== true;
  return templatesAt(place).flatMap(({ text, path }) => [
    ...unclosedIn(text).flatMap((beginning) =>
      TEMPLATE_ROOTS.includes(/^\w*/.exec(beginning)?.[0] ?? "")
        ? [{ path, message: `{{${beginning} is not closed: write }} behind it` }]
        : [],
    ),
    ...placeholdersIn(text).flatMap((placeholder) => {
      if (placeholder.expression || (onlyOwn && !isOwn(placeholder))) return [];
      const problem = placeholder.doubt ?? placeholderProblem(placeholder.text, rule, house);
      return problem === undefined ? [] : [{ path, message: `{{${placeholder.source}}}: ${problem}` }];
    }),
  ]);
}

function placeholderProblem(placeholder: string, rule: Rule, house: KnownHouse): string | undefined {
  const [root = "", ...keys] = placeholder.split(".");
  const [first] = keys;
  if (root === "now") return first === undefined ? undefined : "the time is {{now}}, with nothing behind it";
  if (!TEMPLATE_ROOTS.includes(root)) {
    const hint = didYouMean(root, TEMPLATE_ROOTS);
    const roots = `${TEMPLATE_ROOTS.slice(0, -1).join(", ")} or ${TEMPLATE_ROOTS.at(-1)}`;
    return `a placeholder begins with ${roots}, or with = for an expression, not with "${root}"${hint}`;
  }
  if (first === undefined) return `what of "${root}" is meant? Write {{${root}.NAME}}`;
  if (root === "trigger") return triggerProblem(rule, first);
  if (root === "vars") return variableProblem(rule, house, keys);
  return root === "device" ? deviceProblem(rule, house, keys) : devicesProblem(house, keys);
}

function triggerProblem({ triggers }: Rule, key: string): string | undefined {
  const ids = triggers.some(({ id }) => id !== undefined) ? ["id"] : [];
  const known = new Set([...triggers.flatMap(contextKeysOf), ...CONTEXT_KEYS_BY_HAND, ...ids]);
  if (known.has(key)) return undefined;
  return `the triggers of this rule have no "${key}"${didYouMean(key, [...known])}`;
}

function contextKeysOf({ type }: Typed): readonly string[] {
  const definition = triggers.find((trigger) => trigger.type === type);
  return [...(definition?.schedule ? ["scheduled_at"] : []), ...(definition?.contextKeys ?? [])];
}

function variableProblem(
  { variables, actions }: Rule,
  { variable }: KnownHouse,
  keys: readonly string[],
): string | undefined {
  const [name = ""] = keys;
  // What actions set, or another rule may hand over.
  if (name === "wait" || setByActions(actions).includes(name)) return undefined;
  if ([name, keys.join(".")].some((key) => Object.hasOwn(variables, key)) || variable?.(name) !== false)
    return undefined;
  const hint = didYouMean(name, Object.keys(variables));
  return `neither the rule nor the hub has a variable "${name}" at present${hint}`;
}

/** The variables that `set_variable` sets, at any depth. */
function setByActions(actions: unknown): string[] {
  if (Array.isArray(actions)) return actions.flatMap(setByActions);
  if (!isObject(actions)) return [];
  const own = actions.type === "set_variable" && typeof actions.name === "string" ? [actions.name] : [];
  return [...own, ...Object.values(actions).flatMap(setByActions)];
}

/** About the device that triggers the rule. */
function deviceProblem(rule: Rule, { attributes }: KnownHouse, keys: readonly string[]): string | undefined {
  const devices = triggeringDevices(rule);
  if (devices === undefined) return undefined;
  if (devices.length === 0) return "neither a trigger nor a condition of this rule is about a device";
  const known = devices.map((device) => attributes?.(device));
  const names = known.flatMap((some) => some ?? []);
  if (known.includes(undefined) || isAttribute(keys, names)) return undefined;
  const hint = didYouMean(keys[0] ?? "", names);
  const which = devices.length === 1 ? `the device "${devices[0]}" has no` : `none of ${devices.join(", ")} has an`;
  return hint === "" ? undefined : `${which} attribute "${keys[0]}" at present${hint}`;
}

/** Undefined if a trigger can be about any device. */
function triggeringDevices({ triggers, conditions }: Rule): string[] | undefined {
  const about = triggers.filter((trigger) => contextKeysOf(trigger).includes("device_id"));
  const named = about.map((trigger) => devicesOf(trigger as SomeDevices));
  if (named.includes(undefined)) return undefined;
  const first = about.length < triggers.length || about.length === 0 ? firstDeviceOf(conditions) : undefined;
  return [...new Set([...named.flatMap((some) => some ?? []), ...(first === undefined ? [] : [first])])];
}

/** `devices.ID.ATTRIBUTE`: both may contain dots, and the longest known id counts. */
function devicesProblem({ attributes }: KnownHouse, keys: readonly string[]): string | undefined {
  if (!attributes) return undefined;
  if (keys.length < 2) return "write {{devices.ID.ATTRIBUTE}}";
  for (let length = keys.length - 1; length > 0; length--) {
    const id = keys.slice(0, length).join(".");
    const known = attributes(id);
    if (!known) continue;
    const rest = keys.slice(length);
    return isAttribute(rest, known) ? undefined : misspelt({ attributes }, id, rest[0] ?? "");
  }
  return `there is no device "${keys.slice(0, -1).join(".")}" at present`;
}

/** An attribute, a value in one that holds a table, or the device's own `name` or `id`. */
function isAttribute(keys: readonly string[], names: readonly string[]): boolean {
  return names.includes(keys.join(".")) || [...names, "name", "id"].includes(keys[0] ?? "");
}
