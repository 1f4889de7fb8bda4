// What a trigger, a condition and an action are. Each is one file and one line in the index of its folder.
import type { Static, TObject, TProperties, TUnsafe } from "@sinclair/typebox";
import type { Log } from "../../kit/lifecycle/log.ts";
import type { Json, JsonObject } from "../../kit/schema/json.ts";
import type { OwnRows } from "../../server/db/own-rows.ts";
import type { EventType } from "../../server/events/catalog.ts";
import type { Envelope } from "../../server/events/feed.ts";
import type { Schedule } from "../schedule/schedule.ts";
import type { HouseReads, RuleActor, RuleHost, Undelivered } from "./host.ts";
import type { FoundBy } from "./targets.ts";
import type { ConditionTrace } from "./trace.ts";

/** Events that can fire a trigger. The engine shows a trigger no others, so that an event costs only what it can match. */
export interface Interest {
  event: EventType;
  /** Only of this device. */
  deviceId?: string;
  /** Only of devices that are in this area, have this tag or are of this type at that moment. */
  group?: { by: FoundBy; value: string };
  /** Only with this text in this field of the event, such as the topic of an MQTT message. */
  where?: { field: string; value: string };
}

/** What a trigger hands to the rule: `trigger` in expressions, `trigger_context` in `rule_fired`. */
export type TriggerContext = JsonObject;

/**
 * One as a person might write it, with most of its fields: it is shown in docs/rules/ and in the vocabulary, and the
 * contract tests try it.
 */
export type Example<F extends TProperties> = Partial<Static<TObject<F>>>;

/** `Uses`, here and below: what of the house it takes. Who holds one hands over all of it. */
export interface TriggerDefinition<
  F extends TProperties = TProperties,
  Uses extends keyof HouseReads = keyof HouseReads,
> {
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
  match?(spec: Static<TObject<F>>, envelope: Envelope, host: Pick<HouseReads, Uses>): TriggerContext | undefined;
  /** Fired by the clock instead of by events. */
  schedule?(spec: Static<TObject<F>>, host: Pick<HouseReads, Uses>): Schedule;
  /** What the context of a moment of the schedule has beside `scheduled_at`. */
  contextAt?(spec: Static<TObject<F>>, at: number, host: Pick<HouseReads, Uses>): TriggerContext;
  /** Fires only after what matched has lasted for a time. */
  hold?: {
    /** Undefined: it fires at once. */
    durationMs(spec: Static<TObject<F>>): number | undefined;
    /** Whether it still matches. Asked at every event of its interests, and when the time is over. */
    stillMatches(spec: Static<TObject<F>>, context: TriggerContext, host: Pick<HouseReads, Uses>): boolean;
  };
  readonly example: Example<F>;
}

/** What a condition and an action can read. */
export interface Scope<House> {
  readonly host: House;
  readonly trigger: TriggerContext;
  /** The variables of this run: at first the rule's `variables`. */
  readonly vars: Readonly<JsonObject>;
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
  host: HouseReads,
  names: { trigger: TriggerContext; vars: Readonly<JsonObject> },
) => Json;

export interface ConditionDefinition<
  F extends TProperties = TProperties,
  Uses extends keyof HouseReads = keyof HouseReads,
> {
  readonly type: string;
  readonly doc: string;
  /** `self` is the schema of any condition, for those that hold others. */
  fields(self: TUnsafe<Typed>): F;
  check?(spec: Static<TObject<F>>): void;
  /** Does not throw for the state of the house: for an unknown device it returns `passed: false` and the reason. */
  evaluate(spec: Static<TObject<F>>, scope: ConditionScope<Uses>): Omit<ConditionTrace, "type">;
  readonly example: Example<F>;
}

/** Of one rule. */
export interface PrivateBooleans {
  /** False where it was never set. */
  get(name: string): boolean;
  set(name: string, value: boolean): void;
}

export interface ConditionScope<Uses extends keyof HouseReads = never> extends Scope<Pick<HouseReads, Uses>> {
  readonly privateBooleans: Pick<PrivateBooleans, "get">;
  /** Evaluates another condition, such as one inside this one. */
  ask(condition: Typed): ConditionTrace;
}

/** A trigger, condition or action as written in a rule. */
export interface Typed {
  type: string;
  [field: string]: unknown;
}

/**
 * What becomes of an action that the hub stopped in the middle of, when its run goes on after the restart. `resume`: it runs
 * again and reads in its scope how far it was. `repeat`: it runs again from its beginning, as sending a state twice does no
 * harm. `skip`: it does not run again, because it may have had its effect; it counts as failed.
 */
export type WhenInterrupted = "resume" | "repeat" | "skip";

export interface ActionDefinition<F extends TProperties = TProperties, Uses extends keyof RuleHost = keyof RuleHost> {
  readonly type: string;
  readonly doc: string;
  whenInterrupted(spec: Static<TObject<F>>): WhenInterrupted;
  fields(schemas: { action: TUnsafe<Typed>; condition: TUnsafe<Typed> }): F;
  check?(spec: Static<TObject<F>>): void;
  /** Runs it. The result is shown in the trace. An error is recorded as a failure, and the next action runs. */
  run(spec: Static<TObject<F>>, scope: ActionScope<Uses>): Promise<string | undefined> | string | undefined;
  readonly example: Example<F>;
}

export interface ActionScope<Uses extends keyof RuleHost = never> extends Scope<Pick<RuleHost, Uses>> {
  /** Written by model/variables.ts. */
  readonly vars: JsonObject;
  readonly ruleId: string;
  readonly ruleName: string;
  readonly actor: RuleActor;
  readonly log: Log;
  /** Monotonic ms. */
  mono(): number;
  /** Aborted when the run is cancelled. */
  readonly signal: AbortSignal;
  /** What it gave to `progress` before the hub stopped in its middle; undefined when it begins. */
  resumed(): Json | undefined;
  /** Says how far it is. Small: it is stored when the run waits. The lists it has run so far are done with. */
  progress(value: Json): void;
  /** Ms since it first asked, also over a restart of the hub. */
  elapsed(): number;
  /**
   * What the action sent did not get through, as may be known only when the action, or the whole run, is over: `action_failed`
   * says so, and the trace while the run goes on.
   */
  undelivered(what: Undelivered): void;
  /** For an effect in the state database that must happen once. Undefined for a run that nothing begins again after a kill. */
  once(): Once | undefined;
  /** Writes how far the run is, if it is one that goes on after a restart: what comes next must not make this happen again. */
  flush(): void;
  /**
   * Runs actions one after the other. In the trace they are inside this one. After a restart they go on where they were, so
   * lists that run at the same time, or one after the other without `progress` between them, each need a `slot`.
   */
  run(actions: readonly Typed[], slot?: number): Promise<void>;
  ask(condition: Typed): ConditionTrace;
  /**
   * Waits; `cancel_delays` finds the delay by `key`.  False when it was cancelled. This wait and the
   * two below keep their deadlines over a restart of the hub. With `stepOf` it is one of many steps, and only the whole of them is
   * stored, once: so many ms since `elapsed` was 0.
   */
  delay(ms: number, key?: string, options?: { stepOf: number }): Promise<boolean>;
  /** The next matching event; undefined after the timeout. */
  waitForEvent(wanted: EventWanted): Promise<Envelope | undefined>;
  /** Waits until the expression is true, evaluated at every event; false after the timeout. `stepOf` as for events. */
  waitUntil(expression: string, timeoutMs: number | undefined, stepOf?: WholeWait): Promise<boolean>;
  /** Keeps the event from triggering rules of lower priority. False if it has none left to trigger. */
  stopRules(): boolean;
  /** Ends this run, without an error. */
  exit(why: string): never;
  /** Counts a turn of a loop. Throws HubError when there are too many. */
  turn(): void;
  /** Device states of `capture_device_state`, by key. */
  readonly captured: Map<string, Readonly<Record<string, JsonObject>>>;
  readonly rules: RuleControl;
  readonly privateBooleans: PrivateBooleans;
}

/** An effect that must happen once, also if the hub is killed in the middle of its action and the run goes on. */
export interface Once {
  /** It happened, before the hub was killed. */
  readonly happened: boolean;
  /** To be written in the commit of the effect: both are on disk, or neither. */
  readonly record: OwnRows;
}

/** A wait of several steps. */
export interface WholeWait {
  ms: number | undefined;
  /** What it waits for, for people. */
  label: string;
}

export interface EventWanted {
  /** Its type, or types of which any will do. */
  event: string | readonly string[];
  deviceId?: string | undefined;
  timeoutMs: number | undefined;
  /** It is one of many steps of a wait, of which only the whole is stored: so many ms since `elapsed` was 0. */
  stepOf?: WholeWait;
  matches?: (envelope: Envelope) => boolean;
}

export interface RunRuleOptions {
  conditions: boolean;
  wait: boolean;
  /** Gets the id of the run before it is waited for. */
  onBegin?(run: string): void;
  /** Added to the rule's `variables`, and going before them. */
  parameters?: JsonObject | undefined;
}

/** What a rule may do to rules. All methods throw HubError `not_found`. */
export interface RuleControl {
  /** Runs another rule's actions; with `conditions` only if its conditions pass. The depth is limited. */
  run(ruleId: string, options: RunRuleOptions): Promise<void>;
  /** Waits for the run of this rule that the action began before the hub stopped; false if there is none that goes on. */
  awaitRun(ruleId: string): Promise<boolean>;
  pause(ruleId: string, ms: number | undefined): void;
  resume(ruleId: string): void;
  /** Cancels the delays with this key, or all delays of the rule. Returns how many. */
  cancelDelays(ruleId: string, key?: string): number;
}

export const defineTrigger = <F extends TProperties, Uses extends keyof HouseReads = never>(
  definition: TriggerDefinition<F, Uses>,
): TriggerDefinition<F> => definition;
export const defineCondition = <F extends TProperties, Uses extends keyof HouseReads = never>(
  definition: ConditionDefinition<F, Uses>,
): ConditionDefinition<F> => definition;
export const defineAction = <F extends TProperties, Uses extends keyof RuleHost = never>(
  definition: ActionDefinition<F, Uses>,
): ActionDefinition<F> => definition;
