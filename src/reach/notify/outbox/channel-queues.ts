// All queues of a hub: one for each channel, and one for each channel that is gone but left messages. Together they keep within
// the quota.
import type { Limits } from "../../../kit/lifecycle/limits.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import type { Notifier } from "../notifier.ts";
import { ChannelQueue } from "./channel-queue.ts";
import type { ChannelQueueDeps, QueueOptions } from "./queue-deps.ts";
import type { QueuedMessage } from "./queued-message.ts";

export interface ChannelQueues {
  get(channel: string): ChannelQueue | undefined;
  all(): readonly ChannelQueue[];
  /** Throws HubError `not_found`. */
  find(id: string): { queue: ChannelQueue; message: QueuedMessage };
  /** Gives up the oldest of the least important messages, in the fullest queue, until all are within the quota. */
  enforceQuota(): void;
}

/** How much may wait, of all channels together. */
export interface OutboxQuota {
  messages: number;
  bytes: number;
}

const DEFAULT_QUOTA: OutboxQuota = { messages: 10_000, bytes: 16 * 1_048_576 };
const GONE = "the channel is not in the configuration";

interface ChannelQueuesDeps extends ChannelQueueDeps {
  notifier: ChannelQueueDeps["notifier"] & Pick<Notifier, "list">;
  quota?: OutboxQuota;
  limits?: Limits;
}

export function openChannelQueues(earlier: readonly QueuedMessage[], deps: ChannelQueuesDeps): ChannelQueues {
  const { quota = DEFAULT_QUOTA, limits } = deps;
  const byChannel = Map.groupBy(earlier, ({ channel }) => channel);
  const channels = queuedChannels(deps.notifier);
  for (const name of byChannel.keys()) if (!channels.has(name)) channels.set(name, { name, limits: {}, blocked: GONE });
  const all = [...channels.values()].map((each) => new ChannelQueue(each, byChannel.get(each.name) ?? [], deps));
  const byName = new Map(all.map((queue) => [queue.name, queue]));

  function giveUpAbove(most: number, sizeOf: (queue: ChannelQueue) => number, limit: string): void {
    while (sum(all, sizeOf) > most) {
      // What is more important stays as long as anything else is there.
      const rank = ([0, 1, 2] as const).find((each) => all.some((queue) => queue.hasWaiting(each)));
      if (rank === undefined) return;
      const fullest = greatest(
        all.filter((queue) => queue.hasWaiting(rank)),
        sizeOf,
      );
      if (!fullest?.giveUpOldest(rank)) return;
      const message = "too many messages wait: the oldest of this channel are given up";
      limits?.reached({ limit, account: fullest.name, message });
    }
  }

  return {
    get: (channel) => byName.get(channel),
    all: () => all,
    find(id) {
      for (const queue of all) {
        const message = queue.messages.find((each) => String(each.id) === id);
        if (message) return { queue, message };
      }
      throw new HubError("not_found", `no message ${id} waits: it was delivered, given up or dropped`);
    },
    enforceQuota() {
      giveUpAbove(quota.messages, ({ messages }) => messages.length, "[notify] max_waiting");
      giveUpAbove(quota.bytes, ({ bytes }) => bytes, "[notify] max_waiting_mb");
    },
  };
}

/** When two channels have the same name, the one that works gets the queue. `log` never fails and needs none. */
function queuedChannels({ list }: Pick<Notifier, "list">): Map<string, QueueOptions> {
  const channels = new Map<string, QueueOptions>();
  for (const { name, kind, limits, problem } of list()) {
    if (kind === "log" || (channels.has(name) && problem !== undefined)) continue;
    channels.set(name, { name, limits, blocked: problem && `the channel is disabled: ${problem}` });
  }
  return channels;
}

function sum(queues: readonly ChannelQueue[], sizeOf: (queue: ChannelQueue) => number): number {
  return queues.reduce((total, queue) => total + sizeOf(queue), 0);
}

function greatest(queues: readonly ChannelQueue[], by: (queue: ChannelQueue) => number): ChannelQueue | undefined {
  return queues.reduce<ChannelQueue | undefined>(
    (most, queue) => (most && by(most) >= by(queue) ? most : queue),
    undefined,
  );
}
