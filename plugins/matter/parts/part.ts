// A part of a bridged device: one of Matter's device types, what it shows of the hub's attributes, and what its commands mean to the hub.
import type { Endpoint, EndpointType } from "@matter/main";
import { hasLocalActor } from "@matter/main/protocol";
import type { Json, JsonObject } from "../../sdk/index.ts";
import type { HubDevice } from "../hub.ts";

/** Cluster → attribute → value, as `Endpoint.set` takes it. */
export type ClusterValues = Record<string, Record<string, unknown>>;
export type Ask = (command: JsonObject) => void;

export interface Part {
  /** Of one device once, and the same for ever: other homes know the part by the number that goes with it. */
  id: string;
  type: EndpointType & { behaviors: unknown };
  /** What it can do, beside its type. With another text the part is made anew. */
  features?: string;
  /** Values that it is made with and that stay. */
  fixed?: ClusterValues;
  /** Must be within Matter's bounds. A word that the device has not reported yet keeps what is shown. */
  values(words: JsonObject): ClusterValues;
  /** Hands on what somebody wants of it from the other side. */
  watch?(endpoint: Endpoint, ask: Ask): void;
}

/** Undefined where the device, by the words that all devices share, has nothing of this kind. */
export type MakePart = (device: HubDevice) => Part | undefined;

/** Calls `asked` with the value that somebody on the other side has set, not with what the hub shows. */
export function whenSet(endpoint: Endpoint, cluster: string, attribute: string, asked: (value: unknown) => void): void {
  const changed = endpoint.eventsOf(cluster)[`${attribute}$Changed`] as Changed | undefined;
  if (!changed) throw new Error(`${cluster} has no attribute ${attribute}`);
  changed.on((value, _before, context) => {
    if (context && !hasLocalActor(context)) asked(value);
  });
}

type Asking = boolean | string;

const repeated = new WeakMap<Endpoint, (value: Asking) => void>();

/** The same, for what can be asked for although it is shown already, or is never shown: see `askAgain`. */
export function whenAskedAgain(endpoint: Endpoint, asked: (value: Asking) => void): void {
  repeated.set(endpoint, asked);
}

/**
 * Hands on a command for what is shown already. What is shown may be wrong: an infrared lamp tells nobody that it was switched by hand,
 * and a report can be lost. "Everything off" must reach those as well.
 */
export function askAgain({ endpoint, context }: Asked, value: Asking): void {
  if (!hasLocalActor(context)) repeated.get(endpoint)?.(value);
}

interface Asked {
  endpoint: Endpoint;
  context: Parameters<typeof hasLocalActor>[0];
}

interface Changed {
  on(observer: (value: unknown, before: unknown, context?: Parameters<typeof hasLocalActor>[0]) => void): void;
}

export function numberOf(value: Json | undefined): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export function booleanOf(value: Json | undefined): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

/** A whole number within the bounds; undefined for no number. */
export function within(low: number, high: number, value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.min(high, Math.max(low, Math.round(value)));
}

/** Without values that are unknown. */
export function known(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** What the device's JSON Schema says of its attributes, by name: `schema` goes before `capabilities`. */
export function propertiesOf({ schema, capabilities }: HubDevice): Record<string, JsonObject> {
  const described = [capabilities, schema].flatMap((one) => Object.entries(objectOf(objectOf(one)?.properties) ?? {}));
  return Object.fromEntries(
    described.flatMap(([name, property]) => {
      const one = objectOf(property);
      return one ? [[name, one]] : [];
    }),
  );
}

export function describedAs(device: HubDevice, attribute: string): JsonObject | undefined {
  return propertiesOf(device)[attribute];
}

/** The texts that an attribute may have: of an `enum`, or of constants in `anyOf`; none where its schema lists none. */
export function optionsOf(device: HubDevice, attribute: string): string[] {
  const { enum: listed, anyOf } = describedAs(device, attribute) ?? {};
  const options = Array.isArray(listed) ? listed : Array.isArray(anyOf) ? anyOf.map((one) => objectOf(one)?.const) : [];
  return options.filter((one) => typeof one === "string");
}

/** Whether a device has the attribute, as told or as described. */
export function has(device: HubDevice, attribute: string): boolean {
  return device.attributes[attribute] !== undefined || describedAs(device, attribute) !== undefined;
}

function objectOf(value: Json | undefined): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
}
