// What a hub that was gone still has when it comes back as the standby: samples and messages that had not reached the copy when the
// other machine took over. It asks what is wanted, sends that once, and the new hub keeps what it has not got.
import type { LeftMessage } from "../../reach/notify/outbox/left-message.ts";
import type { HistoryAnswer } from "./protocol.ts";

export type { LeftMessage } from "../../reach/notify/outbox/left-message.ts";

/** The body of `POST /standby/leftovers`; without `series`, `messages` and `done` it asks what is wanted. */
export interface HandbackRequest {
  /** The id of the machine that was the hub. */
  machine: string;
  series?: HistoryAnswer["series"] | undefined;
  messages?: LeftMessage[] | undefined;
  /** Everything was sent: the new hub wants nothing more. */
  done?: boolean | undefined;
}

/** What a hub notes when it takes over from one that did not hand over, until that one has sent it. */
export interface HandbackWanted {
  /** Epoch ms, the other machine's clock: samples from then on may be missing. Null where this hub records no history. */
  historyFrom: number | null;
  /** `messageKey` of those that were in the copy. Null where there were too many to note: then none are wanted. */
  messages: string[] | null;
}

/** The answer to a question: null where nothing is wanted from this machine. */
export interface HandbackAnswer {
  wanted: HandbackWanted | null;
}

/** The answer to what was sent: how many of these the new hub had not got. On its disk when it answers. */
export interface HandbackTaken {
  samples: number;
  messages: number;
}

/** More waiting messages than this are not noted at a take-over. */
export const MAX_NOTED_MESSAGES = 20_000;
