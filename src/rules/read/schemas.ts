// The schema of each trigger, condition and action: its own fields, its `type`, and the fields that all of its kind have.
import { type TObject, type TProperties, Type } from "@sinclair/typebox";
import { lazy } from "../../kit/time/lazy.ts";
import { actions } from "../actions/index.ts";
import { conditions } from "../conditions/index.ts";
import { child, type Kind, triggerId } from "../model/fields.ts";
import { triggers } from "../triggers/index.ts";

export interface Member {
  type: string;
  doc: string;
  /** Its schema has the definition's example in `examples`. */
  schema: TObject;
  check?(spec: object): void;
}

const closed = { additionalProperties: false } as const;
const note = Type.Optional(Type.String({ maxLength: 10_000, description: "A note for people" }));
const enabled = Type.Optional(Type.Boolean({ description: "Whether it runs; false skips it" }));

type Definition = Omit<Member, "schema"> & { example: object };

function member(definition: Definition, fields: TProperties, common: TProperties): [string, Member] {
  const { type, doc, example } = definition;
  const properties = { type: Type.Literal(type), ...fields, ...common };
  const schema = Type.Object(properties, { ...closed, description: doc, examples: [{ type, ...example }] });
  return [type, { type, doc, schema, check: (spec) => definition.check?.(spec) }];
}

const triggerMembers = lazy(
  () =>
    new Map(
      triggers.map((trigger) => member(trigger, trigger.fields, { id: Type.Optional(triggerId), comment: note })),
    ),
);
const conditionMembers = lazy(
  () =>
    new Map(conditions.map((condition) => member(condition, condition.fields(child("condition")), { comment: note }))),
);
const actionMembers = lazy(
  () =>
    new Map(
      actions.map((action) =>
        member(action, action.fields({ action: child("action"), condition: child("condition") }), {
          enabled,
          comment: note,
        }),
      ),
    ),
);

/** By type, in the order of the lists. Made with the first rule. */
export const members: Readonly<Record<Kind, ReadonlyMap<string, Member>>> = {
  get trigger() {
    return triggerMembers();
  },
  get condition() {
    return conditionMembers();
  },
  get action() {
    return actionMembers();
  },
};

/** Other names of types. */
export const TYPE_ALIASES: ReadonlyMap<string, string> = new Map([["script_expression", "expression"]]);
