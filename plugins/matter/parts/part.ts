// A part of a bridged device: one of Matter's device types, what it shows of the hub's attributes, and what its commands mean to the hub.
import type { ActionContext, Endpoint, EndpointType } from "@matter/main";
import { hasLocalActor } from "@matter/main/protocol";
import { Status, StatusResponseError } from "@matter/types";
import type { Json, JsonObject } from "../../sdk/index.ts";
import type { HubDevice } from "../hub.ts";

/** Cluster → attribute → value, as `Endpoint.set` takes it. */
export type ClusterValues = Record<string, Record<string, unknown>>;
/** What is asked in one action of the other side is one command; the action fails where the hub or the device refuses it. */
export type Ask = (context: ActionContext, command: JsonObject) => void;

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
  /** One of its buttons was used, in the device's own words. */
  press?(endpoint: Endpoint, action: string): Promise<void>;
}

/** Undefined where the device, by the words that all devices share, has nothing of this kind. */
export type MakePart = (device: HubDevice) => Part | undefined;

/**
 * Asks the device for what `wanted` makes of a value that somebody on the other side sets; of one that the hub shows, nothing.
 * `wanted` may throw a StatusResponseError: the other side receives it, and nothing is set.
 */
export function whenSet(
  endpoint: Endpoint,
  attribute: readonly [cluster: string, name: string],
  ask: Ask,
  wanted: (value: unknown, context: ActionContext) => JsonObject | undefined,
): void {
  const [cluster, name] = attribute;
  const changing = endpoint.eventsOf(cluster)[`${name}$Changing`] as Changing | undefined;
  if (!changing) throw new Error(`${cluster} has no attribute ${name}`);
  changing.on((value, _before, context) => {
    if (!context || hasLocalActor(context)) return;
    const command = wanted(value, context);
    if (command) ask(context, command);
  });
}

const handlers = new WeakMap<Endpoint, (context: ActionContext, value: Json) => void>();

/** Asks the device for what `wanted` makes of what a cluster's server says with `handOn`. */
export function whenCommanded<T extends Json>(endpoint: Endpoint, ask: Ask, wanted: (value: T) => JsonObject): void {
  handlers.set(endpoint, (context, value) => ask(context, wanted(value as T)));
}

/**
 * Of a cluster's server: hands on a command, whether or not it changes what is shown. What is shown may be wrong: an infrared lamp
 * reports to nobody that it was switched by hand, and a report can be lost. "Everything off" must reach those as well.
 */
export function handOn({ endpoint, context }: CommandContext, value: Json): void {
  handlers.get(endpoint)?.(context, value);
}

interface CommandContext {
  endpoint: Endpoint;
  context: ActionContext;
}

interface Changing {
  on(observer: (value: unknown, before: unknown, context?: ActionContext) => void): void;
}

/** What the device cannot do, so that the other side receives it: nothing is done, and nothing is shown as done. */
export function cannot(why: string, status = Status.ConstraintError): StatusResponseError {
  return new StatusResponseError(why, status);
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

/** Whether a device has the attribute, as reported or as described. */
export function has(device: HubDevice, attribute: string): boolean {
  return device.attributes[attribute] !== undefined || describedAs(device, attribute) !== undefined;
}

/** Whether it takes commands for the attribute: one that it does not describe may be. */
export function isSettable(device: HubDevice, attribute: string): boolean {
  return has(device, attribute) && describedAs(device, attribute)?.readOnly !== true;
}

function objectOf(value: Json | undefined): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
}
