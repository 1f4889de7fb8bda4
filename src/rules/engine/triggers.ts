// The triggers of the rules that are switched on: puts them where events and the clock find them, and says which of them an
// event sets off.
import { messageOf } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { Envelope } from "../../events/feed.ts";
import type { TriggerContext, TriggerDefinition, Typed } from "../define.ts";
import type { RuleHost } from "../host.ts";
import type { Entry, TriggerRef } from "./entry.ts";
import { type Holds, holdMsOf } from "./holds.ts";
import type { Schedules } from "./schedules.ts";
import type { TriggerIndex } from "./trigger-index.ts";

export interface Match {
  readonly ref: TriggerRef;
  readonly context: TriggerContext;
}

export interface Triggers {
  /** Sets up the triggers of the rule as it is now. Those that were there before and are unchanged go on undisturbed. */
  wire(entry: Entry): void;
  /** Takes all of them away. */
  unwire(entry: Entry): void;
  /** One match a rule: that of its first trigger. In the order of priority. */
  matching(envelope: Envelope): readonly Match[];
}

export interface TriggersOptions {
  log: Log;
  host: RuleHost;
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
      holds.drop(ref);
      schedules.end(entry, ref.key);
    }
    for (const ref of refs) {
      index.add(ref);
      holds.adopt(ref);
      schedules.begin(ref);
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
      const about = definition.schedule ? { ...spec, catch_up_secs: entry.rule.catch_up_secs } : spec;
      return [{ entry, position, key: keyOf(about, keys), spec, definition }];
    });
  }

  function match({ entry, spec, definition }: TriggerRef, envelope: Envelope): TriggerContext | undefined {
    try {
      return definition.match?.(spec, envelope, host);
    } catch (error) {
      const message = messageOf(error);
      // Told once: the next event will fail as well.
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
        const held = holdMsOf(ref) !== undefined;
        if (!held && found.at(-1)?.ref.entry === ref.entry) continue;
        const context = match(ref, envelope);
        if (held) holds.see(ref, envelope.deviceId, context);
        else if (context) found.push({ ref, context });
      }
      return found;
    },
  };
}

/** From what the trigger says, so that it stays the same when the list around it changes. */
function keyOf(spec: Typed, taken: Set<string>): string {
  const fields = Object.entries(spec).sort(([a], [b]) => (a < b ? -1 : 1));
  const key = Bun.hash(JSON.stringify(fields)).toString(36);
  let unique = key;
  for (let count = 2; taken.has(unique); count++) unique = `${key}.${count}`;
  taken.add(unique);
  return unique;
}
