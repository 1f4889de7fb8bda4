// What the schema of a profile cannot say: placeholders, pointers, expressions, and keys that exclude each other.
import { didYouMean } from "../../../../kit/schema/did-you-mean.ts";
import { pointerProblem } from "../../../../kit/schema/json-pointer.ts";
import type { Problem } from "../../../../kit/schema/schema.ts";
import { isTopicName } from "../../../../kit/text/topic-filter.ts";
import { typeOf } from "./codec.ts";
import { type CheckedExpressions, makersOf } from "./profile.ts";
import type { AttributeTable, ButtonTable, CommandTable, ProfileTable } from "./schema.ts";
import { patternProblem, placeholdersOf } from "./topic-pattern.ts";

export function problemsOf(table: ProfileTable, expressions: CheckedExpressions): Problem[] {
  const makers = makersOf(table);
  const parts = [...placeholdersOf(makers[0] ?? ""), ...Object.keys(table.placeholders ?? {})];
  const checking: Checking = { expressions, parts };
  const { attributes = {}, commands = {}, actions = [], availability } = table;
  return [
    ...topProblems(table, makers, checking),
    ...placeholderTable(table),
    ...namesIn(table),
    ...Object.entries(attributes).flatMap(([name, one]) =>
      attributeProblems(`attributes.${name}`, one, { table, checking }),
    ),
    ...wordProblems(attributes),
    ...actions.flatMap((one, index) => readingProblems(`actions[${index}]`, one, { table, checking })),
    ...Object.entries(commands).flatMap(([name, one]) =>
      commandProblems(`commands.${name}`, one, { of: undefined, checking }),
    ),
    ...(availability ? availabilityProblems(availability, checking) : []),
  ];
}

function topProblems(table: ProfileTable, makers: readonly string[], checking: Checking): Problem[] {
  const { topic, when, placeholders, attributes, commands, actions } = table;
  const problems: Problem[] = [];
  const add = (path: string, message: string | undefined): void => {
    if (message !== undefined) problems.push({ path, message });
  };
  if (!attributes && !commands && !actions)
    add("", "has nothing that a device would report: write [attributes.NAME] with the topic or pointer of each value");
  // Otherwise each attribute and action lacks one.
  else if (makers.length === 0 && !attributes && !actions) add("", 'has no topic: write topic = "…" at the top');
  if (topic !== undefined) add("topic", patternProblem(topic));
  if (topic === undefined && when !== undefined) add("when", "is about the messages on topic: write topic at the top");
  if (topic === undefined && placeholders) add("placeholders", "are in the messages on topic: write topic at the top");
  if (when !== undefined) add("when", checking.expressions.problem("reading", when));
  for (const key of ["id", "name", "manufacturer", "model", "area", "parent"] as const)
    add(key, unknownPlaceholder(table[key], checking));
  for (const [index, one] of (table.same_as ?? []).entries())
    add(`same_as[${index}]`, unknownPlaceholder(one, checking));
  const { id } = table;
  if (id !== undefined && checking.parts.length > 0 && placeholdersOf(id).length === 0)
    add("id", `would be the same for all devices: put ${checking.parts.map((one) => `{${one}}`).join(" or ")} in it`);
  if (topic === undefined) for (const other of makers) add("topic", otherPlaceholders(other, makers[0] ?? ""));
  return problems;
}

/** Without a topic at the top, each topic has to say which device it is of. */
function otherPlaceholders(topic: string, first: string): string | undefined {
  const [own, wanted] = [topic, first].map((one) => placeholdersOf(one).sort().join());
  if (own === wanted) return undefined;
  return `is missing: ${topic} and ${first} have different placeholders, so it must say which topic makes a device`;
}

function placeholderTable({ topic, placeholders = {} }: ProfileTable): Problem[] {
  return Object.entries(placeholders).flatMap(([name, pointer]) => {
    const path = `placeholders.${name}`;
    if (!/^[a-z_][a-z0-9_]*$/.test(name)) return [{ path, message: "is written in small letters, digits and _" }];
    if (placeholdersOf(topic ?? "").includes(name))
      return [{ path, message: "is in the topic already: choose another name" }];
    const message = pointer === "" ? 'must be a JSON pointer such as "/id"' : pointerProblem(pointer);
    return message === undefined ? [] : [{ path, message }];
  });
}

function namesIn({ attributes = {}, commands = {}, actions = [] }: ProfileTable): Problem[] {
  const problem = (path: string, name: string): Problem[] =>
    /^[\p{L}\p{N}_][\p{L}\p{N}_-]{0,63}$/u.test(name)
      ? []
      : [{ path, message: "a name has letters, digits, _ and -, at most 64 of them" }];
  return [
    ...Object.keys(attributes).flatMap((name) => problem(`attributes.${name}`, name)),
    ...Object.keys(commands).flatMap((name) => problem(`commands.${name}`, name)),
    ...Object.keys(commands)
      .filter((name) => Object.hasOwn(attributes, name))
      .map((name) => ({
        path: `commands.${name}`,
        message: `is an attribute as well: write [attributes.${name}.command]`,
      })),
    ...(actions.length > 0 && Object.hasOwn(attributes, "action")
      ? [{ path: "attributes.action", message: "is what [[actions]] report: choose another name" }]
      : []),
  ];
}

interface Context {
  table: ProfileTable;
  checking: Checking;
}

type Reading = Pick<AttributeTable, "topic" | "pointer" | "cel">;

function readingProblems(path: string, { topic, pointer, cel }: Reading, { table, checking }: Context): Problem[] {
  const { expressions } = checking;
  const found: (Problem | undefined)[] = [
    topic === undefined && table.topic === undefined
      ? { path, message: 'has no topic: give it one, or write topic = "…" at the top of the file' }
      : undefined,
    at(`${path}.topic`, topic === undefined ? undefined : ownTopic(topic, checking)),
    at(`${path}.pointer`, pointer === undefined ? undefined : pointerProblem(pointer)),
    at(`${path}.cel`, cel === undefined ? undefined : expressions.problem("reading", cel)),
    pointer !== undefined && cel !== undefined
      ? { path: `${path}.cel`, message: "says the same as pointer: keep one of them" }
      : undefined,
  ];
  return found.filter((one) => one !== undefined);
}

function ownTopic(topic: string, checking: Checking): string | undefined {
  if (/[+#]/.test(topic)) return "+ and # are for the topic at the top: here, write one topic";
  return patternProblem(topic) ?? unknownPlaceholder(topic, checking);
}

function attributeProblems(path: string, one: AttributeTable, context: Context): Problem[] {
  const type = typeOf(one);
  const { min, max, scale, options, map = {}, command } = one;
  const numbers = (["unit", "min", "max", "step", "scale", "offset", "decimals"] as const).find(
    (key) => one[key] !== undefined,
  );
  const misfit = Object.entries(map).find(([, value]) => type !== undefined && typeof value !== type);
  const found = [
    type === undefined
      ? at(`${path}.type`, 'missing: must be "number", "boolean" or "string"; or give the unit of a number')
      : undefined,
    numbers && type !== "number" ? at(`${path}.${numbers}`, `is for numbers, and this is of type ${type}`) : undefined,
    options && type !== "string" ? at(`${path}.options`, `are for texts, and this is of type ${type}`) : undefined,
    misfit ? at(`${path}.map.${misfit[0]}`, `must be a ${type}, as the attribute is`) : undefined,
    scale === 0 ? at(`${path}.scale`, "must not be 0") : undefined,
    min !== undefined && max !== undefined && min >= max ? at(`${path}.max`, "must be greater than min") : undefined,
  ];
  return [
    ...found.filter((problem) => problem !== undefined),
    ...readingProblems(path, one, context),
    ...(command ? commandProblems(`${path}.command`, command, { of: one, checking: context.checking }) : []),
  ];
}

const RANGED = ["brightness_pct", "color_temp_k", "position", "speed_pct", "volume_pct"];

function wordProblems(attributes: Readonly<Record<string, AttributeTable>>): Problem[] {
  const words = new Set<string>();
  return Object.entries(attributes).flatMap(([name, one]) => {
    const { word, min, max } = one;
    if (word === undefined) return [];
    const path = `attributes.${name}.word`;
    const isTaken = words.has(word) || Object.hasOwn(attributes, word);
    words.add(word);
    if (isTaken) return [{ path, message: `there is an attribute of this name already: take out one of the two` }];
    if (RANGED.includes(word) && (min === undefined || max === undefined))
      return [{ path, message: `needs the device's own range: write min and max` }];
    if (word === "color_rgb" && typeOf(one) !== "object")
      return [{ path, message: 'needs an object with r, g and b, or x and y: type = "object", made with cel' }];
    return [];
  });
}

function availabilityProblems(table: NonNullable<ProfileTable["availability"]>, checking: Checking): Problem[] {
  const { topic, silent_secs: silent } = table;
  if (topic === undefined && silent === undefined)
    return [{ path: "availability", message: "needs topic, where the device says that it is there, or silent_secs" }];
  const misplaced = (["pointer", "cel", "available", "unavailable"] as const).find((key) => table[key] !== undefined);
  if (topic === undefined)
    return misplaced ? [{ path: `availability.${misplaced}`, message: "is of the message on topic: write topic" }] : [];
  return readingProblems("availability", table, { table: { topic }, checking });
}

/** `of`: the attribute that it commands; undefined for a command that is none. */
function commandProblems(
  path: string,
  command: CommandTable | ButtonTable,
  { of, checking }: { of: AttributeTable | undefined; checking: Checking },
): Problem[] {
  const { topic, payload, pointer, cel } = command;
  const type = typeOf(of ?? { ...command, map: undefined });
  const takesValue = of !== undefined || type !== undefined;
  const withValue = { ...checking, parts: [...checking.parts, "value"] };
  const found = [
    isTopicName(topic)
      ? at(`${path}.topic`, unknownPlaceholder(topic, checking))
      : at(`${path}.topic`, "must be one topic, without + and #"),
    at(`${path}.payload`, unknownPlaceholder(payload, withValue)),
    payload !== undefined && pointer !== undefined
      ? at(`${path}.pointer`, "makes the message itself: take out payload")
      : undefined,
    payload !== undefined && takesValue && !placeholdersOf(payload).includes("value")
      ? at(`${path}.payload`, "would be the same for every value: put {value} in it")
      : undefined,
    pointer === "" ? at(`${path}.pointer`, 'must name a place in the message, such as "/state"') : undefined,
    at(`${path}.pointer`, pointer === undefined ? undefined : pointerProblem(pointer)),
    at(`${path}.cel`, cel === undefined ? undefined : checking.expressions.problem("writing", cel)),
    !takesValue && payload === undefined && cel === undefined && pointer === undefined
      ? at(`${path}.payload`, "missing: must be the message to send, or give a type or unit for a command with a value")
      : undefined,
    at(
      `${path}.map`,
      mapProblem(command, { type, options: of?.options ?? ("options" in command ? command.options : undefined) }),
    ),
  ];
  return found.filter((one) => one !== undefined);
}

function mapProblem(
  { map }: CommandTable,
  { type, options }: { type: string | undefined; options: readonly string[] | undefined },
): string | undefined {
  if (!map) return undefined;
  const known = type === "boolean" ? ["true", "false", "toggle"] : options;
  const odd = known && Object.keys(map).find((key) => !known.includes(key));
  return odd === undefined ? undefined : `"${odd}" is no value of the attribute: there are ${known?.join(", ")}`;
}

interface Checking {
  expressions: CheckedExpressions;
  /** The placeholders that there are. */
  parts: readonly string[];
}

function at(path: string, message: string | undefined): Problem | undefined {
  return message === undefined ? undefined : { path, message };
}

function unknownPlaceholder(text: string | undefined, { parts }: Checking): string | undefined {
  const unknown = placeholdersOf(text ?? "").find((name) => !parts.includes(name));
  if (unknown === undefined) return undefined;
  const known =
    parts.length === 0 ? "; there are none in the topic" : `; there is ${parts.map((one) => `{${one}}`).join(", ")}`;
  return `there is no placeholder {${unknown}}${didYouMean(unknown, parts) || known}`;
}
