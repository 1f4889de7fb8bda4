// The few words the reader needs of what rules look like, so that names in RON find their meaning: under which keys a
// name says the `type` of the thing, and what the content of `Not(…)` is called. The kinds themselves are not known here.

export interface RuleShape {
  /** Keys whose values, or the items of whose lists, have a `type`. */
  variants: ReadonlySet<string>;
  /** Keys whose values hold such keys again without having a `type` themselves. */
  branches: ReadonlySet<string>;
  /** For a `type`, the key of content in parentheses without a key: `Not(x)` is `{type:"not", condition:x}`. */
  contents: ReadonlyMap<string, string>;
}

/** That of the hub's own kinds; a test holds it to their schemas. */
export const defaultShape: RuleShape = {
  variants: new Set([
    "trigger",
    "triggers",
    "condition",
    "conditions",
    "action",
    "actions",
    "then_actions",
    "else_actions",
  ]),
  branches: new Set(["else_if", "choices"]),
  contents: new Map([
    ["not", "condition"],
    ["and", "conditions"],
    ["or", "conditions"],
    ["xor", "conditions"],
    ["expression", "expression"],
    ["script_expression", "expression"],
    ["cron", "expression"],
    ["parallel", "actions"],
    ["delay", "duration_secs"],
    ["comment", "text"],
    ["log_message", "message"],
  ]),
};

/** What surrounds a value: a rule, something with a `type`, something holding such things, or plain data. */
export type Place = "rule" | "variant" | "branch" | "data";

export function placeUnder(shape: RuleShape, { key, place }: { key: string; place: Place }): Place {
  if (place === "data") return "data";
  if (shape.variants.has(key)) return "variant";
  return shape.branches.has(key) ? "branch" : "data";
}

/** Structs around the one that is meant: their name, and its key in them. */
export const WRAPPERS: ReadonlyMap<string, string> = new Map([
  ["RuleAction", "action"],
  ["RuleCondition", "condition"],
  ["RuleTrigger", "trigger"],
]);

/** Keys that reach into JavaScript's prototypes. */
export const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** `DeviceStateChanged` → `device_state_changed`, `HTTPRequest` → `http_request`. */
export function typeOfName(name: string): string {
  return name.replace(/(?<=[\p{Ll}\p{Nd}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, "_").toLowerCase();
}

/** The way back, or undefined for a type that would not come out again. */
export function nameOfType(type: string): string | undefined {
  if (!/^[a-z][a-z0-9_]*$/.test(type)) return undefined;
  const name = type.replace(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return typeOfName(name) === type && !RESERVED.has(name) && !WRAPPERS.has(name) ? name : undefined;
}

const RESERVED: ReadonlySet<string> = new Set([
  ...["Some", "None", "True", "False", "Null", "Nil", "Undefined"],
  ...["NaN", "NaNf32", "NaNf64"],
]);
