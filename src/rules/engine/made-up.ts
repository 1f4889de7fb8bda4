// What a dry run is set off by: one of the rule's triggers, with a context that a person made up, or as it was the last time.
import type { TriggerContext, TriggerDefinition } from "../define.ts";
import { type Entry, interestsOf, labelOf, type Occasion } from "./entry.ts";
import type { Traces } from "./traces.ts";

export interface MadeUp {
  /** The rule's first trigger where it is not given. */
  type?: string;
  context?: TriggerContext;
}

export interface MadeUpTools {
  definitions: readonly TriggerDefinition[];
  traces: Traces;
}

export function madeUpOccasion(entry: Entry, wanted: MadeUp, { definitions, traces }: MadeUpTools): Occasion {
  const { type = entry.rule.triggers[0]?.type ?? "manual_trigger", context } = wanted;
  const spec = entry.rule.triggers.find((trigger) => trigger.type === type);
  const definition = definitions.find((known) => known.type === type);
  if (!spec || !definition) return { type, label: `${type}, made up`, context: context ?? {}, chain: [] };
  const ref = { entry, spec, definition, position: 0, key: "" };
  const deviceId = interestsOf(ref)[0]?.deviceId;
  const last = traces.of(entry).find(({ trigger }) => trigger.type === type)?.trigger.context;
  const likely = last ?? (deviceId === undefined ? {} : { device_id: deviceId });
  return { type, label: labelOf(ref), context: context ?? likely, chain: [] };
}
