// Triggers that fire only after what they saw has stood for a while. A hold begins with a match and ends when it no longer
// stands; once it has fired, it must end before another can begin. Holds go on over restarts.
import type { Clock, Timer } from "../../core/clock.ts";
import { messageOf } from "../../core/errors.ts";
import { isObject, parseJson } from "../../core/json.ts";
import { guarded } from "../../core/lifecycle.ts";
import type { Log } from "../../core/log.ts";
import type { TriggerContext } from "../define.ts";
import type { RuleHost } from "../host.ts";
import type { TriggerRef } from "./entry.ts";
import { type Moment, momentNow, msSince, restoreMoment } from "./moment.ts";
import type { HoldRow, RuleStore } from "./store.ts";

export interface Holds extends Disposable {
  /** An event concerns the trigger; `context` when it matched. */
  see(ref: TriggerRef, deviceId: string | undefined, context: TriggerContext | undefined): void;
  /** The trigger is there, perhaps again: its holds go on. */
  adopt(ref: TriggerRef): void;
  /** The trigger is gone. */
  drop(ref: TriggerRef): void;
  /** Takes up what is on disk for the triggers that were adopted, and forgets the rest. Those that are over fire now. */
  restore(refs: Iterable<TriggerRef>): void;
}

export interface HoldsOptions {
  clock: Clock;
  log: Log;
  host: RuleHost;
  store: Pick<RuleStore, "holds" | "saveHold" | "dropHold">;
  onDue(ref: TriggerRef, context: TriggerContext): void;
}

interface Group {
  ref: TriggerRef;
  readonly holds: Map<string, Hold>;
}

interface Hold {
  readonly deviceId: string;
  readonly context: TriggerContext;
  readonly since: Moment;
  fired: boolean;
  timer: Timer | undefined;
}

// The clock of a Pi is put right some time after the start: only looking again tells that a restored hold is over.
const LOOK_AGAIN_MS = 10_000;
// Above what any event carries.
const DEEPEST_CONTEXT = 200;

/** How long it must stand; undefined for triggers that fire at once. */
export function holdMsOf({ definition, spec }: TriggerRef): number | undefined {
  const ms = definition.hold?.durationMs(spec);
  return ms !== undefined && ms > 0 ? ms : undefined;
}

export function createHolds({ clock, log, host, store, onDue }: HoldsOptions): Holds {
  const groups = new Map<string, Group>();

  function stands({ ref }: Group, { context }: Hold): boolean {
    try {
      return ref.definition.hold?.stands(ref.spec, context, host) ?? false;
    } catch (error) {
      log.error("a trigger cannot tell whether it still stands", { ...told(ref), error: messageOf(error) });
      return false;
    }
  }

  function begin(ref: TriggerRef, hold: Hold): void {
    const key = groupKey(ref);
    const group = groups.get(key) ?? { ref, holds: new Map() };
    groups.set(key, group);
    group.holds.set(hold.deviceId, hold);
    if (!hold.fired) arm(group, hold);
  }

  function arm(group: Group, hold: Hold): void {
    const leftMs = Math.ceil((holdMsOf(group.ref) ?? 0) - msSince(clock, hold.since));
    const waitMs = hold.since.restored ? Math.min(leftMs, LOOK_AGAIN_MS) : leftMs;
    const onTime = guarded(log, `hold of ${group.ref.entry.rule.name}`, () => due(group, hold));
    hold.timer = clock.after("rules: hold", waitMs, onTime);
  }

  function due(group: Group, hold: Hold): void {
    if ((holdMsOf(group.ref) ?? 0) > msSince(clock, hold.since)) arm(group, hold);
    else if (stands(group, hold)) fire(group, hold);
    else end(group, hold);
  }

  function fire({ ref }: Group, hold: Hold): void {
    hold.timer = undefined;
    hold.fired = true;
    save(ref, hold);
    onDue(ref, hold.context);
  }

  function end(group: Group, hold: Hold): void {
    hold.timer?.[Symbol.dispose]();
    group.holds.delete(hold.deviceId);
    if (group.holds.size === 0) groups.delete(groupKey(group.ref));
    store.dropHold(rowKey(group.ref, hold.deviceId));
  }

  function save(ref: TriggerRef, { deviceId, since, fired, context }: Hold): void {
    const text = JSON.stringify(context);
    store.saveHold({ ...rowKey(ref, deviceId), since: since.wall, fired: fired ? 1 : 0, context: text });
  }

  function takeUp(ref: TriggerRef, row: HoldRow): void {
    const parsed = parseJson(row.context, DEEPEST_CONTEXT);
    if (!parsed.ok || !isObject(parsed.value)) {
      log.warn("what a trigger waited for cannot be read from the disk; it begins anew", told(ref));
      store.dropHold(row);
      return;
    }
    const context: TriggerContext = parsed.value;
    const since = restoreMoment(clock, row.since);
    const hold: Hold = { deviceId: row.device_id, context, since, fired: row.fired === 1, timer: undefined };
    if (stands({ ref, holds: new Map() }, hold)) begin(ref, hold);
    else store.dropHold(row);
  }

  return {
    see(ref, deviceId, context) {
      const group = groups.get(groupKey(ref));
      for (const hold of group ? [...group.holds.values()] : []) {
        const concerned = deviceId === undefined || deviceId === hold.deviceId;
        if (group && concerned && !stands(group, hold)) end(group, hold);
      }
      const of = deviceId ?? "";
      if (!context || groups.get(groupKey(ref))?.holds.has(of)) return;
      const hold: Hold = { deviceId: of, context, since: momentNow(clock), fired: false, timer: undefined };
      begin(ref, hold);
      save(ref, hold);
    },
    adopt(ref) {
      const group = groups.get(groupKey(ref));
      if (group) group.ref = ref;
    },
    drop(ref) {
      const group = groups.get(groupKey(ref));
      for (const hold of group ? [...group.holds.values()] : []) if (group) end(group, hold);
    },
    restore(refs) {
      const known = new Map([...refs].map((ref) => [groupKey(ref), ref]));
      for (const row of store.holds().sort((a, b) => a.since - b.since)) {
        const ref = known.get(`${row.rule_id}/${row.trigger_key}`);
        if (ref && holdMsOf(ref) !== undefined) takeUp(ref, row);
        else store.dropHold(row);
      }
      for (const group of [...groups.values()]) {
        for (const hold of [...group.holds.values()]) if (!hold.fired) lookAtOnce(group, hold);
      }
    },
    [Symbol.dispose]() {
      for (const { holds } of groups.values()) for (const { timer } of holds.values()) timer?.[Symbol.dispose]();
      groups.clear();
    },
  };

  function lookAtOnce(group: Group, hold: Hold): void {
    hold.timer?.[Symbol.dispose]();
    due(group, hold);
  }
}

function groupKey({ entry, key }: TriggerRef): string {
  return `${entry.rule.id}/${key}`;
}

function rowKey({ entry, key }: TriggerRef, deviceId: string): Pick<HoldRow, "rule_id" | "trigger_key" | "device_id"> {
  return { rule_id: entry.rule.id, trigger_key: key, device_id: deviceId };
}

function told({ entry: { rule }, definition }: TriggerRef): { rule: string; trigger: string } {
  return { rule: rule.name, trigger: definition.type };
}
