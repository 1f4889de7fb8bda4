// `wait_for_trigger`: waits until one of some triggers fires, with all that triggers have: their `for`, their times of day, and
// devices found by area. What fired is in `vars.wait`.
import { Type } from "@sinclair/typebox";
import type { Envelope } from "../../server/events/feed.ts";
import { invalid } from "../model/checks.ts";
import {
  type ActionScope,
  defineAction,
  type TriggerContext,
  type TriggerDefinition,
  type Typed,
} from "../model/define.ts";
import { child, secs } from "../model/fields.ts";
import { innerList, onTimeout, timedOut } from "../model/flow.ts";
import type { HouseReads } from "../model/host.ts";
import { setWait } from "../model/variables.ts";
import { triggers as known } from "../triggers/index.ts";

/** Triggers may ask for anything that they see of the house. */
type WaitScope = ActionScope<keyof HouseReads>;

// Their calls reach only a rule's own triggers.
const ONLY_OF_RULES = ["manual_trigger", "webhook_received", "system_started"];

export const waitForTrigger = defineAction({
  type: "wait_for_trigger",
  doc: "Waits until one of its triggers fires, which is then in `vars.wait.trigger`. What is already so does not fire: ask with `conditional` first.",
  whenInterrupted: () => "resume",
  fields: () => ({
    triggers: innerList(child("trigger"), "Any one of them ends the wait"),
    timeout_secs: Type.Optional(secs("The timeout; without it, it waits for as long as it takes")),
    on_timeout: onTimeout,
  }),
  check({ triggers }) {
    for (const [index, { type }] of triggers.entries()) {
      if (ONLY_OF_RULES.includes(type)) throw invalid(`triggers[${index}].type`, `${type} cannot be waited for`);
    }
  },
  async run({ triggers, timeout_secs, on_timeout }, scope: WaitScope) {
    const watched = triggers.map(watch);
    const what = watched.map(({ label }) => label).join(", or ");
    const timeoutMs = timeout_secs === undefined ? undefined : timeout_secs * 1000;
    const fired = await nextOf(watched, { ms: timeoutMs, label: what }, scope);
    if (!fired) return timedOut(scope, { waitedFor: what, timeout_secs: timeout_secs ?? 0, on_timeout });
    setWait(scope, { completed: true, trigger: contextOf(fired) });
    return `${fired.of.label} came`;
  },
  example: {
    triggers: [
      { type: "device_state_changed", area: "hall", attribute: "motion", to: false, for_duration_secs: 300 },
      { type: "time_of_day", time: "23:00", id: "late" },
    ],
    timeout_secs: 7200,
    on_timeout: "continue",
  },
});

interface Watched {
  readonly spec: Typed;
  readonly definition: TriggerDefinition;
  readonly label: string;
  /** Matches that must still last, by device; `until` is monotonic ms. */
  readonly holds: Map<string, { context: TriggerContext; until: number }>;
}

interface Fired {
  readonly of: Watched;
  readonly context: TriggerContext;
}

function watch(spec: Typed): Watched {
  const definition = known.find(({ type }) => type === spec.type);
  if (!definition) throw invalid("triggers", `there is no trigger "${spec.type}"`);
  return { spec, definition, label: definition.label(spec), holds: new Map() };
}

function contextOf({ of: { spec, definition }, context }: Fired): TriggerContext {
  return { ...context, type: definition.type, id: typeof spec.id === "string" ? spec.id : "" };
}

/** Undefined after the timeout. */
async function nextOf(
  watched: readonly Watched[],
  whole: { ms: number | undefined; label: string },
  scope: WaitScope,
): Promise<Fired | undefined> {
  const events = [
    ...new Set(watched.flatMap(({ definition, spec }) => definition.interests?.(spec) ?? []).map(({ event }) => event)),
  ];
  const deadline = whole.ms === undefined ? Number.POSITIVE_INFINITY : scope.mono() + whole.ms - scope.elapsed();
  const moments = momentsOf(watched, scope);
  // A time of day that passes while the hub is off fires when it is back.
  scope.progress(moments.map((at) => at ?? null));
  let fired: Fired | undefined;

  /** Ends at the event that fires a trigger, or at the time when there is something to look at. */
  function wait(): Promise<Envelope | undefined> {
    const ms = msLeft({ watched, moments, deadline }, scope);
    return scope.waitForEvent({
      event: events,
      stepOf: whole,
      timeoutMs: Number.isFinite(ms) ? Math.max(0, ms) : undefined,
      matches(envelope) {
        const begun = watched.map((one) => take(one, envelope, scope));
        fired = begun.find((result) => typeof result === "object");
        if (fired || !begun.includes("hold")) return fired !== undefined;
        // Begun at once, so that no event comes between the two waits.
        next = wait();
        return true;
      },
    });
  }

  let next = wait();
  for (let current = next; ; current = next) {
    const envelope = await current;
    fired ??= envelope ? undefined : dueOf(watched, moments, scope);
    if (fired) return fired;
    if (current !== next) continue;
    if (scope.mono() >= deadline) return undefined;
    next = wait();
  }
}

/** By trigger, the next time at which the clock fires it, in epoch ms; after a restart those from before it. */
function momentsOf(watched: readonly Watched[], scope: WaitScope): readonly (number | undefined)[] {
  const resumed = scope.resumed();
  if (Array.isArray(resumed)) return resumed.map((at) => (typeof at === "number" ? at : undefined));
  return watched.map(({ definition, spec }) => definition.schedule?.(spec, scope.host).next(scope.host.now()));
}

/** What an event does to a trigger: it fires, begins to last, or nothing of both. */
function take(one: Watched, envelope: Envelope, { host, mono }: WaitScope): Fired | "hold" | undefined {
  const { definition, spec, holds } = one;
  const device = envelope.deviceId ?? "";
  const held = holds.get(device);
  if (held && !definition.hold?.stillMatches(spec, held.context, host)) holds.delete(device);
  const context = definition.match?.(spec, envelope, host);
  if (!context) return undefined;
  const holdMs = definition.hold?.durationMs(spec) ?? 0;
  if (holdMs <= 0) return { of: one, context };
  if (holds.has(device)) return undefined;
  holds.set(device, { context, until: mono() + holdMs });
  return "hold";
}

/** The trigger that fires by the clock now. */
function dueOf(
  watched: readonly Watched[],
  moments: readonly (number | undefined)[],
  { host, mono }: WaitScope,
): Fired | undefined {
  for (const [index, one] of watched.entries()) {
    const at = moments[index];
    if (at !== undefined && at <= host.now()) return { of: one, context: { scheduled_at: new Date(at).toISOString() } };
    for (const [device, { context, until }] of one.holds) {
      if (until > mono()) continue;
      if (one.definition.hold?.stillMatches(one.spec, context, host)) return { of: one, context };
      one.holds.delete(device);
    }
  }
  return undefined;
}

function msLeft(
  {
    watched,
    moments,
    deadline,
  }: { watched: readonly Watched[]; moments: readonly (number | undefined)[]; deadline: number },
  { host, mono }: WaitScope,
): number {
  const holds = watched.flatMap((one) => [...one.holds.values()].map(({ until }) => until - mono()));
  const times = moments.flatMap((at) => (at === undefined ? [] : [at - host.now()]));
  return [...holds, ...times].reduce((least, ms) => Math.min(least, ms), deadline - mono());
}
