// A rule file that uses a blueprint: the rule that comes of it, and the way back from that rule's paths to the file's.
import { isObject, type Json, type JsonObject } from "../../kit/schema/json.ts";
import type { Problem } from "../../kit/schema/schema.ts";
import { MASK, masked } from "../../kit/text/masking.ts";
import { rewriteRule } from "../read/references.ts";
import { Rule } from "../read/rule.ts";
import { expand } from "./expand.ts";
import { readValues } from "./inputs.ts";
import { type Blueprint, sourceOf } from "./read-blueprint.ts";

/** Finds blueprints by id. */
export interface BlueprintFinder {
  find(id: string): FoundBlueprint;
}

/** `message`: why there is none, and what to do. */
export type FoundBlueprint = { ok: true; blueprint: Blueprint } | { ok: false; message: string };

/** What a rule was made from. */
export interface MadeFrom {
  readonly use: string;
  /** As its file gives them. */
  readonly inputs: JsonObject;
  /** All that the file says. */
  readonly written: JsonObject;
  /** Paths in the rule → paths in the file. */
  readonly origins: ReadonlyMap<string, string>;
  /** Inputs whose values only administrators see. */
  readonly secret: ReadonlySet<string>;
}

export interface ReadUse {
  /** The id of the blueprint. */
  readonly use: string;
  /** The rule as the blueprint makes it, to be read; absent where there are problems. */
  readonly rule?: JsonObject;
  /** With paths in the file. */
  readonly problems: readonly Problem[];
  /** A problem of the rule that was made, as one of the file. */
  toFile(problem: Problem): Problem;
  madeFrom(rule: Rule): MadeFrom;
}

/** What a rule cannot say beside `use`, as it comes from the blueprint. */
const FROM_THE_BLUEPRINT = new Set([
  ...["trigger", "triggers", "trigger_condition", "required_expression", "conditions", "actions", "variables"],
]);

export const isUse = (value: JsonObject): boolean => value.use !== undefined;

export function readUse(value: JsonObject, blueprints: BlueprintFinder): ReadUse {
  const { use, inputs, ...own } = value;
  const id = typeof use === "string" ? use : "";
  const found: FoundBlueprint =
    id === "" ? { ok: false, message: "must be the name of a blueprint, such as motion-light" } : blueprints.find(id);
  const problems: Problem[] = found.ok ? [] : [{ path: "use", message: found.message }];
  for (const key of Object.keys(own).filter((key) => FROM_THE_BLUEPRINT.has(key))) {
    const message = `comes from the blueprint "${id}": leave it out here, or leave out \`use\` and write the whole rule`;
    problems.push({ path: key, message });
  }
  const values = found.ok ? readValues(found.blueprint.inputs, inputs, problems) : new Map<string, Json>();
  const names = { id: textOf(own.id), name: textOf(own.name) };
  const expanded =
    found.ok && problems.length === 0
      ? expand({ rule: found.blueprint.rule, inputs: found.blueprint.inputs, values, names })
      : undefined;
  problems.push(...(expanded?.problems ?? []));

  function toFile(problem: Problem): Problem {
    const { path, message } = problem;
    const key = /^[^.[]*/.exec(path)?.[0] ?? "";
    if (!expanded || path === "" || Object.hasOwn(own, key) || key === "name" || key === "id") return problem;
    const source = sourceOf(path, expanded.moved);
    const origin = writtenPath(expanded.origins, path);
    if (origin !== undefined)
      return { ...problem, path: origin, message: `${message} (as ${source} of the blueprint "${id}")` };
    return {
      ...problem,
      path: "use",
      message: `the blueprint "${id}" makes no rule of these inputs: ${source}: ${message}`,
    };
  }

  return {
    use: id,
    ...(expanded && problems.length === 0 && { rule: { ...expanded.value, ...own } }),
    problems,
    toFile,
    madeFrom(rule) {
      const origins = withTriggers(expanded?.origins ?? new Map());
      const declared = found.ok ? found.blueprint.inputs.filter(({ secret }) => secret).map(({ id }) => id) : [];
      const secret = new Set([...declared, ...secretsIn(rule, origins)]);
      return { use: id, inputs: isObject(inputs) ? inputs : {}, written: value, origins, secret };
    },
  };
}

/** A single trigger is written under `trigger`, and read into the list `triggers`. */
function withTriggers(origins: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...origins].map(([path, origin]) => [path.replace(/^trigger(?=[.[]|$)/, "triggers[0]"), origin]));
}

/** The path in the file whose value is at a path of the rule, or around it. */
export function writtenPath(origins: ReadonlyMap<string, string>, path: string): string | undefined {
  for (let end = path.length; end > 0; end = Math.max(path.lastIndexOf(".", end - 1), path.lastIndexOf("[", end - 1))) {
    const origin = origins.get(path.slice(0, end));
    if (origin !== undefined) return origin;
  }
  return undefined;
}

/** The inputs as people may see them who see no secrets. */
export function redactedInputs({ inputs, secret }: MadeFrom): JsonObject {
  return masked(Object.fromEntries(Object.entries(inputs).map(([id, value]) => [id, secret.has(id) ? MASK : value])));
}

/** Inputs that become a value which is declared secret. */
function secretsIn(rule: Rule, origins: ReadonlyMap<string, string>): string[] {
  const found: string[] = [];
  rewriteRule({ schema: Rule, value: rule, path: "" }, ({ schema, value, path }) => {
    const [, input] = /^inputs\.([a-z0-9_]+)/.exec(writtenPath(origins, path) ?? "") ?? [];
    if (schema.writeOnly === true && value !== undefined && input !== undefined) found.push(input);
    return value;
  });
  return found;
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
