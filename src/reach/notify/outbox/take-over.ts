// Takes over messages that waited on another machine, which was the hub. They keep their age and their place in time; what that
// machine's tries and its uptime clock say counts for nothing here. Loaded when a former hub comes back.
import type { Log } from "../../../kit/lifecycle/log.ts";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { StateDb } from "../../../server/db/state-db.ts";
import type { Notifier } from "../notifier.ts";
import type { ChannelQueue } from "./channel-queue.ts";
import type { ChannelQueues } from "./channel-queues.ts";
import { type LeftMessage, messageKey } from "./left-message.ts";
import { aboutOf, type QueuedMessage, shortened, type Times } from "./queued-message.ts";
import { readLeftMessage } from "./read-left-message.ts";
import { Recent } from "./recent.ts";
import type { Relays } from "./relays.ts";
import type { OutboxStore } from "./store.ts";
import type { LostMessage } from "./try-message.ts";

export interface TakeOverDeps extends Times {
  clock: Clock;
  log: Log;
  db: Pick<StateDb, "copy" | "trouble">;
  store: Pick<OutboxStore, "save" | "has">;
  notifier: Pick<Notifier, "list">;
  queues: Pick<ChannelQueues, "get" | "all">;
  relays: Pick<Relays, "standBy" | "standing" | "isOpen">;
  expireMs: number;
  /** Ids up to this one are not to be given again. */
  noteId: (id: number) => void;
  /** Gives up messages that are above the quota. */
  makeRoom: () => void;
  lost?: ((lost: LostMessage) => void) | undefined;
}

/** What was taken within this time is not taken again, also if it was sent since. */
const REMEMBERED_MS = 3_600_000;
const MAX_REMEMBERED = 20_000;
const MAX_NAMED = 10;

interface Sorted {
  takenOver: QueuedMessage[];
  expired: { message: QueuedMessage; queue: ChannelQueue }[];
  unreadable: number;
  /** Channels that are not configured here, of which messages are left out. */
  unknown: string[];
}

/** See `Outbox.takeOver`. */
export function createTakeOver(deps: TakeOverDeps): (messages: readonly LeftMessage[]) => number {
  const { clock, log, db, store, notifier, queues, relays, uptime, expireMs } = deps;
  const messagesSeen = new Recent(clock, REMEMBERED_MS, MAX_REMEMBERED);
  const relaysSeen = new Recent(clock, REMEMBERED_MS, MAX_REMEMBERED);
  const keyOf = ({ channel, messageId }: QueuedMessage): string => messageKey(channel, messageId);

  function sort(rows: readonly LeftMessage[]): Sorted {
    const sorted: Sorted = { takenOver: [], expired: [], unreadable: 0, unknown: [] };
    const kept = [...queues.all().flatMap((queue) => queue.messages), ...relays.standing()];
    const known = new Set(kept.map(keyOf));
    const used = new Set(kept.map(({ id }) => id));
    const channels = new Set(notifier.list().map(({ name }) => name));
    let lastId = 0;
    const readable = rows.flatMap((row) => readLeftMessage(row) ?? []);
    sorted.unreadable = rows.length - readable.length;
    for (const read of readable.sort((a, b) => a.at - b.at || a.id - b.id)) {
      const key = keyOf(read);
      if (known.has(key) || messagesSeen.has(key) || isOver(read)) continue;
      known.add(key);
      const queue = channels.has(read.channel) ? queues.get(read.channel) : undefined;
      if (!queue) {
        sorted.unknown.push(read.channel);
        continue;
      }
      const ageMs = Math.max(0, clock.now() - read.at);
      const message = { ...read, keptMs: uptime() - ageMs, triedMs: uptime() };
      if (ageMs >= expireMs) {
        sorted.expired.push({ message, queue });
        continue;
      }
      lastId = placeOf(read.at, lastId, used);
      sorted.takenOver.push({ ...message, id: lastId });
    }
    return sorted;
  }

  /** A copy came with an earlier call, and none is left: one has arrived, or none can. */
  function isOver({ relay }: QueuedMessage): boolean {
    return relay !== undefined && relaysSeen.has(relay.id) && !relays.isOpen(relay.id);
  }

  /** The ids here are times too: among those that wait, it goes where it would have been. */
  function placeOf(at: number, after: number, used: ReadonlySet<number>): number {
    let id = Math.max(1, after + 1, Math.min(at, clock.now()));
    while (used.has(id) || store.has(id)) id++;
    return id;
  }

  function save(messages: readonly QueuedMessage[]): void {
    const refused = "messages of the other machine cannot be kept";
    if (db.copy) throw new HubError("storage", `${refused}: this machine's disk cannot be written`);
    try {
      store.save(messages);
    } catch (error) {
      db.trouble.note(error);
      throw new HubError("storage", `${refused}: ${messageOf(error)}`, { cause: error });
    }
  }

  function remember(message: QueuedMessage): void {
    messagesSeen.add(keyOf(message));
    if (message.relay) relaysSeen.add(message.relay.id);
  }

  function report({ expired, unreadable, unknown }: Sorted): void {
    const reported = new Set<string>();
    for (const { message, queue } of expired) {
      const { relay, channel, options } = message;
      if (relay && reported.has(relay.id)) continue;
      if (relay) reported.add(relay.id);
      const error = "it waited too long on the machine that was the hub before";
      queue.news.givenUp(aboutOf(message, deps), { reason: "expired", error, more: 0 });
      if (options.notice !== undefined) deps.lost?.({ channel, notice: options.notice });
    }
    if (unreadable === 0 && unknown.length === 0) return;
    const channels = [...new Set(unknown)].slice(0, MAX_NAMED).map(shortened);
    const what =
      "messages that waited on the other machine are left out: they are not readable, or their channel is gone";
    log.warn(what, { unreadable, of_unknown_channels: unknown.length, channels });
  }

  return function takeOver(rows) {
    const sorted = sort(rows);
    const { takenOver, expired } = sorted;
    if (takenOver.length > 0) save(takenOver);
    for (const message of [...takenOver, ...expired.map((each) => each.message)]) remember(message);
    for (const message of takenOver) {
      deps.noteId(message.id);
      if (!relays.standBy(message)) queues.get(message.channel)?.insert(message);
    }
    if (takenOver.length > 0) deps.makeRoom();
    for (const channel of new Set(takenOver.map(({ channel }) => channel))) queues.get(channel)?.wake();
    report(sorted);
    return takenOver.length;
  };
}
