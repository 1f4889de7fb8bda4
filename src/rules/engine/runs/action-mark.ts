// By which a rule whose actions are still the same is recognised after a restart. What an action has by default makes no
// difference, so that runs go on with a version of the hub in which actions have more fields.
import { createHash } from "node:crypto";
import { isObject, jsonEqual } from "../../../kit/schema/json.ts";
import { lazy } from "../../../kit/time/lazy.ts";
import type { ActionDefinition, Typed } from "../../model/define.ts";
import { child } from "../../model/fields.ts";

const MARK_CHARS = 16;
// What a note says changes nothing.
const NOTE = "comment";

export function createMarks(definitions: ReadonlyMap<string, ActionDefinition>): (actions: readonly Typed[]) => string {
  // A start needs none: 1.4 ms.
  const defaults = lazy(() => new Map([...definitions].map(([type, definition]) => [type, defaultsOf(definition)])));
  const known = new WeakMap<readonly Typed[], string>();

  /** For JSON.stringify: in the order of the keys, without defaults. */
  function plain(_key: string, value: unknown): unknown {
    if (!isObject(value)) return value;
    const usual = typeof value.type === "string" ? defaults().get(value.type) : undefined;
    const keys = Object.keys(value).sort();
    const given = keys.filter(
      (key) => !usual || (key !== NOTE && !(key in usual && jsonEqual(usual[key], value[key]))),
    );
    return Object.fromEntries(given.map((key) => [key, value[key]]));
  }

  return function markOf(actions) {
    const found = known.get(actions);
    if (found !== undefined) return found;
    const mark = createHash("sha256").update(JSON.stringify(actions, plain)).digest("base64url").slice(0, MARK_CHARS);
    known.set(actions, mark);
    return mark;
  };
}

function defaultsOf(definition: ActionDefinition): Record<string, unknown> {
  const fields = definition.fields({ action: child("action"), condition: child("condition") });
  const withDefault = Object.entries(fields).filter(([, { default: value }]) => value !== undefined);
  return { enabled: true, ...Object.fromEntries(withDefault.map(([key, schema]) => [key, schema.default])) };
}
