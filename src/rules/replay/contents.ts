// What a replay has to know about a rule: the parts it is made of, and the attributes that they read.
import type { TSchema } from "@sinclair/typebox";
import { isObject } from "../../core/json.ts";
import type { Typed } from "../model/define.ts";
import { CEL, type Kind } from "../model/fields.ts";
import { devicesOf, type SomeDevices } from "../model/targets.ts";
import { type Reference, rewriteRule } from "../read/references.ts";
import { Rule } from "../read/rule.ts";
import { members } from "../read/schemas.ts";

export interface RuleContents {
  /** Of all depths. */
  readonly parts: Readonly<Record<Kind, readonly Typed[]>>;
  /** CEL texts. */
  readonly expressions: readonly string[];
  /** Attributes that a trigger or condition names. */
  readonly reads: readonly { deviceId: string; attribute: string }[];
  /** The attributes of a device that can matter; undefined where it may be any. */
  attributesOf(deviceId: string): readonly string[] | undefined;
}

/** `references`: with the names in expressions. */
export function contentsOf(rule: Rule, references: readonly Pick<Reference, "kind" | "name">[]): RuleContents {
  const parts: Record<Kind, Typed[]> = { trigger: [], condition: [], action: [] };
  const expressions = new Set<string>();
  rewriteRule({ schema: Rule, value: rule, path: "" }, ({ schema, value }) => {
    const kind = KIND_OF_SCHEMA.get(schema);
    if (kind && isObject(value)) parts[kind].push(value as unknown as Typed);
    if (schema.contentMediaType === CEL && typeof value === "string") expressions.add(value);
    return value;
  });
  const modes = references.filter(({ kind }) => kind === "mode");
  const reads = [
    ...[...parts.trigger, ...parts.condition].flatMap(attributesRead),
    ...modes.map(({ name }) => ({ deviceId: name, attribute: "on" })),
  ];
  const unique = new Map(reads.map((one) => [`${one.deviceId}/${one.attribute}`, one]));
  const contents = { parts, expressions: [...expressions], reads: [...unique.values()] };
  return { ...contents, attributesOf: (deviceId) => attributesThatMatter(contents, deviceId) };
}

const KIND_OF_SCHEMA = new Map<TSchema, Kind>(
  (["trigger", "condition", "action"] as const).flatMap((kind) =>
    [...members[kind].values()].map(({ schema }): [TSchema, Kind] => [schema, kind]),
  ),
);

function attributesThatMatter(
  { parts, expressions, reads }: Omit<RuleContents, "attributesOf">,
  deviceId: string,
): readonly string[] | undefined {
  const isAbout = (part: Typed): boolean => devicesOf(part as SomeDevices)?.includes(deviceId) ?? false;
  const about = [...parts.trigger, ...parts.condition, ...parts.action.filter(readsItsDevice)].filter(isAbout);
  const isOpen =
    about.some((part) => attributesRead(part).length === 0) ||
    parts.trigger.some(
      (trigger) => devicesOf(trigger as SomeDevices) === undefined && trigger.attribute === undefined,
    ) ||
    parts.action.some(({ type }) => type === "wait_for_event") ||
    expressions.some((text) => text.includes(deviceId) || NAMES_NO_DEVICE.test(text));
  if (isOpen) return undefined;
  const read = [...reads, ...about.flatMap(attributesRead)].filter((one) => one.deviceId === deviceId);
  return [...new Set(read.map(({ attribute }) => attribute))];
}

/** A call such as `device_state(trigger.device_id)`. */
const NAMES_NO_DEVICE = /\bdevices?(_state)?\s*\(\s*[^'"\s]/;
const READS_ITS_DEVICE = new Set(["fade_device", "capture_device_state"]);
const readsItsDevice = ({ type }: Typed): boolean => READS_ITS_DEVICE.has(type);

function attributesRead(part: Typed): { deviceId: string; attribute: string }[] {
  const { type, attribute } = part;
  const devices = devicesOf(part as SomeDevices) ?? [];
  const name = typeof attribute === "string" ? attribute : type === "timer_state_changed" ? "state" : undefined;
  return name === undefined ? [] : devices.map((deviceId) => ({ deviceId, attribute: name }));
}
