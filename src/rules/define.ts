// What a trigger, a condition and an action are. Each is one file and one line in the index of its folder.
import type { Static, TObject, TProperties, TUnsafe } from "@sinclair/typebox";
import type { Json, JsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import type { EventType } from "../events/catalog.ts";
import type { Envelope } from "../events/feed.ts";
import type { RuleActor, RuleHost } from "./host.ts";
import type { Schedule } from "./schedule/schedule.ts";
import type { ConditionTrace } from "./trace.ts";

/** Events that can set a trigger off. The engine shows it no others, so that an event costs what it matches. */
export interface Interest {
  event: EventType;
  /** Only of this device. */
  deviceId?: string;
  /** Only with this text in this field of the event: for what is told apart by something else than a device. */
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
  /** Its own fields, without `type`. What they name and which are expressions is marked in them: see fields.ts. */
  readonly fields: F;
  /** For people, short: `hall_lamp.on is true`. */
  label(spec: Static<TObject<F>>): string;
  /** What keys alone cannot check; thrown as HubError `invalid`. */
  check?(spec: Static<TObject<F>>): void;
  interests?(spec: Static<TObject<F>>): Interest[];
  /** The context when this event sets it off. */
  match?(spec: Static<TObject<F>>, envelope: Envelope, host: RuleHost): TriggerContext | undefined;
  /** Set off by the clock instead of by events. */
  schedule?(spec: Static<TObject<F>>, host: RuleHost): Schedule;
  /** Fires only after what matched has stood for so long. */
  hold?: {
    /** Undefined: at once. */
    durationMs(spec: Static<TObject<F>>): number | undefined;
    /** Whether it still stands, asked at every event it is interested in and when the time is over. */
    stands(spec: Static<TObject<F>>, context: TriggerContext, host: RuleHost): boolean;
  };
  readonly example: Example<F>;
}

/** What a condition and an action may look at. */
export interface Scope {
  readonly host: RuleHost;
  readonly trigger: TriggerContext;
  /** The rule's `variables`, of this run. */
  readonly vars: JsonObject;
  /** The device the trigger is about; where it is about none, that of the first condition about one. */
  readonly deviceId: string | undefined;
  /** Ms since a time that the house has written down, epoch ms; also where the clock was set since. */
  msSince(at: number): number;
  /** Throws HubError `invalid` that says what could not be evaluated. */
  evaluate(expression: string): Json;
  /** As `evaluate`, and refuses what is not true or false. */
  holds(expression: string): boolean;
}

export interface ConditionDefinition<F extends TProperties = TProperties> {
  readonly type: string;
  readonly doc: string;
  /** `self` is the schema of any condition, for those that hold others. */
  fields(self: TUnsafe<Typed>): F;
  check?(spec: Static<TObject<F>>): void;
  /** Never throws for what the house is like: an unknown device is a condition that does not pass, and says why. */
  evaluate(spec: Static<TObject<F>>, scope: ConditionScope): Omit<ConditionTrace, "type">;
  readonly example: Example<F>;
}

export interface ConditionScope extends Scope {
  /** Another condition, such as a part of this one. */
  ask(condition: Typed): ConditionTrace;
}

/** A trigger, condition or action as it stands in a rule. */
export interface Typed {
  type: string;
  [field: string]: unknown;
}

export interface ActionDefinition<F extends TProperties = TProperties> {
  readonly type: string;
  readonly doc: string;
  fields(schemas: { action: TUnsafe<Typed>; condition: TUnsafe<Typed> }): F;
  check?(spec: Static<TObject<F>>): void;
  /** Does it. What it answers is shown in the trace; what it throws is the failure, and the sequence goes on. */
  run(spec: Static<TObject<F>>, scope: ActionScope): Promise<string | undefined> | string | undefined;
  readonly example: Example<F>;
}

export interface ActionScope extends Scope {
  readonly ruleId: string;
  readonly ruleName: string;
  readonly actor: RuleActor;
  readonly log: Log;
  readonly dryRun: boolean;
  /** Ms that only grow, whatever the clock is set to. */
  mono(): number;
  /** Aborted when the run is cancelled. */
  readonly signal: AbortSignal;
  /** Runs actions one after the other, as part of this one in the trace. */
  run(actions: readonly Typed[]): Promise<void>;
  ask(condition: Typed): ConditionTrace;
  /** Waits, cancellable by `cancel_delays` under `key`; at once in a dry run. False when it was cancelled. */
  delay(ms: number, key?: string): Promise<boolean>;
  /** The next event of this type that fits; undefined when the time was over first. */
  waitForEvent(wanted: EventWanted): Promise<Envelope | undefined>;
  /** Waits until the expression holds, looking at every event; false when the time was over first. */
  waitUntil(expression: string, timeoutMs: number | undefined): Promise<boolean>;
  /** Ends this run, without an error. */
  exit(why: string): never;
  /** Counts a turn of a loop. Throws HubError when there were too many. */
  turn(): void;
  /** Device states kept by `capture_device_state`, by key. */
  readonly captured: Map<string, Readonly<Record<string, JsonObject>>>;
  readonly rules: RuleControl;
}

export interface EventWanted {
  event: string;
  deviceId?: string | undefined;
  timeoutMs: number | undefined;
  fits?: (envelope: Envelope) => boolean;
}

/** What a rule may do to rules. All throw HubError `not_found`. */
export interface RuleControl {
  /** Runs another rule's actions; `conditions`: only if they pass. Bounded in depth. */
  run(ruleId: string, options: { conditions: boolean; wait: boolean }): Promise<void>;
  pause(ruleId: string, ms: number | undefined): void;
  resume(ruleId: string): void;
  /** Without a key all delays of the rule. Answers how many there were. */
  cancelDelays(ruleId: string, key?: string): number;
}

export const defineTrigger = <F extends TProperties>(definition: TriggerDefinition<F>): TriggerDefinition<F> =>
  definition;
export const defineCondition = <F extends TProperties>(definition: ConditionDefinition<F>): ConditionDefinition<F> =>
  definition;
export const defineAction = <F extends TProperties>(definition: ActionDefinition<F>): ActionDefinition<F> => definition;
