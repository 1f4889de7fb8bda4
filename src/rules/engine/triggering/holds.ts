// Triggers that fire only after their match has lasted for a while. A hold begins with a match and ends when the trigger no
// longer matches. After it has fired, it must end before a new one can begin. Holds continue over restarts.
import { background, guarded } from "../../../kit/lifecycle/lifecycle.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { messageOf } from "../../../kit/schema/errors.ts";
import { isObject, parseJson } from "../../../kit/schema/json.ts";
import type { Clock, Timer } from "../../../kit/time/clock.ts";
import { type DurableMoment, momentNow, msSince, restoreMoment } from "../../../kit/time/durable-moment.ts";
import type { TriggerContext } from "../../model/define.ts";
import type { HouseReads } from "../../model/host.ts";
import type { Run, TriggerRef } from "../entry.ts";
import type { HoldRow, RuleStore } from "../store.ts";

export interface HoldsOptions {
  clock: Clock;
  log: Log;
  host: HouseReads;
  store: Pick<RuleStore, "holds" | "saveHold" | "dropHold">;
  /** Gives the run if there is one; `hold` names what was fulfilled. */
  onDue(ref: TriggerRef, context: TriggerContext, hold: string): Pick<Run, "flushed"> | undefined;
}

/** The holds of one trigger, by device. */
interface Group {
  ref: TriggerRef;
  readonly holds: Map<string, Hold>;
}

interface Hold {
  readonly deviceId: string;
  readonly context: TriggerContext;
  readonly since: DurableMoment;
  fired: boolean;
  timer: Timer | undefined;
}

// The clock of a Raspberry Pi is set some time after the start, so a restored hold must be checked again and again.
const CHECK_RESTORED_MS = 10_000;
// More than the context of any event.
const MAX_CONTEXT_DEPTH = 200;

/** How long the match must last; undefined for triggers that fire at once. */
export function holdMsOf({ definition, spec }: TriggerRef): number | undefined {
  const ms = definition.hold?.durationMs(spec);
  return ms !== undefined && ms > 0 ? ms : undefined;
}

export class Holds implements Disposable {
  readonly #options: HoldsOptions;
  readonly #groups = new Map<string, Group>();

  constructor(options: HoldsOptions) {
    this.#options = options;
  }

  /** To be called for every event that concerns the trigger; with `context` if it matched. */
  update(ref: TriggerRef, deviceId: string | undefined, context: TriggerContext | undefined): void {
    const group = this.#groups.get(groupKey(ref));
    for (const hold of group ? [...group.holds.values()] : []) {
      const concerned = deviceId === undefined || deviceId === hold.deviceId;
      if (group && concerned && !this.#stillMatches(ref, hold)) this.#end(group, hold);
    }
    const device = deviceId ?? "";
    if (!context || this.#groups.get(groupKey(ref))?.holds.has(device)) return;
    const since = momentNow(this.#options.clock);
    const hold: Hold = { deviceId: device, context, since, fired: false, timer: undefined };
    this.#begin(ref, hold);
    this.#save(ref, hold);
  }

  /** Continues the holds of an unchanged trigger after its rule has changed. */
  rebind(ref: TriggerRef): void {
    const group = this.#groups.get(groupKey(ref));
    if (group) group.ref = ref;
  }

  /** Ends the holds of a trigger that no longer exists. */
  remove(ref: TriggerRef): void {
    const group = this.#groups.get(groupKey(ref));
    for (const hold of group ? [...group.holds.values()] : []) if (group) this.#end(group, hold);
  }

  /**
   * Continues the stored holds of these triggers and deletes all others. Those that are due fire now, except those in `fired`,
   * whose runs go on.
   */
  restore(refs: Iterable<TriggerRef>, fired: ReadonlySet<string> = new Set()): void {
    const { store } = this.#options;
    const known = new Map([...refs].map((ref) => [groupKey(ref), ref]));
    for (const row of store.holds().sort((a, b) => a.since - b.since)) {
      const ref = known.get(`${row.rule_id}/${row.trigger_key}`);
      if (ref && holdMsOf(ref) !== undefined) this.#restore(ref, fired.has(nameOf(row)) ? { ...row, fired: 1 } : row);
      else store.dropHold(row);
    }
    for (const group of [...this.#groups.values()]) {
      for (const hold of [...group.holds.values()]) {
        if (hold.fired) continue;
        hold.timer?.[Symbol.dispose]();
        this.#onTime(group, hold);
      }
    }
  }

  [Symbol.dispose](): void {
    for (const { holds } of this.#groups.values()) for (const { timer } of holds.values()) timer?.[Symbol.dispose]();
    this.#groups.clear();
  }

  #restore(ref: TriggerRef, row: HoldRow): void {
    const { clock, log, store } = this.#options;
    const parsed = parseJson(row.context, MAX_CONTEXT_DEPTH);
    if (!parsed.ok || !isObject(parsed.value)) {
      log.warn("a stored hold of a trigger cannot be read; it begins again", logFields(ref));
      store.dropHold(row);
      return;
    }
    const context: TriggerContext = parsed.value;
    const since = restoreMoment(clock, row.since);
    const hold: Hold = { deviceId: row.device_id, context, since, fired: row.fired === 1, timer: undefined };
    if (this.#stillMatches(ref, hold)) this.#begin(ref, hold);
    else store.dropHold(row);
  }

  #begin(ref: TriggerRef, hold: Hold): void {
    const key = groupKey(ref);
    const group = this.#groups.get(key) ?? { ref, holds: new Map() };
    this.#groups.set(key, group);
    group.holds.set(hold.deviceId, hold);
    if (!hold.fired) this.#startTimer(group, hold);
  }

  #startTimer(group: Group, hold: Hold): void {
    const { clock, log } = this.#options;
    const leftMs = Math.ceil((holdMsOf(group.ref) ?? 0) - msSince(clock, hold.since));
    const waitMs = hold.since.restored ? Math.min(leftMs, CHECK_RESTORED_MS) : leftMs;
    const onTime = guarded(log, `hold of ${group.ref.entry.rule.name}`, () => this.#onTime(group, hold));
    hold.timer = clock.after("rules: hold", waitMs, onTime);
  }

  #onTime(group: Group, hold: Hold): void {
    const { clock } = this.#options;
    if ((holdMsOf(group.ref) ?? 0) > msSince(clock, hold.since)) this.#startTimer(group, hold);
    else if (this.#stillMatches(group.ref, hold)) this.#fire(group, hold);
    else this.#end(group, hold);
  }

  #fire({ ref }: Group, hold: Hold): void {
    hold.timer = undefined;
    hold.fired = true;
    const run = this.#options.onDue(ref, hold.context, nameOf(this.#rowOf(ref, hold)));
    // If the hub is stopped before, the run is lost, and the trigger has to fire again.
    const saveIfHeld = (): void => {
      if (this.#groups.get(groupKey(ref))?.holds.get(hold.deviceId) === hold) this.#save(ref, hold);
    };
    if (!run) saveIfHeld();
    else background(this.#options.log, `hold of ${ref.entry.rule.name}`, run.flushed.promise.then(saveIfHeld));
  }

  #end(group: Group, hold: Hold): void {
    hold.timer?.[Symbol.dispose]();
    group.holds.delete(hold.deviceId);
    if (group.holds.size === 0) this.#groups.delete(groupKey(group.ref));
    this.#options.store.dropHold(rowKey(group.ref, hold.deviceId));
  }

  #save(ref: TriggerRef, hold: Hold): void {
    this.#options.store.saveHold(this.#rowOf(ref, hold));
  }

  #rowOf(ref: TriggerRef, { deviceId, since, fired, context }: Hold): HoldRow {
    return { ...rowKey(ref, deviceId), since: since.wall, fired: fired ? 1 : 0, context: JSON.stringify(context) };
  }

  #stillMatches(ref: TriggerRef, { context }: Hold): boolean {
    const { host, log } = this.#options;
    try {
      return ref.definition.hold?.stillMatches(ref.spec, context, host) ?? false;
    } catch (error) {
      log.error("a trigger failed to check whether it still matches", { ...logFields(ref), error: messageOf(error) });
      return false;
    }
  }
}

function groupKey({ entry, key }: TriggerRef): string {
  return `${entry.rule.id}/${key}`;
}

/** One match of a trigger: the next one of the same trigger begins at another time. */
function nameOf({ rule_id, trigger_key, device_id, since }: HoldRow): string {
  return `${rule_id}/${trigger_key}/${device_id}/${since}`;
}

function rowKey({ entry, key }: TriggerRef, deviceId: string): Pick<HoldRow, "rule_id" | "trigger_key" | "device_id"> {
  return { rule_id: entry.rule.id, trigger_key: key, device_id: deviceId };
}

function logFields({ entry: { rule }, definition }: TriggerRef): { rule: string; trigger: string } {
  return { rule: rule.name, trigger: definition.type };
}
