// What a channel is: its configuration, what it gets, what it answers. Each kind is one file in channels/ and one line in its index.
import { type Static, type TLiteral, type TObject, type TProperties, type TString, Type } from "@sinclair/typebox";
import type { Clock } from "../core/clock.ts";
import { HubError } from "../core/errors.ts";
import type { RandomBytes } from "../core/ids.ts";
import type { JsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import type { Problem } from "../core/schema.ts";
import type { Piece } from "../core/template.ts";
import { checkSecretMarks } from "./secrets.ts";
import type { Semaphores } from "./semaphores.ts";

/** How it should arrive, as far as the channel can do so. */
export interface MessageOptions {
  /** From -2 (silent) to 2 (emergency), instead of the channel's own. */
  readonly priority?: number;
  /** Without a sound. */
  readonly silent?: boolean;
  /** What it is about: it takes the place of the last one with this tag. */
  readonly tag?: string;
}

export interface ChannelMessage extends MessageOptions {
  /** The same for all tries, so that a copy that arrived twice can be recognised. */
  readonly id: string;
  /** Plain text in one line; each channel highlights it in its own way. */
  readonly title: string;
  /** In the channel's own markup. */
  readonly message: string;
  /** Plain text that is added behind the message, even where that is shortened: how often it occurred. */
  readonly repeats?: string;
  /** When the reported thing happened, in epoch ms. */
  readonly at: number;
  /** It is sent noticeably later than that, and has to say so. */
  readonly late: boolean;
  /** Parts that arrived in an earlier try, and are not sent again. */
  readonly skipParts?: number;
}

/** The result of a message that was accepted. */
export interface Delivery {
  /** The HTTP or SMTP status. */
  status?: number;
  /** The server's own words, without secrets. */
  answer: string;
  /** How many messages it took: a long text is split. */
  parts: number;
  /** What a person should know although it arrived. */
  note?: string;
}

export interface DeliveryFault {
  /** The same message may get through later: no network, too many messages, a server error. */
  transient: boolean;
  /** The service asks for no other try before this. */
  retryAfterMs?: number;
  /** The server itself refused it for now: the reason may be this message alone, and others may get through. */
  mayBeTheMessage?: boolean;
  /** What to do about it, in plain words. */
  hint?: string;
  status?: number;
  /** The server's own words, without secrets. */
  answer?: string;
  /** Parts that arrived before it failed, those of earlier tries included: `skipParts` of the next one. */
  partsArrived?: number;
}

/** Why a message did not arrive. It has no `cause`: the errors of HTTP clients contain the address, which may contain a token. */
export class DeliveryError extends HubError {
  readonly fault: DeliveryFault;

  constructor(message: string, fault: DeliveryFault) {
    super("upstream_failed", message);
    this.name = "DeliveryError";
    this.fault = fault;
  }
}

/** What the service allows; the outbox keeps to it. */
export interface Limits {
  readonly perSecond?: number;
  readonly perMinute?: number;
  /** Messages being sent at the same time. */
  readonly concurrent?: number;
}

export type { Piece };

export interface Channel {
  readonly name: string;
  readonly kind: string;
  readonly limits: Limits;
  /** Joins the author's markup and the values, which are escaped. */
  compose(pieces: readonly Piece[]): string;
  /** Rejects with a DeliveryError; soon, when `signal` aborts. */
  send(message: ChannelMessage, signal: AbortSignal): Promise<Delivery>;
}

export interface ChannelDeps {
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: RandomBytes;
  /** Epoch ms as local time. */
  readonly houseTime: (at: number) => string;
  /** Resolves a path of the configuration against HUB_HOME. */
  readonly resolve: (path: string) => string;
  /** Shared by all channels of a hub. */
  readonly semaphores: Semaphores;
}

type Fields<K extends string, F extends TProperties> = F & { name: TString; type: TLiteral<K> };

export interface ChannelDefinition<K extends string = string, F extends TProperties = TProperties> {
  /** snake_case: `type` in the configuration. */
  readonly kind: K;
  /** What people call the service: "Telegram". */
  readonly service: string;
  readonly schema: TObject<Fields<K, F>>;
  /** Problems that the schema cannot express; `at` is the path of the entry. */
  problems(config: Static<TObject<Fields<K, F>>>, at: string): Problem[];
  /** Connects to nothing: the network may come later than the hub. */
  open(config: Static<TObject<Fields<K, F>>>, deps: ChannelDeps): Channel;
  /** One sentence: which service. */
  readonly doc: string;
  /** An entry without its `type`: docs/notifications.md shows it, and the contract tests try it. */
  readonly example: JsonObject;
}

/**
 * Fields that hold a secret are marked `secret: true`, and everything the channel says is scrubbed of their values. Throws when a
 * field is named like a secret and not marked, or marked where the scrubber does not look.
 */
export function defineChannel<const K extends string, F extends TProperties>({
  kind,
  service,
  fields,
  problems = () => [],
  open,
  ...shown
}: {
  kind: K;
  service: string;
  fields: F;
  problems?: ChannelDefinition<K, F>["problems"];
  open: ChannelDefinition<K, F>["open"];
  doc: string;
  example: JsonObject;
}): ChannelDefinition<K, F> {
  const name = Type.String({ minLength: 1, maxLength: 64, description: "Name in rules and in the API" });
  const schema = Type.Object({ ...fields, name, type: Type.Literal(kind) }, { additionalProperties: false });
  checkSecretMarks(schema, kind);
  return { kind, service, schema: schema as unknown as TObject<Fields<K, F>>, problems, open, ...shown };
}

/** For channels without markup. */
export const plainText: Pick<Channel, "compose"> = {
  compose: (pieces) => pieces.map((piece) => ("markup" in piece ? piece.markup : piece.value)).join(""),
};
