// What the queue of a channel needs, and what it is notified of its channel.
import type { RandomBytes } from "../../../kit/schema/ids.ts";
import type { HubEvent } from "../../../server/events/catalog.ts";
import type { ChannelState } from "../notifier.ts";
import type { QueuedMessage } from "./queued-message.ts";
import type { Relays } from "./relays.ts";
import type { TryDeps } from "./try-message.ts";

export interface ChannelQueueDeps extends TryDeps {
  random: RandomBytes;
  /** Writes a changed message with the next ones. */
  mark: (message: QueuedMessage) => void;
  /** Writes changed messages to disk, now or as soon as the disk accepts them. */
  keep: (messages: readonly QueuedMessage[]) => void;
  emit: (event: HubEvent) => void;
  relays: Pick<Relays, "settle" | "passOn" | "failed">;
  expireMs: number;
}

export interface QueueOptions extends Pick<ChannelState, "name" | "limits"> {
  /** Why nothing can be sent to the channel; its messages wait nevertheless. */
  blocked: string | undefined;
}
