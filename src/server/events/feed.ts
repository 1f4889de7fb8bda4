// The event feed: stamps each event, keeps it in the ring and delivers it to the listeners.
import { type Bus, createBus } from "../../kit/lifecycle/bus.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import { bytesHeldBy } from "../../kit/schema/memory-size.ts";
import { type Clock, secondsAsText } from "../../kit/time/clock.ts";
import type { EventType, HubEvent, Stamp } from "./catalog.ts";
import { redactedEvent } from "./redact.ts";
import { EventRing } from "./ring.ts";

export type { EventRing, KeptEvent } from "./ring.ts";

/** An emitted event. Its JSON text is made once, however many listeners read it. */
export interface Envelope<E extends HubEvent = HubEvent> {
  readonly type: E["type"];
  readonly event: E & Stamp;
  readonly seq: number;
  /** When it happened, in epoch ms. */
  readonly at: number;
  /** The device it is about, if any. */
  readonly deviceId: string | undefined;
  /** The event; if that is longer than `MAX_EVENT_BYTES`, a `stream_gap` of its `seq` that says so. */
  readonly json: string;
  /** Whether it contains anything that not everybody may see. */
  readonly isSecret: boolean;
  /** The text for readers who may not see secrets. */
  readonly redacted: string;
}

type EnvelopeOf<K> = K extends "*" ? Envelope : Envelope<Extract<HubEvent, { type: K }>>;

export interface FeedOptions {
  clock: Clock;
  log: Log;
  /** Events kept for `GET /events` and for streams that resume. */
  buffer: number;
  /** Memory their texts may take. */
  bufferBytes?: number;
  mark: SequenceMark;
  /** Called when readers miss something because it is too large. */
  onTooLarge?: (what: "event" | "buffer", message: string) => void;
}

/**
 * The text of a longer event is neither kept nor streamed. A reader that is so far behind is disconnected: with a longer
 * event it would be disconnected, come back, get the event again, and so on without end.
 */
export const MAX_EVENT_BYTES = 1_048_576;
const DEFAULT_BUFFER_BYTES = 16 * 1_048_576;

export function createEventFeed(options: FeedOptions): EventFeed {
  return new EventFeed(options);
}

export class EventFeed {
  readonly ring: EventRing;
  readonly #clock: Clock;
  readonly #sequence: Sequence;
  readonly #bus: Bus<Envelope & { type: EventType }>;
  readonly #onTooLarge: (what: "event" | "buffer", message: string) => void;
  readonly #timestamp = secondsAsText();
  readonly #queue: Envelope[] = [];
  #isDelivering = false;
  #mqttListeners = 0;

  constructor({ clock, log, buffer, bufferBytes = DEFAULT_BUFFER_BYTES, mark, onTooLarge = () => {} }: FeedOptions) {
    this.#clock = clock;
    this.#sequence = createSequence(clock, mark);
    this.#bus = createBus(log);
    this.#onTooLarge = onTooLarge;
    this.ring = new EventRing({ most: buffer, maxBytes: bufferBytes, from: this.#sequence.current });
  }

  /** A field, so that it can be passed on without the feed. `at`: for who has noted the same time elsewhere. */
  readonly emit = (event: HubEvent, at = this.#clock.now()): void => {
    // Stamped last: a custom event may have fields of these names.
    const { type } = event;
    const stamped = { type, timestamp: "", seq: 0, ...(event as object) } as HubEvent & Stamp;
    stamped.timestamp = this.#timestamp(at);
    stamped.seq = this.#sequence.next();
    const envelope = createEnvelope(stamped, at);
    const isCrowded = type !== "mqtt_message" && this.ring.add(envelope);
    this.#deliver(envelope);
    if (type === "mqtt_message") return;
    // After it, because what is emitted about an event must have a greater `seq`.
    if (isCrowded)
      this.#onTooLarge("buffer", `only the last ${this.ring.size} of ${this.ring.capacity} events fit into it`);
    if (envelope.json.startsWith(GAP))
      this.#onTooLarge("event", `${type} is longer than the ${MAX_EVENT_BYTES} bytes that are kept and streamed`);
  };

  /** `seq` of the newest event, `mqtt_message` included. */
  get head(): number {
    return this.#sequence.current;
  }

  /** Listens to one type, or with "*" to all but `mqtt_message`. */
  on<K extends EventType | "*">(type: K, name: string, listener: (envelope: EnvelopeOf<K>) => void): Disposable {
    if (type === "*") {
      return this.#bus.on("*", name, (envelope) => {
        if (envelope.type !== "mqtt_message") listener(envelope as never);
      });
    }
    const subscription = this.#bus.on(type as never, name, listener as never);
    if (type !== "mqtt_message") return subscription;
    this.#mqttListeners++;
    return {
      [Symbol.dispose]: () => {
        this.#mqttListeners--;
        subscription[Symbol.dispose]();
      },
    };
  }

  /** Whether anybody listens to `mqtt_message`. If nobody does, no packet needs to become an event. */
  wantsMqtt(): boolean {
    return this.#mqttListeners > 0;
  }

  // A listener may emit: that event is queued, so that all listeners see all events in the order of their `seq`.
  #deliver(envelope: Envelope): void {
    this.#queue.push(envelope);
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) this.#bus.publish(next as never);
    this.#isDelivering = false;
  }
}

export function createEnvelope(event: HubEvent & Stamp, at = Date.parse(event.timestamp)): Envelope {
  return new EventEnvelope(event, at);
}

class EventEnvelope implements Envelope {
  readonly type: EventType;
  readonly event: HubEvent & Stamp;
  readonly seq: number;
  readonly at: number;
  readonly deviceId: string | undefined;
  #json: string | undefined;
  #masked: HubEvent | undefined;
  #redacted: string | undefined;

  constructor(event: HubEvent & Stamp, at: number) {
    const deviceId = (event as { device_id?: unknown }).device_id;
    this.type = event.type;
    this.event = event;
    this.seq = event.seq;
    this.at = at;
    this.deviceId = typeof deviceId === "string" ? deviceId : undefined;
  }

  get json(): string {
    this.#json ??= textOf(this.event);
    return this.#json;
  }

  get isSecret(): boolean {
    this.#masked ??= redactedEvent(this.event);
    return this.#masked !== this.event;
  }

  get redacted(): string {
    // Nobody is shown an event that is too long.
    if (!this.isSecret || this.json.startsWith(GAP)) return this.json;
    this.#redacted ??= JSON.stringify(this.#masked);
    return this.#redacted;
  }
}

const GAP = '{"type":"stream_gap"';

function textOf(event: HubEvent & Stamp): string {
  const text = JSON.stringify(event);
  // A character takes two bytes at most.
  if (2 * text.length <= MAX_EVENT_BYTES) return text;
  const bytes = bytesHeldBy(text);
  if (bytes <= MAX_EVENT_BYTES) return text;
  const { type, timestamp, seq } = event;
  const reason = `${type.slice(0, 200)} of ${bytes} bytes is longer than the ${MAX_EVENT_BYTES} an event may have`;
  return JSON.stringify({ type: "stream_gap", timestamp, from_seq: seq, to_seq: seq, reason });
}

/** Stores the greatest number that is reserved. */
interface SequenceMark {
  load(): number;
  /** Must be durable when it returns. */
  save(mark: number): void;
}

interface Sequence {
  /** The last number given out, or the one before the first. */
  readonly current: number;
  next(): number;
}

// A block is reserved with one write: the next write comes after a million events.
const BLOCK = 1_000_000;
const RETRY_BLOCK = 10_000;

/**
 * Starts at the clock (microseconds, below 2^53 until the year 2255) or after the stored mark, whichever is greater. Reserves nothing
 * before the first number is given out: until then a start writes nothing.
 */
function createSequence(clock: Clock, mark: SequenceMark): Sequence {
  let current = Math.max(Math.floor(clock.now()) * 1000, mark.load());
  let reserved = current;
  // A full disk must not stop events; the clock alone then makes the numbers grow over a restart.
  function reserve(): void {
    reserved = current + BLOCK;
    try {
      mark.save(reserved);
    } catch {
      reserved = current + RETRY_BLOCK;
    }
  }

  return {
    get current() {
      return current;
    },
    next() {
      current++;
      if (current >= reserved) reserve();
      return current;
    },
  };
}
