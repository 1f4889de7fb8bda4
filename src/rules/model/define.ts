// What a trigger, a condition and an action are. Each is one file and one line in the index of its folder.
import type { Static, TObject, TProperties, TUnsafe } from "@sinclair/typebox";
import type { Json, JsonObject } from "../../core/json.ts";
import type { Log } from "../../core/log.ts";
import type { EventType } from "../../events/catalog.ts";
import type { Envelope } from "../../events/feed.ts";
import type { Schedule } from "../schedule/schedule.ts";
import type { RuleActor, RuleHost } from "./host.ts";
import type { ConditionTrace } from "./trace.ts";

/** Events that can fire a trigger. The engine shows a trigger no others, so that an event costs only what it can match. */
export interface Interest {
  event: EventType;
  /** Only of this device. */
  deviceId?: string;
  /** Only with this text in this field of the event, such as the topic of an MQTT message. */
  where?: { field: string; value: string };
}

/** What a trigger hands to the rule: `trigger` in expressions, `trigger_context` in `rule_fired`. */
export type TriggerContext = JsonObject;

/**
 * One as a person might write it, with most of its fields: it is shown in docs/rules.md and in the vocabulary, and the
 * contract tests try it.
 */
export type Example<F extends TProperties> = Partial<Static<TObject<F>>>;

export interface TriggerDefinition<F extends TProperties = TProperties> {
  /** snake_case; also the file's name. */
  readonly type: string;
  readonly doc: string;
  /** Its own fields, without `type`. Marks in them say what they name and which are expressions: see fields.ts. */
  readonly fields: F;
  /** Short text for people: `hall_lamp.on is true`. */
  label(spec: Static<TObject<F>>): string;
  /** Checks what the schema cannot. Throws HubError `invalid`. */
  check?(spec: Static<TObject<F>>): void;
  interests?(spec: Static<TObject<F>>): Interest[];
  /** The keys of its contexts: what `{{trigger.…}}` can name. A schedule has `scheduled_at` without saying so. */
  readonly contextKeys?: readonly string[];
  /** The context when this event fires the trigger. */
  match?(spec: Static<TObject<F>>, envelope: Envelope, host: RuleHost): TriggerContext | undefined;
  /** Fired by the clock instead of by events. */
  schedule?(spec: Static<TObject<F>>, host: RuleHost): Schedule;
  /** Fires only after what matched has lasted for a time. */
  hold?: {
    /** Undefined: it fires at once. */
    durationMs(spec: Static<TObject<F>>): number | undefined;
    /** Whether it still matches. Asked at every event of its interests, and when the time is over. */
    stillMatches(spec: Static<TObject<F>>, context: TriggerContext, host: RuleHost): boolean;
  };
  readonly example: Example<F>;
}

/** What a condition and an action can read. */
export interface Scope {
  readonly host: RuleHost;
  readonly trigger: TriggerContext;
  /** The rule's `variables`, of this run. */
  readonly vars: JsonObject;
  /** The device of the trigger; without one, that of the first condition with a device. */
  readonly deviceId: string | undefined;
  /** Ms since a stored time (epoch ms). Correct also if the clock was set since. */
  msSince(at: number): number;
  /** Throws HubError `invalid` that says what could not be evaluated. */
  evaluate(expression: string): Json;
  /** As `evaluate`; also throws if the value is not true or false. */
  isTrue(expression: string): boolean;
}

/** Evaluates CEL with live values. Throws HubError `invalid` that says what could not be evaluated. */
export type Evaluate = (
  expression: string,
  host: RuleHost,
  names: { trigger: TriggerContext; vars: JsonObject },
) => Json;

export interface ConditionDefinition<F extends TProperties = TProperties> {
  readonly type: string;
  readonly doc: string;
  /** `self` is the schema of any condition, for those that hold others. */
  fields(self: TUnsafe<Typed>): F;
  check?(spec: Static<TObject<F>>): void;
  /** Does not throw for the state of the house: for an unknown device it returns `passed: false` and the reason. */
  evaluate(spec: Static<TObject<F>>, scope: ConditionScope): Omit<ConditionTrace, "type">;
  readonly example: Example<F>;
}

export interface ConditionScope extends Scope {
  /** Evaluates another condition, such as one inside this one. */
  ask(condition: Typed): ConditionTrace;
}

/** A trigger, condition or action as written in a rule. */
export interface Typed {
  type: string;
  [field: string]: unknown;
}

export interface ActionDefinition<F extends TProperties = TProperties> {
  readonly type: string;
  readonly doc: string;
  fields(schemas: { action: TUnsafe<Typed>; condition: TUnsafe<Typed> }): F;
  check?(spec: Static<TObject<F>>): void;
  /** Runs it. The result is shown in the trace. An error is recorded as a failure, and the next action runs. */
  run(spec: Static<TObject<F>>, scope: ActionScope): Promise<string | undefined> | string | undefined;
  readonly example: Example<F>;
}

export interface ActionScope extends Scope {
  readonly ruleId: string;
  readonly ruleName: string;
  readonly actor: RuleActor;
  readonly log: Log;
  /** Monotonic ms. */
  mono(): number;
  /** Aborted when the run is cancelled. */
  readonly signal: AbortSignal;
  /** Runs actions one after the other. In the trace they are inside this one. */
  run(actions: readonly Typed[]): Promise<void>;
  ask(condition: Typed): ConditionTrace;
  /** Waits; `cancel_delays` finds the delay by `key`. False when it was cancelled. */
  delay(ms: number, key?: string): Promise<boolean>;
  /** The next matching event; undefined after the timeout. */
  waitForEvent(wanted: EventWanted): Promise<Envelope | undefined>;
  /** Waits until the expression is true, evaluated at every event; false after the timeout. */
  waitUntil(expression: string, timeoutMs: number | undefined): Promise<boolean>;
  /** Ends this run, without an error. */
  exit(why: string): never;
  /** Counts a turn of a loop. Throws HubError when there are too many. */
  turn(): void;
  /** Device states of `capture_device_state`, by key. */
  readonly captured: Map<string, Readonly<Record<string, JsonObject>>>;
  readonly rules: RuleControl;
}

export interface EventWanted {
  event: string;
  deviceId?: string | undefined;
  timeoutMs: number | undefined;
  matches?: (envelope: Envelope) => boolean;
}

/** What a rule may do to rules. All methods throw HubError `not_found`. */
export interface RuleControl {
  /** Runs another rule's actions; with `conditions` only if its conditions pass. The depth is limited. */
  run(ruleId: string, options: { conditions: boolean; wait: boolean }): Promise<void>;
  pause(ruleId: string, ms: number | undefined): void;
  resume(ruleId: string): void;
  /** Cancels the delays with this key, or all delays of the rule. Returns how many. */
  cancelDelays(ruleId: string, key?: string): number;
}

export const defineTrigger = <F extends TProperties>(definition: TriggerDefinition<F>): TriggerDefinition<F> =>
  definition;
export const defineCondition = <F extends TProperties>(definition: ConditionDefinition<F>): ConditionDefinition<F> =>
  definition;
export const defineAction = <F extends TProperties>(definition: ActionDefinition<F>): ActionDefinition<F> => definition;
