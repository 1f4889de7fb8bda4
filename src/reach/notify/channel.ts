// What a channel is: its configuration, what it gets, what it answers. Each kind is one file in channels/ and one line in its index.
import { type Static, type TLiteral, type TObject, type TProperties, type TString, Type } from "@sinclair/typebox";
import type { Fence } from "../../kit/lifecycle/fence.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import { HubError } from "../../kit/schema/errors.ts";
import type { RandomBytes } from "../../kit/schema/ids.ts";
import type { JsonObject } from "../../kit/schema/json.ts";
import type { Problem } from "../../kit/schema/schema.ts";
import type { Piece } from "../../kit/text/template.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { type Dialect, speaks } from "./markup/dialect.ts";
import { plain } from "./markup/plain-dialects.ts";
import type { MessageAction, MessageOptions } from "./message-options.ts";
import { checkSecretMarks } from "./secrets.ts";
import type { Semaphores } from "./semaphores.ts";
import type { Shared } from "./shared.ts";
import type { Subscriptions } from "./web-push/subscriptions.ts";

/** The button that confirms a notice, wherever a channel has buttons. */
export { ACKNOWLEDGE } from "../../kit/text/message-words.ts";

/** What goes with a message as a file. */
export interface Picture {
  readonly name: string;
  /** `image/jpeg`. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

export interface ChannelMessage extends MessageOptions {
  /** The same for all tries, so that a copy that arrived twice can be recognised. */
  readonly id: string;
  /** Plain text in one line; each channel highlights it in its own way. */
  readonly title: string;
  /** In the channel's own markup. */
  readonly message: string;
  /** The same as HTML, where the author formatted it and the channel's dialect has both. */
  readonly html?: string;
  /** Plain text behind the message, even where that is shortened: how often it occurred; in its own line, how a notice ended. */
  readonly repeats?: string;
  readonly closing?: string;
  /** When the reported thing happened, in epoch ms. */
  readonly at: number;
  /** It is sent noticeably later than that, and has to say so. */
  readonly late: boolean;
  /** Parts that arrived in an earlier try, and are not sent again. */
  readonly skipParts?: number;
  /** Of several recipients, those that earlier tries settled: they get no other copy. */
  readonly settled?: Settled;
  /** Asked between two parts: whether something more urgent waits. Then `send` rejects with a fault that is `yielded`. */
  readonly yieldsNow?: () => boolean;
  /** The picture itself, read when the message was enqueued. */
  readonly picture?: Picture;
  /** A signed link with which whoever opens it confirms the notice; absent where the hub has no address of its own. */
  readonly acknowledgeUrl?: string;
  /** The same for each of `actions`. */
  readonly actionLinks?: readonly AnswerLink[];
}

/** A button that is a signed link: a GET shows a page with the button, a POST answers. */
export interface AnswerLink extends MessageAction {
  readonly url: string;
}

/** Recipients of a message, by address, that need no other copy of it. */
export interface Settled {
  readonly reached: readonly string[];
  /** The service will not take it for them, ever. */
  readonly refused: readonly string[];
}

/** A recipient whom the service refused for good, while others may have it. */
export interface Refusal {
  readonly recipient: string;
  /** The server's own words, without secrets. */
  readonly answer: string;
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
  /** The text was refused as it was written, with these words, and was accepted as plain text. */
  refusedText?: string;
  /** What the service calls it: for `change`, `remove` and what `listen` reports. Opaque to everybody but the channel. */
  remote?: string;
  /** Recipients that this try refused. */
  refused?: readonly Refusal[];
}

export interface DeliveryFault {
  /** The same message may get through later: no network, too many messages, a server error. */
  transient: boolean;
  /** The service asks for no other try before this. */
  retryAfterMs?: number;
  /** The server itself refused it for now: the reason may be this message alone, and others may get through. */
  mayBeTheMessage?: boolean;
  /** What to do about it, in plain words of ours alone: nothing of the configuration or the server, as it is shown as it is. */
  hint?: string;
  status?: number;
  /** The server's own words, without secrets. */
  answer?: string;
  /** Parts that arrived before it failed, those of earlier tries included: `skipParts` of the next one. */
  partsArrived?: number;
  /** Who is settled now, those of earlier tries included: `settled` of the next one. */
  settled?: Settled;
  /** Recipients that this try refused. */
  refused?: readonly Refusal[];
  /** It did not fail: it was asked to let another message go first, and continues with `skipParts`. */
  yielded?: true;
}

/** What a channel reports while it sends. */
export interface Sending {
  /** The service has the whole message: a cut from here on may double it, so it gets `withinMs` to confirm. */
  handedOver(withinMs: number): void;
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
  /** How its texts are written: `...speaks(dialect)` gives this and `compose`. */
  readonly dialect?: Dialect;
  /** Joins the author's markup and the values, which are escaped. */
  compose(pieces: readonly Piece[]): string;
  /** Rejects with a DeliveryError; soon, when `signal` aborts. */
  send(message: ChannelMessage, signal: AbortSignal, sending?: Sending): Promise<Delivery>;
  /** Puts another text in the place of a message that arrived. Rejects with a DeliveryError, final where the service forgot it. */
  change?(remote: string, message: ChannelMessage, signal: AbortSignal): Promise<Delivery>;
  /** Takes a message back that arrived. Rejects as `change`. */
  remove?(remote: string, signal: AbortSignal): Promise<void>;
  /**
   * Passes on what people answer, until it is disposed of. Called after the hub is up, whenever a message of the channel waits for
   * an answer; it retries by itself.
   */
  listen?(inbox: Inbox): AsyncDisposable;
  /** It listens also while no message waits for an answer. */
  readonly listensAlways?: boolean;
}

/** Where a channel passes on what people answer. */
export interface Inbox {
  /**
   * Somebody pressed a button, or the service says that somebody confirmed. On disk when it resolves with what to show to who
   * pressed. `by` is the service's name of the person. Never rejects: an unknown or late answer has its own words.
   */
  answered(answer: Answered): Promise<string>;
  /** Somebody wrote to the hub. Resolves with the answer in plain text; undefined where nothing is said to strangers. */
  written(text: string, from: Sender): Promise<Reply | undefined>;
  /** What the service calls the channel's messages that wait for an answer. */
  waiting(): readonly string[];
  /** The answers to one of these, beside ACKNOWLEDGE. */
  actions(remote: string): readonly MessageAction[];
  /** Whether answers reach the hub now: undefined when they do, else why not and what to do, without secrets. */
  reportProblem(problem: string | undefined): void;
}

export interface Answered {
  /** Either of the two says which notice. */
  readonly notice?: string;
  readonly remote?: string;
  /** Of `actions`, or ACKNOWLEDGE. */
  readonly action: string;
  readonly by: string;
}

export interface Sender {
  /** The channel's own id of the chat or room. */
  readonly chat: string;
  readonly name: string;
}

export interface Reply {
  readonly text: string;
  /** Buttons whose press is written back as the text of `id`. */
  readonly actions?: readonly MessageAction[];
}

/** The hub's own MQTT broker. */
export interface OwnBroker {
  /** The first levels of the topics that the hub itself uses. */
  readonly prefix: string;
  /** Rejects while the broker is not up. */
  publish(topic: string, payload: string, options: { qos: 0 | 1; retain: boolean }): Promise<void>;
}

/** The browsers that asked for messages on the hub's page. */
export interface OwnPage {
  readonly subscriptions: Pick<Subscriptions, "key" | "of" | "forget">;
  /** Reaches push services, whose addresses browsers give, and nothing of the house. */
  readonly fetch: typeof fetch;
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
  /** Absent where nothing is wired to it. */
  readonly broker?: OwnBroker;
  readonly webPush?: OwnPage;
  /** For channels that connect by themselves: asked before each step. `fetch` and `broker` ask it too. */
  readonly fence?: Fence | undefined;
  /** Small values that outlive the hub; durable when `set` returns. Absent where nothing is kept. */
  readonly kept?: KeptValues;
  /** What channels of one hub have in common, such as the one connection of a bot in two chats. */
  readonly shared: Shared;
}

export interface KeptValues {
  get(key: string): string | undefined;
  set(key: string, value: string): void;
}

type Fields<K extends string, F extends TProperties> = F & { name: TString; type: TLiteral<K> };

export interface ChannelDefinition<K extends string = string, F extends TProperties = TProperties> {
  /** snake_case: `type` in the configuration. */
  readonly kind: K;
  /** What people call the service: "Telegram". */
  readonly service: string;
  readonly schema: TObject<Fields<K, F>>;
  /** Problems that the schema cannot express; `at` is the path of the entry. */
  problems(config: Static<TObject<Fields<K, F>>>, at: string, beside: { mqttPrefix?: string | undefined }): Problem[];
  /** What its channels speak, for `hub check`, which opens none; without it, a dialect that refuses no text. */
  dialect?(config: Static<TObject<Fields<K, F>>>): Dialect;
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
  dialect,
  open,
  ...shown
}: {
  kind: K;
  service: string;
  fields: F;
  problems?: ChannelDefinition<K, F>["problems"];
  dialect?: NonNullable<ChannelDefinition<K, F>["dialect"]>;
  open: ChannelDefinition<K, F>["open"];
  doc: string;
  example: JsonObject;
}): ChannelDefinition<K, F> {
  const name = Type.String({ minLength: 1, maxLength: 64, description: "Name in rules and in the API" });
  const schema = Type.Object({ ...fields, name, type: Type.Literal(kind) }, { additionalProperties: false });
  checkSecretMarks(schema, kind);
  const typed = schema as unknown as TObject<Fields<K, F>>;
  return { kind, service, schema: typed, problems, ...(dialect && { dialect }), open, ...shown };
}

/** For channels without markup. */
export const plainText = speaks(plain);
