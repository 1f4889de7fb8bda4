// CEL functions over what fired the rule and its variables, and those that take what is not there for null and what cannot be
// compared for unequal. homeCore's rules are translated into them; they are there for all rules.
import type { Environment } from "@marcbachmann/cel-js";
import { isObject, type Json, type JsonObject } from "../../kit/schema/json.ts";
import { isIn as isInside } from "./comparison.ts";
import { refused } from "./environment.ts";
import type { ExpressionHost } from "./host.ts";
import { isMap, lookUp } from "./maps.ts";

/** What the present evaluation reads. */
export interface Evaluated {
  readonly host: ExpressionHost;
  readonly trigger: JsonObject;
  readonly vars: JsonObject;
}

type Handler = (...values: never[]) => unknown;

export function registerRuleFunctions(environment: Environment, present: () => Evaluated): void {
  const add = (signature: string, handler: Handler): void =>
    void environment.registerFunction(signature, handler as () => unknown, { async: false });
  const trigger = (key: string): Json => ownValue(present().trigger, key) ?? null;
  const change = (key: string): string => textIn(trigger("change"), key);

  add("attribute(string, string): dyn", (id: string, name: string) => {
    const attributes = present().host.deviceState(id);
    return attributes ? (ownValue(attributes, name) ?? null) : null;
  });
  add("attributes(string): map", (id: string) => present().host.deviceState(id) ?? {});
  add("rule_var(string): dyn", (name: string) => ownValue(present().vars, name) ?? null);
  add("get(dyn, dyn): dyn", get);
  add("is_in(dyn, dyn): bool", isIn);
  add("is_number(dyn): bool", (value: unknown) => numberOf(value) !== undefined);
  add("is_above(dyn, dyn): bool", (a: unknown, b: unknown) => order(a, b) > 0);
  add("is_at_least(dyn, dyn): bool", (a: unknown, b: unknown) => order(a, b) >= 0);
  add("is_below(dyn, dyn): bool", (a: unknown, b: unknown) => order(a, b) < 0);
  add("is_at_most(dyn, dyn): bool", (a: unknown, b: unknown) => order(a, b) <= 0);

  add("trigger_value(): dyn", () => trigger("value") ?? trigger("data") ?? trigger("body"));
  add("trigger_prev_value(): dyn", () => trigger("previous"));
  add("trigger_extra(): dyn", () => trigger("query"));
  add("trigger_device(): string", () => textIn(present().trigger, "device_id"));
  add("trigger_attribute(): string", () => textIn(present().trigger, "attribute"));
  add("trigger_change_kind(): string", () => change("kind"));
  add("trigger_change_source(): string", () => change("source"));
  add("trigger_change_actor_id(): string", () => change("actor_id"));
  add("trigger_change_actor_name(): string", () => change("actor_name"));
  add("trigger_correlation_id(): string", () => change("correlation_id"));
}

function ownValue(table: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

function textIn(table: Json, key: string): string {
  const value = isObject(table) ? ownValue(table, key) : undefined;
  return typeof value === "string" ? value : "";
}

function numberOf(value: unknown): number | undefined {
  if (typeof value === "bigint") return Number(value);
  return typeof value === "number" ? value : undefined;
}

/** Of two numbers or two texts; NaN, which is neither more nor less, of anything else. */
function order(a: unknown, b: unknown): number {
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : Number(a > b);
  const [x, y] = [numberOf(a), numberOf(b)];
  return x === undefined || y === undefined ? Number.NaN : x - y;
}

function get(container: unknown, key: unknown): unknown {
  if (Array.isArray(container)) {
    const index = numberOf(key);
    const item: unknown = index === undefined ? undefined : container.at(index);
    if (item !== undefined) return item;
    throw refused(`a list of ${container.length} has no item ${String(key)}`);
  }
  if (isMap(container)) return lookUp(container, key) ?? null;
  throw refused(`nothing has an attribute "${String(key)}" here`);
}

function isIn(item: unknown, container: unknown): boolean {
  if (typeof container === "string") return typeof item === "string" && container.includes(item);
  const answer = isInside(item, container);
  if (answer !== undefined) return answer;
  throw refused("only a text, a list or a map can hold something");
}
