// What goes over /standby: the requests of the other machine, and what this one says of both.
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { HandbackAnswer, HandbackTaken } from "../../../copies/standby/handback.ts";
import { checked, NOT_ASKED, StandbyMachine } from "../../../copies/standby/protocol.ts";
import type { SecondMachine } from "../../../copies/standby/source/second-machine.ts";
import type { Standing } from "../../../copies/standby/standing.ts";
import { readBody } from "../body.ts";

const closed = { additionalProperties: false } as const;

const Machine = Type.Object(StandbyMachine.properties, closed);

export const PairRequest = Type.Object(
  {
    machine: Machine,
    replace: Type.Optional(Type.Boolean({ description: "Also where another standby was heard just now" })),
  },
  closed,
);

export const Paired = Type.Object({
  key: Type.String({ description: "Shown only now" }),
  version: Type.String({ description: "Of this hub" }),
  lease: Type.Boolean({ description: "Whether a lease decides which machine is the hub; else a person does" }),
  restarts: Type.Boolean({ description: "This hub starts again now, once, as it did not know of a second machine" }),
});

/** To be called once the key is known to be right. Throws HubError `invalid`. */
export async function readAs<S extends TSchema>(schema: S, request: Request): Promise<Static<S>> {
  return checked(schema, await readBody(request, "application/json"), NOT_ASKED);
}

const nullableText = Type.Union([Type.String(), Type.Null()]);
const nullableNumber = Type.Union([Type.Number(), Type.Null()]);

export const HandbackResult = Type.Union([HandbackAnswer, HandbackTaken]);

export const Place = Type.Object({
  role: Type.Literal("hub"),
  epoch: Type.Integer({ description: "How often the house has got another hub" }),
  machine: Type.Union([Type.Object({ id: Type.String(), name: Type.String(), address: Type.String() }), Type.Null()]),
  lease: Type.Union([Type.Object({ held: Type.Boolean(), trouble: nullableText }), Type.Null()], {
    description: "null where a person decides which machine is the hub; trouble: why it cannot be renewed now",
  }),
  lease_waits: Type.Boolean({ description: "hub.toml names a lease, which counts when the hub starts again" }),
  standby: Type.Union(
    [
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        address: Type.String(),
        manual: Type.Boolean({ description: "Only a person makes it the hub" }),
        version: nullableText,
        heard_secs_ago: nullableNumber,
        whole: Type.Boolean({ description: "Its copy is complete" }),
        behind_secs: Type.Union([Type.Number(), Type.Null()], { description: "Of how long ago its copy is" }),
        problem: Type.Union([Type.String(), Type.Null()], {
          description: "What keeps its copy from being made, as it says",
        }),
        confirms: Type.Union([Type.Boolean(), Type.Null()], {
          description: "It confirms in time what is changed; null where nobody waits for that ([standby] acknowledge)",
        }),
      }),
      Type.Null(),
    ],
    { description: "null where none is paired" },
  ),
});

/** What this hub knows of itself and of its standby; no secrets. */
export function placeOf(second: Pick<SecondMachine, "status" | "epoch">, standing: Standing | undefined) {
  const status = second.status();
  const { leaseHolder, machine } = standing ?? {};
  return {
    role: "hub" as const,
    epoch: second.epoch(),
    machine: machine ? { id: machine.id, name: machine.name, address: machine.address } : null,
    lease: leaseHolder ? { held: leaseHolder.isHeld, trouble: leaseHolder.trouble ?? null } : null,
    standby: status
      ? {
          ...status.machine,
          manual: status.manual,
          version: status.version ?? null,
          heard_secs_ago: rounded(status.lastSeenSecs),
          whole: status.isWhole,
          behind_secs: rounded(status.behindSecs),
          problem: status.problem ?? null,
          confirms: status.isConfirming ?? null,
        }
      : null,
  };
}

function rounded(seconds: number | undefined): number | null {
  return seconds === undefined ? null : Math.round(seconds * 10) / 10;
}
