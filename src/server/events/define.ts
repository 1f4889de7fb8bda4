// What an event type is: its name, its description and its own fields.
import { type Static, type TObject, type TProperties, Type } from "@sinclair/typebox";

export interface EventDefinition<T extends string = string, F extends TProperties = TProperties> {
  readonly type: T;
  /** When it is emitted; shown in the OpenAPI document. */
  readonly doc: string;
  readonly fields: TObject<F>;
  /** Its own fields, as they may come: shown in docs/api.md and in the OpenAPI document, and tried by the contract tests. */
  readonly example: Static<TObject<F>>;
}

export type EventOf<D> = D extends EventDefinition<infer T, infer F> ? { type: T } & Static<TObject<F>> : never;

/** Defines one event type. The common fields (`type`, `timestamp`, `seq`) are added when it is emitted. */
export function defineEvent<const T extends string, F extends TProperties>(
  type: T,
  doc: string,
  fields: F,
  example: NoInfer<Static<TObject<F>>>,
): EventDefinition<T, F> {
  return { type, doc, fields: Type.Object(fields), example };
}

/** Attribute name → value. */
export const Attributes = Type.Record(Type.String(), Type.Unknown());
