// Four states of each model: the two of the corpus, and two in which every two-valued property and every choice is another.

import type { Exposed, Model } from "../corpus/lines.ts";
import { coloured } from "./colors.ts";

export type State = Record<string, unknown>;

interface Values {
  two?: [on: unknown, off: unknown];
  choices?: unknown[];
  range?: [number, number];
}

// Of any other mode Home Assistant makes no state at all (homeassistant/components/climate/const.py).
const MODES = ["off", "heat", "cool", "heat_cool", "auto", "dry", "fan_only"];

export function statesOf(model: Model): State[] {
  const [first = {}, second = first] = model.states.map(({ payload }) => payload);
  const known = valuesOf(model);
  return [
    coloured(model, first, "white"),
    coloured(model, second, "white"),
    coloured(model, turned(first, known, 0), 0),
    coloured(model, turned(second, known, 1), 1),
  ];
}

function valuesOf({ bridgeDevice, discovery }: Model): Map<string, Values> {
  const known = new Map<string, Values>();
  const add = (one: Exposed & { values?: unknown[]; value_min?: number; value_max?: number }): void => {
    for (const feature of one.features ?? []) if (one.type !== "composite") add(feature);
    if (one.property === undefined) return;
    if (one.type === "binary") known.set(one.property, { two: [one.value_on, one.value_off] });
    if (one.type === "enum" && one.values) known.set(one.property, { choices: one.values });
    const { value_min: min, value_max: max } = one;
    if (one.type === "numeric" && min !== undefined && max !== undefined)
      known.set(one.property, { range: [min, max] });
  };
  for (const one of bridgeDevice.definition.exposes) add(one);
  for (const { payload } of discovery) {
    const modes = /value_json\["([^"]+)"\]/.exec(String(payload.mode_state_template))?.[1] ?? "";
    const { choices } = known.get(modes) ?? {};
    if (choices) known.set(modes, { choices: choices.filter((one) => MODES.includes(String(one))) });
  }
  // What is announced to Home Assistant and not exposed.
  for (const { payload } of discovery) {
    const property = /value_json\["([^"]+)"\]/.exec(String(payload.value_template))?.[1];
    const { payload_on: on, payload_off: off } = payload;
    if (property !== undefined && on !== undefined && off !== undefined && !known.has(property))
      known.set(property, { two: [on, off] });
  }
  return known;
}

function turned(state: State, known: ReadonlyMap<string, Values>, round: number): State {
  const all = Object.entries(state).map(([name, value]) => [name, turnedValue(value, known.get(name) ?? {}, round)]);
  const next: State = Object.fromEntries(all);
  // Zigbee2MQTT makes both from one report.
  if ("lock_state" in next && ("LOCK" === next.state || "UNLOCK" === next.state))
    next.lock_state = next.state === "LOCK" ? "locked" : "unlocked";
  return next;
}

function turnedValue(value: unknown, { two, choices, range }: Values, round: number): unknown {
  if (two) return value === two[0] ? two[1] : two[0];
  // The corpus has the first and the second; these are the last ones.
  if (choices && choices.length > 2) return choices.at(round === 0 ? -1 : Math.min(2, choices.length - 1));
  if (choices) return choices.find((one) => one !== value) ?? value;
  if (range && typeof value === "number") return range[round];
  return value;
}

/** What Zigbee2MQTT says besides, for parts that Home Assistant knows as things of their own: NAME/l1 without the `_l1`. */
export function partMessages(model: Model, state: State): { topic: string; payload: State }[] {
  const parts = new Set<string>();
  for (const { topic } of model.discovery) {
    const part = /^homeassistant\/(?:light|cover)\/[^/]+\/(?:light|cover)_([^/]+)\/config$/.exec(topic)?.[1];
    if (part !== undefined) parts.add(part);
  }
  return [...parts].map((part) => {
    const own = Object.entries(state).filter(([name]) => name.endsWith(`_${part}`));
    const payload = Object.fromEntries(own.map(([name, value]) => [name.slice(0, -part.length - 1), value]));
    return { topic: `zigbee2mqtt/${model.name}/${part}`, payload };
  });
}
