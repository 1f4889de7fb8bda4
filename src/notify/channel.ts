// What a channel is, what it is handed and what it answers. Each kind is one file in channels/ and one line in its index.
import { type Static, type TLiteral, type TObject, type TProperties, type TString, Type } from "@sinclair/typebox";
import type { Clock } from "../core/clock.ts";
import { HubError } from "../core/errors.ts";
import type { RandomBytes } from "../core/ids.ts";
import type { JsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import type { Problem } from "../core/schema.ts";
import type { Gates } from "./gates.ts";

export interface ChannelMessage {
  /** Stable over all tries, so that a copy that came twice can be known as one. */
  readonly id: string;
  /** Plain text in one line; the channel sets it off as it can. */
  readonly title: string;
  /** In the channel's own markup. */
  readonly message: string;
  /** Plain text to stand behind the message, also where that is shortened: how often it was to be told. */
  readonly tally?: string;
  /** When what it tells of happened, in epoch ms. */
  readonly at: number;
  /** It is sent noticeably later than that, and has to say so. */
  readonly late: boolean;
  /** Parts that arrived in an earlier try, and are not sent again. */
  readonly skipParts?: number;
}

/** What came of a message that was taken. */
export interface Delivery {
  /** The HTTP or SMTP status. */
  status?: number;
  /** The server's own words, without secrets. */
  answer: string;
  /** Messages it took: a long text is more than one. */
  parts: number;
  /** What a person should know although it arrived. */
  note?: string;
}

export interface DeliveryFault {
  /** The same message may get through later: no network, too many messages, a server in trouble. */
  passing: boolean;
  /** Not before so long. */
  retryAfterMs?: number;
  /** The server itself answered that it cannot: that may be about this message alone, and others get through. */
  mayBeTheMessage?: boolean;
  /** What to do about it, in plain words. */
  hint?: string;
  status?: number;
  /** The server's own words, without secrets. */
  answer?: string;
  /** Parts that arrived before it failed, those of earlier tries included: `skipParts` of the next one. */
  partsArrived?: number;
}

/** Why a message did not arrive. It has no cause: what HTTP clients throw holds the address, and that a token. */
export class DeliveryError extends HubError {
  readonly fault: DeliveryFault;

  constructor(message: string, fault: DeliveryFault) {
    super("upstream_failed", message);
    this.name = "DeliveryError";
    this.fault = fault;
  }
}

/** What the service allows; whoever sends many messages keeps to it. */
export interface Limits {
  readonly perSecond?: number;
  readonly perMinute?: number;
  /** Messages under way at the same time. */
  readonly concurrent?: number;
}

/** A text in pieces: what the author wrote, and what was filled in. */
export type Piece = { readonly markup: string } | { readonly value: string };

export interface Channel {
  readonly name: string;
  readonly kind: string;
  readonly limits: Limits;
  /** One text of the author's markup, and of values that stand for themselves in it. */
  compose(pieces: readonly Piece[]): string;
  /** Rejects with a DeliveryError, soon after `signal` aborts too. */
  send(message: ChannelMessage, signal: AbortSignal): Promise<Delivery>;
}

export interface ChannelDeps {
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: RandomBytes;
  /** Epoch ms as the clock in the house showed it. */
  readonly houseTime: (at: number) => string;
  /** Makes a path of the configuration one of the file system. */
  readonly resolve: (path: string) => string;
  /** Shared by all channels of a hub. */
  readonly gates: Gates;
}

type Fields<K extends string, F extends TProperties> = F & { name: TString; type: TLiteral<K> };

export interface ChannelDefinition<K extends string = string, F extends TProperties = TProperties> {
  /** snake_case: `type` in the configuration. */
  readonly kind: K;
  readonly schema: TObject<Fields<K, F>>;
  /** What keys alone cannot check; `at` is the path of the entry. */
  problems(config: Static<TObject<Fields<K, F>>>, at: string): Problem[];
  /** Connects to nothing: the network may come later than the hub. */
  open(config: Static<TObject<Fields<K, F>>>, deps: ChannelDeps): Channel;
  /** One sentence: which service. */
  readonly doc: string;
  /** An entry without its `type`: docs/notifications.md shows it, and the contract tests try it. */
  readonly example: JsonObject;
}

/** Fields that hold a secret are marked `secret: true`. */
export function defineChannel<const K extends string, F extends TProperties>({
  kind,
  fields,
  problems = () => [],
  open,
  ...shown
}: {
  kind: K;
  fields: F;
  problems?: ChannelDefinition<K, F>["problems"];
  open: ChannelDefinition<K, F>["open"];
  doc: string;
  example: JsonObject;
}): ChannelDefinition<K, F> {
  const name = Type.String({ minLength: 1, maxLength: 64, description: "Name in rules and in the API" });
  const schema = Type.Object({ ...fields, name, type: Type.Literal(kind) }, { additionalProperties: false });
  return { kind, schema: schema as unknown as TObject<Fields<K, F>>, problems, open, ...shown };
}

/** For channels without markup. */
export const plainText: Pick<Channel, "compose"> = {
  compose: (pieces) => pieces.map((piece) => ("markup" in piece ? piece.markup : piece.value)).join(""),
};
