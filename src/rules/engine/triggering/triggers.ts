// The triggers of enabled rules: registers them with the trigger index, the schedules and the holds, and finds the ones that an
// event fires.
import type { Log } from "../../../kit/lifecycle/log.ts";
import { messageOf } from "../../../kit/schema/errors.ts";
import type { Envelope } from "../../../server/events/feed.ts";
import type { TriggerContext, TriggerDefinition, Typed } from "../../model/define.ts";
import type { HouseReads } from "../../model/host.ts";
import type { Entry, TriggerRef } from "../entry.ts";
import { type Holds, holdMsOf } from "./holds.ts";
import type { Schedules } from "./schedules.ts";
import type { TriggerIndex } from "./trigger-index.ts";

export interface Match {
  readonly ref: TriggerRef;
  readonly context: TriggerContext;
}

export interface Triggers {
  /** Registers the current triggers of the rule. Unchanged ones keep their holds and schedules. */
  wire(entry: Entry): void;
  /** Removes all triggers of the rule. */
  unwire(entry: Entry): void;
  /** At most one match per rule, that of its first matching trigger. In the order of priority. */
  matching(envelope: Envelope): readonly Match[];
}

export interface TriggersOptions {
  log: Log;
  host: HouseReads;
  definitions: ReadonlyMap<string, TriggerDefinition>;
  index: TriggerIndex;
  holds: Holds;
  schedules: Schedules;
}

const NO_MATCH: readonly Match[] = [];

export function createTriggers({ log, host, definitions, index, holds, schedules }: TriggersOptions): Triggers {
  function replace(entry: Entry, refs: readonly TriggerRef[]): void {
    const before = entry.triggers;
    const keys = new Set(refs.map(({ key }) => key));
    for (const ref of before) index.remove(ref);
    entry.triggers = refs;
    for (const ref of before.filter(({ key }) => !keys.has(key))) {
      holds.remove(ref);
      schedules.stop(entry, ref.key);
    }
    for (const ref of refs) {
      index.add(ref);
      holds.rebind(ref);
      schedules.start(ref);
    }
  }

  function refsOf(entry: Entry): TriggerRef[] {
    const keys = new Set<string>();
    return entry.rule.triggers.flatMap((spec, position) => {
      const definition = definitions.get(spec.type);
      if (!definition) {
        log.error("a rule has a trigger that does not exist", { rule: entry.rule.name, trigger: spec.type });
        return [];
      }
      const identity = definition.schedule ? { ...spec, catch_up_secs: entry.rule.catch_up_secs } : spec;
      return [{ entry, position, key: keyOf(identity, keys), spec, definition }];
    });
  }

  function match({ entry, spec, definition }: TriggerRef, envelope: Envelope): TriggerContext | undefined {
    try {
      return definition.match?.(spec, envelope, host);
    } catch (error) {
      const message = messageOf(error);
      // Logged once: the next event will fail as well.
      if (entry.lastError?.message !== message)
        log.error("a trigger failed", { rule: entry.rule.name, trigger: definition.type, error: message });
      entry.lastError = { at: host.now(), message };
      return undefined;
    }
  }

  return {
    wire: (entry) => replace(entry, entry.rule.enabled ? refsOf(entry) : []),
    unwire: (entry) => replace(entry, []),
    matching(envelope) {
      const concerned = index.concerned(envelope);
      if (concerned.length === 0) return NO_MATCH;
      const found: Match[] = [];
      for (const ref of concerned) {
        const hasHold = holdMsOf(ref) !== undefined;
        if (!hasHold && found.at(-1)?.ref.entry === ref.entry) continue;
        const context = match(ref, envelope);
        if (hasHold) holds.update(ref, envelope.deviceId, context);
        else if (context) found.push({ ref, context });
      }
      return found;
    },
  };
}

/** Made from the content of the trigger, so that it stays the same when the list around it changes. */
function keyOf(spec: Typed, taken: Set<string>): string {
  const fields = Object.entries(spec).sort(([a], [b]) => (a < b ? -1 : 1));
  const key = Bun.hash(JSON.stringify(fields)).toString(36);
  let unique = key;
  for (let count = 2; taken.has(unique); count++) unique = `${key}.${count}`;
  taken.add(unique);
  return unique;
}
