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
import { aboutOf, MAX_BYTES, type QueuedMessage, shortened, type Times } from "./queued-message.ts";
import type { Relays } from "./relays.ts";
import { type OutboxStore, readMessage } from "./store.ts";
import type { LostMessage } from "./try-message.ts";

const MAX_NAME = 1000;
const MAX_JSON = 65_536;
/** What a date can be. */
const LATEST = 8.64e15;

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

/** Texts that were seen within the last while, as many as memory allows. */
class Recent {
  readonly #clock: Pick<Clock, "mono">;
  readonly #forMs: number;
  readonly #most: number;
  /** When each was seen, by the monotonic clock; the longest ago first. */
  readonly #seen = new Map<string, number>();

  /** Beyond `most`, what was seen the longest ago is forgotten. */
  constructor(clock: Pick<Clock, "mono">, forMs: number, most: number) {
    this.#clock = clock;
    this.#forMs = forMs;
    this.#most = most;
  }

  has(text: string): boolean {
    const at = this.#seen.get(text);
    return at !== undefined && this.#clock.mono() - at < this.#forMs;
  }

  add(text: string): void {
    const now = this.#clock.mono();
    this.#seen.delete(text);
    this.#seen.set(text, now);
    for (const [other, at] of this.#seen) {
      if (this.#seen.size <= this.#most && now - at < this.#forMs) break;
      this.#seen.delete(other);
    }
  }
}

/**
 * As it would be if it had just been enqueued, except for `id` and `keptMs`, which are the other machine's; undefined for a row that is none.
 * Unlike the hub's own rows it comes over the network, so its sizes are bounded too.
 */
function readLeftMessage(row: LeftMessage): QueuedMessage | undefined {
  const { at, channel, message_id, title, message, html = null } = row;
  if (typeof at !== "number" || !(at >= 0 && at <= LATEST)) return undefined;
  if (!isName(channel) || !isName(message_id) || typeof title !== "string" || typeof message !== "string")
    return undefined;
  if (html !== null && typeof html !== "string") return undefined;
  const [options, settled, relay] = [row.options ?? "{}", row.settled ?? null, row.relay ?? null];
  if (!isJson(options) || !(settled === null || isJson(settled)) || !(relay === null || isJson(relay)))
    return undefined;
  const texts = { title, message, ...(html !== null && { html }) };
  const read = readMessage({
    ...{ id: whole(row.id, 0), at: Math.round(at), count: whole(row.count, 1), parts: whole(row.parts, 0) },
    ...{ channel, message_id, title, message, html, options, settled, relay },
    ...{ tries: 0, last_error: null, kept_ms: 0, tried_ms: 0, not_before_ms: 0 },
  });
  return read.bytes <= MAX_BYTES ? { ...read, texts } : undefined;
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= MAX_NAME;
}

function isJson(value: unknown): value is string {
  return typeof value === "string" && value.length <= MAX_JSON;
}

function whole(value: unknown, least: number): number {
  return typeof value === "number" && Number.isSafeInteger(value) ? Math.max(least, value) : least;
}
