// What homeCore's REST answers look like, as far as an import reads them. Open objects: other keys do not matter.
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { HubError } from "../../../kit/schema/errors.ts";
import type { Json } from "../../../kit/schema/json.ts";

const text = Type.String();
const maybe = <S extends TSchema>(schema: S) => Type.Optional(Type.Union([schema, Type.Null()]));
const object = Type.Record(Type.String(), Type.Unknown());

/** A device; timers, switches and glue are devices, too. */
export const OldDevice = Type.Object({
  device_id: text,
  name: text,
  plugin_id: text,
  name_override: maybe(text),
  canonical_name: maybe(text),
  area: maybe(text),
  area_override: maybe(text),
  device_type: maybe(text),
  available: Type.Optional(Type.Boolean()),
  attributes: object,
  last_seen: maybe(text),
  manufacturer: maybe(text),
  model: maybe(text),
  sw_version: maybe(text),
  parent_device_id: maybe(text),
  schema: maybe(object),
});
export type OldDevice = Static<typeof OldDevice>;

export const OldArea = Type.Object({ id: text, name: text, device_ids: Type.Optional(Type.Array(text)) });
export type OldArea = Static<typeof OldArea>;

export const OldScene = Type.Object({ id: text, name: text, states: object });
export type OldScene = Static<typeof OldScene>;

export const OldRule = Type.Object({ id: text, name: text, enabled: Type.Optional(Type.Boolean()) });
export type OldRule = Static<typeof OldRule>;

export const OldGroup = Type.Object({ name: text, rule_ids: Type.Array(text), description: maybe(text) });
export type OldGroup = Static<typeof OldGroup>;

export const OldMode = Type.Object({
  id: text,
  name: Type.Optional(text),
  kind: text,
  on_event: maybe(text),
  off_event: maybe(text),
  on_offset_minutes: maybe(Type.Integer()),
  off_offset_minutes: maybe(Type.Integer()),
});
export type OldMode = Static<typeof OldMode>;

/** `state` is the mode's device. */
export const ListedMode = Type.Object({ config: OldMode, state: maybe(OldDevice) });
export type ListedMode = Static<typeof ListedMode>;

export const OldCalendar = Type.Object({ id: text, source_url: maybe(text) });
export type OldCalendar = Static<typeof OldCalendar>;

export const OldUser = Type.Object({ username: text, role: text });
export type OldUser = Static<typeof OldUser>;

export interface ReadList<T> {
  readonly items: T[];
  /** Entries that are not what they should be. */
  readonly unreadable: number;
}

/** Throws HubError `invalid` where the answer is no list, as another server's would be. */
export function readList<S extends TSchema>(answer: Json, schema: S, path: string): ReadList<Static<S>> {
  if (!Array.isArray(answer))
    throw new HubError(
      "invalid",
      `this is not homeCore: its ${path} is not a list. Check the address given with --url`,
    );
  const items = answer.filter((entry): entry is Static<S> & Json => Value.Check(schema, entry));
  return { items, unreadable: answer.length - items.length };
}
