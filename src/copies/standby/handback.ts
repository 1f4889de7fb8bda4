// What a hub that was gone still has when it comes back as the standby: samples and messages that had not reached the copy when the
// other machine took over. It asks what is wanted, sends that once, and the new hub keeps what it has not got.
import { type Static, Type } from "@sinclair/typebox";
import type { LeftMessage } from "../../reach/notify/outbox/left-message.ts";

export type { LeftMessage } from "../../reach/notify/outbox/left-message.ts";

const Cell = Type.Union([Type.String(), Type.Number(), Type.Null()]);
const count = Type.Integer({ minimum: 0 });

/** The body of `POST /standby/leftovers`; without `series`, `messages` and `done` it asks what is wanted. */
export const HandbackRequest = Type.Object({
  /** The id of the machine that was the hub. */
  machine: Type.String({ minLength: 8, maxLength: 100 }),
  /** As in `HistoryAnswer`. */
  series: Type.Optional(Type.Array(Type.Array(Cell))),
  messages: Type.Optional(Type.Array(Type.Unsafe<LeftMessage>(Type.Record(Type.String(), Type.Unknown())))),
  /** Everything was sent: the new hub wants nothing more. */
  done: Type.Optional(Type.Boolean()),
});
export type HandbackRequest = Static<typeof HandbackRequest>;

/** What a hub notes when it takes over from one that did not hand over, until that one has sent it. */
export const HandbackWanted = Type.Object({
  /** Epoch ms, the other machine's clock: samples from then on may be missing. Null where this hub records no history. */
  historyFrom: Type.Union([Type.Number(), Type.Null()]),
  /** `messageKey` of those that were in the copy. Null where there were too many to note: then none are wanted. */
  messages: Type.Union([Type.Array(Type.String()), Type.Null()]),
});
export type HandbackWanted = Static<typeof HandbackWanted>;

/** The answer to a question: null where nothing is wanted from this machine. */
export const HandbackAnswer = Type.Object({ wanted: Type.Union([HandbackWanted, Type.Null()]) });
export type HandbackAnswer = Static<typeof HandbackAnswer>;

/** The answer to what was sent: how many of these the new hub had not got. On its disk when it answers. */
export const HandbackTaken = Type.Object({ samples: count, messages: count });
export type HandbackTaken = Static<typeof HandbackTaken>;

/** More waiting messages than this are not noted at a take-over. */
export const MAX_NOTED_MESSAGES = 20_000;
