// Triggers, conditions and actions as read from a rule file: checked, with their defaults.
import { expect } from "bun:test";
import type { JsonObject } from "../../../src/kit/schema/json.ts";
import type { TriggerContext, TriggerDefinition, Typed } from "../../../src/rules/model/define.ts";
import type { HouseReads } from "../../../src/rules/model/host.ts";
import { readRule } from "../../../src/rules/read/rule.ts";
import type { Envelope } from "../../../src/server/events/feed.ts";

const anyExpression = (): undefined => undefined;

export function readIn(list: "triggers" | "conditions" | "actions", value: JsonObject): Typed {
  const { rule, problems } = readRule({ name: "test", [list]: [value] }, anyExpression);
  const read = rule?.[list][0];
  if (!read) throw new Error(problems.map(({ path, message }) => `${path}: ${message}`).join("; "));
  return read;
}

/** The context of a match, which has no keys but those that the trigger declares. */
export function contextOf(
  definition: TriggerDefinition,
  { spec, envelope, host }: { spec: Typed; envelope: Envelope; host: HouseReads },
): TriggerContext | undefined {
  const context = definition.match?.(spec, envelope, host);
  expect(Object.keys(context ?? {}).filter((key) => !definition.contextKeys?.includes(key))).toEqual([]);
  return context;
}

/** `path: message` of every problem. Paths are relative to the trigger, condition or action. */
export function problemsIn(list: "triggers" | "conditions" | "actions", value: JsonObject): string[] {
  const { problems } = readRule({ name: "test", [list]: [value] }, anyExpression);
  return problems.map(({ path, message }) => `${path.replace(`${list}[0]`, "").replace(/^\./, "")}: ${message}`);
}
