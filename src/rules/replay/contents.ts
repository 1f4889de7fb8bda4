// What a replay has to know about a rule: the parts it is made of, and the attributes that they read.
import type { TSchema } from "@sinclair/typebox";
import { isObject } from "../../kit/schema/json.ts";
import { lazy } from "../../kit/time/lazy.ts";
import type { Typed } from "../model/define.ts";
import { CEL, type Kind } from "../model/fields.ts";
import type { DeviceReads } from "../model/host.ts";
import {
  concerns,
  devicesOf,
  FOUND_BY,
  foundDevices,
  isFound,
  resolveDevices,
  type SomeDevices,
} from "../model/targets.ts";
import { type Reference, rewriteRule } from "../read/references.ts";
import { Rule } from "../read/rule.ts";
import { members } from "../read/schemas.ts";

/** What a rule names; `path` is where, unless it is in an expression. */
export interface Named {
  readonly kind: Reference["kind"];
  readonly name: string;
  readonly path?: string | undefined;
}

export interface RuleContents {
  /** Of all depths. */
  readonly parts: Readonly<Record<Kind, readonly Typed[]>>;
  /** CEL texts. */
  readonly expressions: readonly string[];
  /** Attributes that a trigger or condition names. */
  readonly reads: readonly { deviceId: string; attribute: string }[];
  /** Devices and modes that it names, or finds now. */
  readonly deviceIds: readonly string[];
  /** The attributes of a device that can matter; undefined where it may be any. */
  attributesOf(deviceId: string): readonly string[] | undefined;
}

/** `references`: with the names in expressions. */
export function contentsOf(rule: Rule, references: readonly Named[], host: DeviceReads): RuleContents {
  const parts: Record<Kind, Typed[]> = { trigger: [], condition: [], action: [] };
  const expressions = new Set<string>();
  rewriteRule({ schema: Rule, value: rule, path: "" }, ({ schema, value }) => {
    const kind = kindOfSchema().get(schema);
    if (kind && isObject(value)) parts[kind].push(value as unknown as Typed);
    if (schema.contentMediaType === CEL && typeof value === "string") expressions.add(value);
    return value;
  });
  const modes = references.filter(({ kind }) => kind === "mode");
  const reads = [
    ...[...parts.trigger, ...parts.condition].flatMap((part) => attributesRead(part, host)),
    ...modes.map(({ name }) => ({ deviceId: name, attribute: "on" })),
  ];
  const unique = new Map(reads.map((one) => [`${one.deviceId}/${one.attribute}`, one]));
  const contents = { parts, expressions: [...expressions], reads: [...unique.values()] };
  const deviceIds = [...new Set(references.flatMap((reference) => devicesBy(reference, host)))];
  const openIds = new Set(
    references.filter(({ path }) => path === undefined).flatMap((one) => (isGroup(one) ? devicesBy(one, host) : [])),
  );
  const attributesOf = (id: string) => (openIds.has(id) ? undefined : attributesThatMatter(contents, id, host));
  return { ...contents, deviceIds, attributesOf };
}

const kindOfSchema = lazy(
  () =>
    new Map<TSchema, Kind>(
      (["trigger", "condition", "action"] as const).flatMap((kind) =>
        [...members[kind].values()].map(({ schema }): [TSchema, Kind] => [schema, kind]),
      ),
    ),
);

/** Whether devices are found by it. */
function isGroup({ kind }: Named): boolean {
  return FOUND_BY.some((by) => by === kind);
}

function devicesBy(reference: Named, host: DeviceReads): readonly string[] {
  if (isGroup(reference)) return resolveDevices({ [reference.kind]: reference.name }, host);
  return reference.kind === "device" || reference.kind === "mode" ? [reference.name] : [];
}

function attributesThatMatter(
  { parts, expressions, reads }: Pick<RuleContents, "parts" | "expressions" | "reads">,
  deviceId: string,
  host: DeviceReads,
): readonly string[] | undefined {
  const isAbout = (part: Typed): boolean =>
    devicesOf(part as SomeDevices)?.includes(deviceId) ??
    (isFound(part as SomeDevices) && concerns(part as SomeDevices, deviceId, host));
  const about = [...parts.trigger, ...parts.condition, ...parts.action.filter(readsItsDevice)].filter(isAbout);
  const isOpen =
    about.some((part) => attributesRead(part, host).length === 0) ||
    parts.trigger.some(
      (trigger) => devicesOf(trigger as SomeDevices) === undefined && trigger.attribute === undefined,
    ) ||
    parts.action.some(({ type }) => type === "wait_for_event") ||
    expressions.some((text) => text.includes(deviceId) || NAMES_NO_DEVICE.test(text));
  if (isOpen) return undefined;
  const read = [...reads, ...about.flatMap((part) => attributesRead(part, host))].filter(
    (one) => one.deviceId === deviceId,
  );
  return [...new Set(read.map(({ attribute }) => attribute))];
}

/** A call such as `device_state(trigger.device_id)`. */
const NAMES_NO_DEVICE = /\bdevices?(_state)?\s*\(\s*[^'"\s]/;
const READS_ITS_DEVICE = new Set(["fade_device", "capture_device_state"]);
// Which of those found a command is for depends on their attributes.
const readsItsDevice = (part: Typed): boolean => READS_ITS_DEVICE.has(part.type) || isFound(part as SomeDevices);

function attributesRead(part: Typed, host: DeviceReads): { deviceId: string; attribute: string }[] {
  const { type, attribute } = part;
  const name = typeof attribute === "string" ? attribute : type === "timer_state_changed" ? "state" : undefined;
  if (name === undefined) return [];
  const found = isFound(part as SomeDevices) ? foundDevices(part as SomeDevices, host) : [];
  const having = found.filter(({ attributes }) => Object.hasOwn(attributes, name)).map(({ id }) => id);
  return (devicesOf(part as SomeDevices) ?? having).map((deviceId) => ({ deviceId, attribute: name }));
}
