// A message of the outbox as people see it in a list.
import type { ChannelQueue } from "./channel-queue.ts";
import { momentOf, type QueuedMessage, shortened, type Times } from "./queued-message.ts";
import type { OutboxStore } from "./store.ts";

export interface WaitingMessage {
  id: string;
  channel: string;
  title: string;
  /** Shortened. */
  message: string;
  /** Epoch ms, as `nextTry`. */
  at: number;
  tries: number;
  /** Only for the next message of its channel; the others follow it. */
  nextTry: number | undefined;
  lastError: string | undefined;
  /** How often the same text was enqueued while it waited, itself included. */
  count: number;
  /** `blocked`: its channel is disabled or not in the configuration. */
  state: "sending" | "waiting" | "queued" | "blocked";
}

// One character more than is shown, to see whether the text is longer.
const SHOWN = 201;

export function waitingMessageOf(
  { queue, queued }: { queue: ChannelQueue; queued: QueuedMessage },
  deps: Times & { store: Pick<OutboxStore, "texts"> },
): WaitingMessage {
  const { channel, title, tries, count } = queued;
  const { message = "" } = queued.texts ?? deps.store.texts(queued.id, SHOWN) ?? {};
  const nextTry = queue.nextTry(queued);
  return {
    ...{ id: String(queued.id), channel, title, message: shortened(message), tries, count },
    at: momentOf(queued, deps),
    nextTry,
    lastError: shortenedOr(queue.blocked ?? queued.lastError),
    state: stateOf(queue, queued, nextTry),
  };
}

function shortenedOr(text: string | undefined): string | undefined {
  return text === undefined ? undefined : shortened(text);
}

function stateOf(
  { blocked }: ChannelQueue,
  { state }: QueuedMessage,
  nextTry: number | undefined,
): WaitingMessage["state"] {
  if (blocked) return "blocked";
  if (state === "sending") return "sending";
  return nextTry === undefined ? "queued" : "waiting";
}
