// Which trigger a test assumes, and what it hands to the rule.

import { didYouMean } from "../../kit/schema/did-you-mean.ts";
import { HubError } from "../../kit/schema/errors.ts";
import type { JsonObject } from "../../kit/schema/json.ts";
import { type Activation, activationBy, interestsOf, labelOf, newEntry } from "../engine/entry.ts";
import type { TriggerContext, TriggerDefinition, Typed } from "../model/define.ts";
import { deviceContext } from "../model/devices.ts";
import type { HouseReads } from "../model/host.ts";
import type { Trace } from "../model/trace.ts";
import type { Rule } from "../read/rule.ts";

/** One of the three; without any, the first trigger of the rule. */
export interface TriggerWanted {
  /** In the rule's list, from 0. */
  index?: number | undefined;
  /** The `id` that the rule gives it. */
  id?: string | undefined;
  type?: string | undefined;
  /** Without it, that of its last evaluation, or what follows from the trigger itself. */
  context?: TriggerContext | undefined;
}

export interface TriggerTools {
  vocabulary: { triggers: readonly TriggerDefinition[] };
  /** Newest first. */
  traces?: readonly Trace[];
  /** As the test makes it up. */
  house: Pick<HouseReads, "device">;
}

/** Throws HubError `not_found` where there is no such trigger. */
export function activationFor(rule: Rule, wanted: TriggerWanted, tools: TriggerTools): Activation {
  const { vocabulary, traces = [], house } = tools;
  const position = positionOf(rule, wanted);
  const spec = rule.triggers[position];
  const type = spec?.type ?? wanted.type ?? "manual_trigger";
  const definition = vocabulary.triggers.find((known) => known.type === type);
  if (!spec || !definition) {
    return { type, label: `${type}, for a test`, context: wanted.context ?? {}, chain: [] };
  }
  const entry = newEntry(rule, { fired: undefined, fireCount: 0, pause: undefined });
  const ref = { entry, spec, definition, position, key: "" };
  const label = labelOf(ref);
  // An event fires it, unless it holds for a while or is one of the clock.
  const cause = {
    chain: [],
    ...(definition.match && !definition.hold?.durationMs(spec) && { dispatch: { open: true } }),
  };
  if (wanted.context) return activationBy(ref, wanted.context, cause);
  const last = traces.find(({ trigger }) => trigger.type === type && trigger.label === label);
  const deviceId = interestsOf(ref)[0]?.deviceId;
  return activationBy(ref, last?.trigger.context ?? likelyContext(spec, deviceId, house), cause);
}

/** The state that the device of the trigger must have, unless another is made up. */
export function stateIn(
  { device_id, attribute, value }: TriggerContext,
  { house, made = {} }: { house: Pick<HouseReads, "device">; made: Readonly<Record<string, JsonObject>> | undefined },
): Record<string, JsonObject> {
  if (typeof device_id !== "string" || typeof attribute !== "string" || value === undefined) return {};
  const isMade = Object.hasOwn(made, device_id) && Object.hasOwn(made[device_id] ?? {}, attribute);
  return isMade || !house.device(device_id) ? {} : { [device_id]: { [attribute]: value } };
}

function positionOf({ triggers }: Rule, { index, id, type }: TriggerWanted): number {
  if (index !== undefined) {
    if (triggers[index]) return index;
    throw new HubError("not_found", `there is no trigger ${index}: the rule has ${triggers.length}, counted from 0`);
  }
  if (id !== undefined) {
    const ids = triggers.map((trigger) => (typeof trigger.id === "string" ? trigger.id : ""));
    if (ids.includes(id)) return ids.indexOf(id);
    const known = ids.filter((one) => one !== "");
    throw new HubError("not_found", `no trigger of the rule has the id "${id}"${didYouMean(id, known)}`);
  }
  return type === undefined ? 0 : triggers.findIndex((trigger) => trigger.type === type);
}

/** What the trigger would say if it fired for its first device. */
function likelyContext(spec: Typed, deviceId: string | undefined, house: Pick<HouseReads, "device">): TriggerContext {
  if (deviceId === undefined) return {};
  const context = deviceContext(house, deviceId);
  if (typeof spec.attribute !== "string") return context;
  const now = house.device(deviceId)?.attributes[spec.attribute];
  const to = Array.isArray(spec.to) ? spec.to[0] : spec.to;
  const value = (to ?? now) as TriggerContext[string];
  return { ...context, attribute: spec.attribute, ...(value !== undefined && { value }) };
}
