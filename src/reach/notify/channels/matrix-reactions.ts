// Answers to messages of a Matrix room as reactions: the hub puts one for each answer under the message, and people tap it.
import type { JsonObject } from "../../../kit/schema/json.ts";
import { isObject } from "../../../kit/schema/json.ts";
import { ACKNOWLEDGE, type ChannelMessage } from "../channel.ts";
import type { MessageAction } from "../message-options.ts";

export interface Reaction {
  /** What clients call a reaction's key: the emoji. */
  readonly key: string;
  readonly label: string;
}

/** What a reaction is about, in the event of whoever reacted. */
export interface Annotation {
  /** The message. */
  readonly event: string;
  readonly key: string;
  readonly sender: string;
}

const CONFIRM = "✅";
/** Clients offer it without a search. */
const THUMB = "👍";
/** Not all clients write it. */
const EMOJI_STYLE = /\ufe0f/g;
const SKIN_TONES = /[\u{1f3fb}-\u{1f3ff}]/gu;

/** None for a message that nobody can answer. */
export function reactionsOf({ notice, answerable, actions = [] }: ChannelMessage): Reaction[] {
  if (notice === undefined || !answerable) return [];
  const others = actions.map(({ label }, index) => ({ key: keyOf(index), label: label.replace(/\s+/g, " ").trim() }));
  return [{ key: CONFIRM, label: "Confirm" }, ...others];
}

/** The answer that a reaction gives; undefined for any other emoji. */
export function actionOf(given: string, actions: readonly MessageAction[]): string | undefined {
  const key = given.replace(EMOJI_STYLE, "").replace(SKIN_TONES, "");
  if (key === CONFIRM || key === THUMB) return ACKNOWLEDGE;
  return actions.find((_, index) => keyOf(index).replace(EMOJI_STYLE, "") === key)?.id;
}

/** `content` of an `m.reaction`. */
export function annotationOf(event: string, { key }: Reaction): JsonObject {
  return { "m.relates_to": { rel_type: "m.annotation", event_id: event, key } };
}

/** Undefined for an event that is no reaction, or one that was taken back. */
export function annotationIn(event: unknown): Annotation | undefined {
  if (!isObject(event) || event.type !== "m.reaction" || !isObject(event.content)) return undefined;
  const relation = event.content["m.relates_to"];
  if (!isObject(relation) || relation.rel_type !== "m.annotation") return undefined;
  const { event_id, key } = relation;
  const { sender } = event;
  if (typeof event_id !== "string" || typeof key !== "string" || typeof sender !== "string") return undefined;
  return { event: event_id, key, sender };
}

/** 1️⃣ to 9️⃣. */
function keyOf(index: number): string {
  return `${index + 1}\ufe0f\u20e3`;
}
