// One try to send a waiting message: its texts from the disk, the message as its channel gets it, and the news of what arrived.
import { guarded } from "../../../kit/lifecycle/lifecycle.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { messageOf } from "../../../kit/schema/errors.ts";
import type { ChannelMessage } from "../channel.ts";
import type { ChannelOutcome, Notifier } from "../notifier.ts";
import { channelMessageOf, type QueuedMessage, type Times } from "./queued-message.ts";
import type { OutboxStore } from "./store.ts";

export interface TryDeps extends Times {
  log: Log;
  notifier: Pick<Notifier, "deliver">;
  store: Pick<OutboxStore, "texts">;
  /** Asked between the parts of a long text: whether something more important waits. */
  yieldsNow?: () => boolean;
  /** Called before a message that arrived leaves the disk, where the service named it or it belongs to a notice. */
  sent?: ((sent: SentMessage) => void) | undefined;
  /** Called for each message of a notice that will not arrive, after it has left the disk. */
  lost?: ((lost: LostMessage) => void) | undefined;
}

/** A copy of a notice that will not arrive. */
export interface LostMessage {
  readonly channel: string;
  readonly notice: string;
}

/** A message that its service accepted. */
export interface SentMessage {
  readonly channel: string;
  readonly message: ChannelMessage;
  /** What the service calls it, for `Channel.change` and `remove`; undefined where it has no name for a message of a notice. */
  readonly remote: string | undefined;
}

export type TryResult = ChannelOutcome["result"];

const FIRST_TRY_MS = 10_000;
// Nobody waits for the later tries, so a slow server is given more time.
const LATER_TRY_MS = 60_000;

/** Never rejects. */
export async function tryMessage(queued: QueuedMessage, signal: AbortSignal, deps: TryDeps): Promise<TryResult> {
  const { notifier, store, log, sent, yieldsNow } = deps;
  const { channel } = queued;
  try {
    const texts = queued.texts ?? store.texts(queued.id);
    if (!texts) return { ok: false, reason: "its text is no longer on disk", fault: { transient: false } };
    const message = channelMessageOf(queued, texts, deps);
    const withinMs = queued.tries === 0 ? FIRST_TRY_MS : LATER_TRY_MS;
    const asked = yieldsNow ? { ...message, yieldsNow } : message;
    const { result } = await notifier.deliver({ channel, message: asked }, signal, withinMs);
    const remote = result.ok ? result.delivery.remote : undefined;
    if (sent && result.ok && (remote !== undefined || message.notice !== undefined))
      guarded(log, "sent message", sent)({ channel, message, remote });
    return result;
  } catch (error) {
    return { ok: false, reason: messageOf(error), fault: { transient: true } };
  }
}

/** How many messages count for the service's limits: those that were accepted, and one that was refused. */
export function messagesSent({ parts }: QueuedMessage, result: TryResult): number {
  if (result.ok) return Math.max(1, result.delivery.parts);
  return 1 + Math.max(0, (result.fault.partsArrived ?? 0) - parts);
}
