// What goes over /standby: the requests of the other machine, and what this one says of both.
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { HandbackRequest } from "../../../copies/standby/handback.ts";
import { type HistoryRequest, MAX_PROBLEM, type SyncRequest } from "../../../copies/standby/protocol.ts";
import type { SecondMachine } from "../../../copies/standby/source/second-machine.ts";
import type { Standing } from "../../../copies/standby/standing.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import { readBody } from "../body.ts";

const closed = { additionalProperties: false } as const;

const Machine = Type.Object(
  {
    id: Type.String({ minLength: 8, maxLength: 100 }),
    name: Type.String({ minLength: 1, maxLength: 255 }),
    address: Type.String({ maxLength: 500, description: "http://HOST:PORT, where this hub reaches it; may be empty" }),
    manual: Type.Optional(Type.Boolean({ description: "Only a person makes it the hub" })),
  },
  closed,
);

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

const Hash = Type.String({ maxLength: 64 });

// What the standby asks while it follows is open: it is upgraded first, and may say more than this version knows.
const Sync = Type.Object({
  machine: Type.Object(Machine.properties),
  version: Type.String({ maxLength: 100 }),
  turn: Type.Optional(Type.Integer()),
  promiseMs: Type.Number({ minimum: 0 }),
  tooOld: Type.Optional(Type.Boolean()),
  problem: Type.Optional(Type.String({ maxLength: MAX_PROBLEM })),
  confirms: Type.Optional(Type.Integer()),
  holdMs: Type.Optional(Type.Number({ minimum: 0 })),
  have: Type.Object({
    state: Type.Optional(Hash),
    pages: Type.Optional(Type.String()),
    files: Type.Optional(Hash),
    list: Type.Optional(Type.Record(Type.String(), Hash)),
    journals: Type.Record(Type.String(), Type.Object({ bytes: Type.Integer({ minimum: 0 }), hash: Hash })),
  }),
});

const History = Type.Object({ from: Type.Number(), most: Type.Integer({ minimum: 1 }) });

const Cell = Type.Union([Type.String(), Type.Number(), Type.Null()]);

const Handback = Type.Object({
  machine: Type.String({ minLength: 8, maxLength: 100 }),
  series: Type.Optional(Type.Array(Type.Array(Cell))),
  messages: Type.Optional(Type.Array(Type.Record(Type.String(), Type.Unknown()))),
  done: Type.Optional(Type.Boolean()),
});

/** To be called once the key is known to be right. Throws HubError `invalid`. */
export const readSync = (request: Request): Promise<SyncRequest> => readAs(Sync, request);
/** As `readSync`. */
export const readHistory = (request: Request): Promise<HistoryRequest> => readAs(History, request);

/** As `readSync`. */
export const readHandback = (request: Request): Promise<HandbackRequest> =>
  readAs(Handback, request) as Promise<HandbackRequest>;

async function readAs<S extends TSchema>(schema: S, request: Request): Promise<Static<S>> {
  const body: unknown = await readBody(request, "application/json");
  if (Value.Check(schema, body)) return body;
  const { path = "", message = "it is none" } = Value.Errors(schema, body).First() ?? {};
  throw new HubError("invalid", `this is not what a standby of this version asks: ${path || "the body"}: ${message}`);
}

const nullableText = Type.Union([Type.String(), Type.Null()]);
const nullableNumber = Type.Union([Type.Number(), Type.Null()]);

const count = Type.Integer({ minimum: 0 });

export const HandbackResult = Type.Union([
  Type.Object({
    wanted: Type.Union([
      Type.Object({
        historyFrom: nullableNumber,
        messages: Type.Union([Type.Array(Type.String()), Type.Null()]),
      }),
      Type.Null(),
    ]),
  }),
  Type.Object({ samples: count, messages: count }),
]);

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
