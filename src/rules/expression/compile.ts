// CEL expressions: compiled once and run often, on live values and within bounds, with JSON as the result.
import type { Environment, ParseResult } from "@marcbachmann/cel-js";
import { Duration, UnsignedInt } from "@marcbachmann/cel-js/evaluator";
import type { Json, JsonObject } from "../../kit/schema/json.ts";
import { boundTree, prepareTree } from "./bounds.ts";
import { type CelNode, callOf, literalText, nodesOf } from "./cel-tree.ts";
import { createEnvironment } from "./environment.ts";
import type { Evaluated, ExpressionHost, ExpressionProblem, ExpressionScope, Program, References } from "./host.ts";
import { isMap, keysOf, lookUp } from "./maps.ts";
import { createMeter } from "./meter.ts";
import { type Evaluated as Present, registerRuleFunctions } from "./rule-functions.ts";
import { durationText, timestampJson } from "./times.ts";
import { kindOf } from "./values.ts";
import { at, problemOf, type Vocabulary } from "./wording.ts";

export type Compiled = { ok: true; program: Program } | { ok: false; problem: ExpressionProblem };

export interface Expressions {
  /** The same text gives the same program, as long as it is remembered. */
  compile(text: string): Compiled;
}

const MAX_EXPRESSION = 4096;
const MAX_HELD = 10_000;

export function createExpressions(): Expressions {
  let current: Present | undefined;
  const present = (): Present => {
    if (!current) throw new Error("is not being evaluated");
    return current;
  };
  const environment = createEnvironment(() => present().host);
  registerRuleFunctions(environment, present);
  const compileText = createCompiler(environment, ["trigger", "vars"]);
  const held = new Map<string, Compiled>();

  function compileNew(text: string): Compiled {
    const compiled = compileText(text);
    return compiled.ok ? { ok: true, program: createProgram(compiled) } : compiled;
  }

  function createProgram({ text, root, type, run }: CompiledText): Program {
    function evaluate(host: ExpressionHost, { trigger = {}, vars = {} }: ExpressionScope = {}): Evaluated {
      current = { host, trigger, vars };
      try {
        return run({ trigger, vars });
      } finally {
        current = undefined;
      }
    }

    return {
      text,
      type,
      evaluate,
      evaluateBoolean(host, scope) {
        const result = evaluate(host, scope);
        if (!result.ok) return result;
        if (typeof result.value === "boolean") return { ok: true, value: result.value };
        const message = `gives ${kindOf(result.value)} where true or false is needed; compare it with something`;
        return { ok: false, problem: at(text, 0, message) };
      },
      references: () => referencesOf(root),
    };
  }

  return {
    compile(text) {
      const known = held.get(text);
      const compiled = known ?? compileNew(text);
      // Put last again: the least recently used is evicted.
      held.delete(text);
      held.set(text, compiled);
      if (held.size > MAX_HELD) for (const oldest of held.keys()) if (held.delete(oldest)) break;
      return compiled;
    },
  };
}

export interface CompiledText {
  text: string;
  root: CelNode;
  type: string;
  run(variables: JsonObject): Evaluated;
}

/** For texts in which these variables have values. */
export function createCompiler(
  environment: Environment,
  variables: readonly string[],
): (text: string) => ({ ok: true } & CompiledText) | { ok: false; problem: ExpressionProblem } {
  const vocabulary = vocabularyOf(environment, variables);
  const meter = createMeter();

  function run(text: string, parsed: ParseResult, values: JsonObject): Evaluated {
    meter.reset();
    try {
      const value: unknown = parsed(values);
      meter.weigh(value);
      return { ok: true, value: toJson(value) };
    } catch (error) {
      return { ok: false, problem: problemOf(text, meter.exceeded ?? error, vocabulary) };
    }
  }

  return function compile(text) {
    if (text.length > MAX_EXPRESSION)
      return { ok: false, problem: at(text, 0, `is longer than ${MAX_EXPRESSION} characters`) };
    if (text.trim() === "") return { ok: false, problem: at(text, 0, "the expression is empty") };
    try {
      const parsed = environment.parse(text);
      // The public type leaves out what cel-tree.ts describes.
      const root = parsed.ast as unknown as CelNode;
      prepareTree(root);
      const checked = parsed.check();
      if (!checked.valid) throw checked.error;
      boundTree(root, meter);
      return { ok: true, text, root, type: checked.type ?? "dyn", run: (values) => run(text, parsed, values) };
    } catch (error) {
      return { ok: false, problem: problemOf(text, error, vocabulary) };
    }
  };
}

function vocabularyOf(environment: Environment, variables: readonly string[]): Vocabulary {
  const { functions } = environment.getDefinitions();
  // Optional values are not switched on; their functions are listed all the same.
  const usable = functions.filter(({ receiverType }) => !/optional/i.test(receiverType ?? ""));
  return { functions: [...new Set(usable.map(({ name }) => name))], variables };
}

const KINDS: Readonly<Record<string, "devices" | "variables" | "modes">> = {
  device: "devices",
  device_state: "devices",
  attribute: "devices",
  attributes: "devices",
  hub_var: "variables",
  mode: "modes",
};

/** What an expression names as literals, so that unknown ones are known before it runs. */
function referencesOf(root: CelNode): References {
  const found = { devices: new Set<string>(), variables: new Set<string>(), modes: new Set<string>() };
  const groups = { areas: new Set<string>(), types: new Set<string>() };
  for (const node of nodesOf(root)) {
    const call = callOf(node);
    if (!call || call.isMethod) continue;
    const [first, second] = call.operands.map(literalText);
    const kind = Object.hasOwn(KINDS, call.name) ? KINDS[call.name] : undefined;
    if (kind && first !== undefined && !(call.name === "hub_var" && call.operands.length > 1)) found[kind].add(first);
    if (call.name !== "devices") continue;
    if (first) groups.areas.add(first);
    if (second) groups.types.add(second);
  }
  const sorted = (names: Set<string>): string[] => [...names].sort();
  const { devices, variables, modes } = found;
  return {
    ...{ devices: sorted(devices), variables: sorted(variables), modes: sorted(modes) },
    ...{ areas: sorted(groups.areas), types: sorted(groups.types) },
  };
}

/** Throws a plain Error for what JSON cannot hold. The value has been weighed: it is neither too deep nor too large. */
export function toJson(value: unknown): Json {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number") return finite(value);
  if (typeof value === "bigint") return whole(value);
  if (value instanceof UnsignedInt) return whole(value.value);
  if (value instanceof Date) return timestamp(value);
  // A number of milliseconds would have no unit; CEL reads this form back.
  if (value instanceof Duration) return durationText(value);
  if (Array.isArray(value)) return value.map(toJson);
  if (isMap(value)) return Object.fromEntries(keysOf(value).map((key) => [String(key), toJson(lookUp(value, key))]));
  if (value instanceof Uint8Array) throw new Error("gives bytes; put string(…) around them");
  throw new Error("gives a value that is neither text, number, true or false, list nor map");
}

function finite(value: number): number {
  if (Number.isFinite(value)) return value;
  throw new Error("gives a number that is infinite or none at all; was something divided by 0?");
}

function whole(value: bigint): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw new Error("gives a whole number beyond 2^53, which JSON cannot hold exactly");
}

function timestamp(value: Date): string {
  if (Number.isNaN(value.getTime())) throw new Error("gives a time that does not exist");
  return timestampJson(value);
}
