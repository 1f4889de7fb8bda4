// The functions and methods that Rhai has in homeCore's rules, as CEL.
import { didYouMean } from "../../../kit/schema/did-you-mean.ts";
import { RhaiProblem } from "./tokens.ts";
import type { Cel, CelType, RhaiNode } from "./tree.ts";

type Of<K extends RhaiNode["kind"]> = RhaiNode & { kind: K };
type Inner = (node: RhaiNode) => Cel;

/** Without arguments, and the same in both. */
const READS: Readonly<Record<string, CelType>> = {
  current_hour: "whole",
  current_minute: "whole",
  trigger_value: "any",
  trigger_prev_value: "any",
  trigger_extra: "any",
  trigger_device: "text",
  trigger_attribute: "text",
  trigger_change_kind: "text",
  trigger_change_source: "text",
  trigger_change_actor_id: "text",
  trigger_change_actor_name: "text",
  trigger_correlation_id: "text",
};
const KNOWN = [...Object.keys(READS), "current_weekday", "device_state", "hub_var", "rule_var"];

export function callCel(
  { name, args, at }: Of<"call">,
  { constants, inner }: { constants: Readonly<Record<string, string>>; inner: Inner },
): Cel {
  // What was translated already.
  if (name.endsWith("()")) return { text: name, type: "whole" };
  const constant = Object.hasOwn(constants, name) ? constants[name] : undefined;
  if (constant !== undefined || Object.hasOwn(READS, name)) {
    if (args.length > 0) throw new RhaiProblem(at, `\`${name}()\` takes nothing in its parentheses`);
    return { text: constant ?? `${name}()`, type: constant === undefined ? (READS[name] ?? "any") : "text" };
  }
  const [argument, ...more] = args;
  if (!["device_state", "hub_var", "rule_var"].includes(name)) {
    const known = [...KNOWN, ...Object.keys(constants)];
    throw new RhaiProblem(at, `there is no function \`${name}()\` in rules${didYouMean(name, known)}`);
  }
  if (argument === undefined || more.length > 0) throw new RhaiProblem(at, `\`${name}()\` takes one text`);
  const text = inner(argument).text;
  if (name === "device_state") return { text: `attributes(${text})`, type: "any" };
  return { text: name === "hub_var" ? `hub_var(${text}, null)` : `rule_var(${text})`, type: "any" };
}

/** Name → CEL, and how many arguments. */
const METHODS: Readonly<
  Record<string, { type: CelType; args: number; cel(target: string, argument: string): string }>
> = {
  starts_with: { type: "bool", args: 1, cel: (target, argument) => `string(${target}).startsWith(${argument})` },
  ends_with: { type: "bool", args: 1, cel: (target, argument) => `string(${target}).endsWith(${argument})` },
  len: { type: "whole", args: 0, cel: (target) => `size(${target})` },
  is_empty: { type: "bool", args: 0, cel: (target) => `(size(${target}) == 0)` },
};

export function methodCel({ target, name, args, at }: Of<"method">, inner: Inner): Cel {
  const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
  if (!method) {
    const known = ["contains", ...Object.keys(METHODS)];
    throw new RhaiProblem(
      at,
      `\`.${name}()\` cannot be translated${didYouMean(name, known)}; there are ${known.join(", ")}`,
    );
  }
  if (args.length !== method.args)
    throw new RhaiProblem(at, `\`.${name}()\` has ${args.length} values in its parentheses`);
  const argument = args[0] ? inner(args[0]).text : "";
  return { text: method.cel(inner(target).text, argument), type: method.type };
}
