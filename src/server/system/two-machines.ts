// What the status says of a house with two machines.
import { type Static, Type } from "@sinclair/typebox";

const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description });

const TakenOver = Type.Object({
  at: Type.String({ description: "UTC" }),
  from: Type.String({ description: "Where the machine answers that was the hub before" }),
  reason: Type.Union([Type.Literal("handed_over"), Type.Literal("gone"), Type.Literal("promoted")]),
  copied_at: Type.String({ description: "UTC; settings and states are of then" }),
  history_until: Type.String({ description: "UTC; the history is complete before" }),
  lost_secs: Type.Integer({ description: "At most so many seconds of what people did are missing" }),
  gone_secs: Type.Integer({ description: "For at most so long no machine was the hub" }),
});
export type TakenOver = Static<typeof TakenOver>;

const OtherMachine = Type.Object({
  name: Type.String(),
  address: Type.String(),
  manual: Type.Boolean({ description: "Only a person makes it the hub" }),
  version: orNull(Type.String(), "Null until it was heard"),
  heard_secs: orNull(Type.Integer(), "How long it was not heard; null where it was not since the start"),
  whole: Type.Boolean({ description: "It has a whole copy" }),
  behind_secs: orNull(Type.Integer(), "Of how long ago its copy is"),
  history_until: orNull(Type.String(), "UTC; it has the history before"),
  problem: orNull(Type.String(), "What keeps its copy from being made, as it says"),
  confirms: orNull(
    Type.Boolean(),
    "It confirms in time what is changed here; null where nobody waits for that ([standby] acknowledge)",
  ),
  unconfirmed: Type.Integer({ description: "How many changes it did not confirm in time, since this hub started" }),
});

export const TwoMachines = Type.Object({
  role: Type.Literal("hub"),
  epoch: orNull(Type.Integer(), "Grows each time that another machine becomes the hub"),
  lease: orNull(Type.String(), "Where the lease is kept; null where a person decides"),
  held: Type.Boolean({ description: "This machine may command the house now" }),
  trouble: orNull(Type.String(), "Why the lease cannot be renewed now"),
  acknowledge: Type.Union([Type.Literal("local"), Type.Literal("standby")], {
    description: "When a change is answered, as [standby] acknowledge says",
  }),
  machine: orNull(OtherMachine, "The standby; null where none is paired"),
  took_over: orNull(
    TakenOver,
    "Set where this machine became the hub in the place of another one, until its next start",
  ),
});
export type TwoMachines = Static<typeof TwoMachines>;
