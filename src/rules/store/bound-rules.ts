// Rules that call devices by their names, as homeCore's do: before they run, each name is replaced by the id it means, and
// again whenever that changes. The rules themselves keep the names.
import type { TSchema } from "@sinclair/typebox";
import { isObject, type Json, jsonEqual } from "../../kit/schema/json.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { isTimerStateWord, ourTimerState } from "../homecore/timer-words.ts";
import { NAMES } from "../model/fields.ts";
import type { HouseReads } from "../model/host.ts";
import { referencesOf, rewriteRule } from "../read/references.ts";
import { Rule } from "../read/rule.ts";
import type { GoodVersion } from "./read-rule.ts";

/** Which device a text means; undefined where none, or several, have that name. */
export interface RuleDeviceNames {
  idOf(text: string): string | undefined;
  /** Called when another device may be meant than before. */
  onChanged(name: string, listener: () => void): Disposable;
}

export interface BoundRules extends Disposable {
  /** The rule as it is to run, from now on followed. */
  put(rule: Rule): Rule;
  remove(id: string): void;
  /** The version as it runs; it names devices by their ids. */
  good(version: GoodVersion): GoodVersion;
  /** Whether it names the device, by its id or otherwise. */
  names(version: GoodVersion | undefined, deviceId: string): boolean;
  idOf(text: string): string | undefined;
}

export interface OtherNames {
  /** By which other names rules may call devices. */
  names?: RuleDeviceNames;
  /** Called with the modes that a rule of homeCore's names: some exist there without being made. */
  needModes?: (ids: readonly string[]) => void;
}

export interface BoundRulesOptions extends OtherNames {
  host: Pick<HouseReads, "device">;
  clock: Clock;
  /** Whether the rule calls devices by their names. */
  byName(rule: Rule): boolean;
  run(rule: Rule): void;
}

export function createBoundRules({ host, clock, names, needModes, byName, run }: BoundRulesOptions): BoundRules {
  const rules = new Map<string, { rule: Rule; bound: Rule }>();
  const stack = new DisposableStack();
  let due: Disposable | undefined;
  // Once after several changes: a plugin announces all its devices at once.
  const changed = names?.onChanged("rules", () => {
    if (rules.size > 0) due ??= clock.after("rules: names of devices", 0, refresh);
  });
  if (changed) stack.use(changed);
  stack.defer(() => due?.[Symbol.dispose]());

  const idOf = (text: string): string | undefined => (host.device(text) ? text : names?.idOf(text));

  function refresh(): void {
    due = undefined;
    for (const entry of rules.values()) {
      const bound = bind(entry.rule);
      if (jsonEqual(bound, entry.bound)) continue;
      entry.bound = bound;
      run(bound);
    }
  }

  function bind(rule: Rule): Rule {
    if (!byName(rule)) return rule;
    return rewriteRule({ schema: Rule, value: rule, path: "" }, ({ schema, value }) => {
      if (schema[NAMES] === "device" && typeof value === "string") return idOf(value) ?? value;
      return isObject(value) ? inOurWords(schema, value) : value;
    }) as Rule;
  }

  /** The states of a timer, where a rule calls that by its name, and what schedules call `on`. */
  function inOurWords(schema: TSchema, spec: Record<string, unknown>): unknown {
    const key = TIMER_VALUES[schema.properties?.type?.const as string];
    const id = typeof spec.device_id === "string" ? (idOf(spec.device_id) ?? spec.device_id) : undefined;
    if (spec.attribute === "active" && id !== undefined && host.device(id)?.deviceType === "schedule")
      return { ...spec, attribute: "on" };
    if (key === undefined || spec.attribute !== "state" || id === undefined || !isTimerStateWord(spec[key]))
      return spec;
    return host.device(id)?.deviceType === "timer" ? { ...spec, [key]: ourTimerState(spec[key] as Json) } : spec;
  }

  return {
    idOf,
    put(rule) {
      rules.delete(rule.id);
      const bound = bind(rule);
      if (!byName(rule)) return bound;
      rules.set(rule.id, { rule, bound });
      needModes?.(referencesOf(rule).flatMap(({ kind, name }) => (kind === "mode" || kind === "device" ? [name] : [])));
      return bound;
    },
    remove: (id) => void rules.delete(id),
    good(version) {
      if (!version.byName) return version;
      const references = version.references.map((one) =>
        one.kind === "device" ? { ...one, name: idOf(one.name) ?? one.name } : one,
      );
      return { ...version, rule: bind(version.rule), references };
    },
    names(version, deviceId) {
      const means = (name: string): string | undefined => (version?.byName ? idOf(name) : name);
      return version?.references.some(({ kind, name }) => kind === "device" && means(name) === deviceId) ?? false;
    },
    [Symbol.dispose]: () => stack[Symbol.dispose](),
  };
}

/** Type → the key of its value. */
const TIMER_VALUES: Readonly<Record<string, string>> = { device_state_changed: "to", device_state: "value" };
