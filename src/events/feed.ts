// Where events are emitted: stamps them, keeps the ring, hands them to whoever listens.
import { createBus } from "../core/bus.ts";
import { type Clock, secondsAsText } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import { bytesHeldBy } from "../core/memory-size.ts";
import type { EventType, HubEvent, Stamp } from "./catalog.ts";
import { createEventRing, type EventRing } from "./ring.ts";
import { createSequence, type SequenceMark } from "./sequence.ts";
import { veiledEvent } from "./veil.ts";

export type { EventRing, KeptEvent } from "./ring.ts";

/** One emitted event. Its JSON text is made once, whoever and how many want it. */
export interface Envelope<E extends HubEvent = HubEvent> {
  readonly type: E["type"];
  readonly event: E & Stamp;
  readonly seq: number;
  /** The device it is about, where it is about one. */
  readonly deviceId: string | undefined;
  /** The event; or where that is longer than `LARGEST_EVENT_BYTES` a `stream_gap` of its number, which says so. */
  readonly json: string;
  /** Whether there is anything in it that not everybody may see. */
  readonly isSecret: boolean;
  /** The text for readers who may not see secrets. */
  readonly veiled: string;
}

type EnvelopeOf<K> = K extends "*" ? Envelope : Envelope<Extract<HubEvent, { type: K }>>;

export interface EventFeed {
  emit(event: HubEvent): void;
  /** Listens to one type, or to everything but `mqtt_message` with "*". */
  on<K extends EventType | "*">(type: K, name: string, listener: (envelope: EnvelopeOf<K>) => void): Disposable;
  /** Whether anybody listens to `mqtt_message`; making one for nobody would cost every packet. */
  wantsMqtt(): boolean;
  readonly ring: EventRing;
}

export interface FeedOptions {
  clock: Clock;
  log: Log;
  /** Events kept for `GET /events` and for readers that come back. */
  buffer: number;
  /** What their texts may take. */
  bufferBytes?: number;
  mark: SequenceMark;
  /** Told of what readers miss because it is too large. */
  onTooLarge?: (what: "event" | "buffer", message: string) => void;
}

/**
 * Above it the text of an event is neither kept nor streamed. A reader is closed when it is so far behind: with a larger one it
 * would be closed, come back, get it again, and so on without end.
 */
export const LARGEST_EVENT_BYTES = 1_048_576;
export const DEFAULT_BUFFER_BYTES = 16 * 1_048_576;

export function createEventFeed(options: FeedOptions): EventFeed {
  const { clock, log, buffer, bufferBytes = DEFAULT_BUFFER_BYTES, mark, onTooLarge = () => {} } = options;
  const sequence = createSequence(clock, mark);
  const bus = createBus<Envelope & { type: EventType }>(log);
  const ring = createEventRing({ most: buffer, mostBytes: bufferBytes, from: sequence.current });
  const queue: Envelope[] = [];
  let mqttListeners = 0;
  const timestamp = secondsAsText();
  let delivering = false;

  // A listener may emit: its event waits, so that all see all events in the order of their numbers.
  function deliver(envelope: Envelope): void {
    queue.push(envelope);
    if (delivering) return;
    delivering = true;
    for (let next = queue.shift(); next; next = queue.shift()) bus.publish(next as never);
    delivering = false;
  }

  return {
    emit(event) {
      // Stamped last: a custom event may bring fields of these names.
      const { type } = event;
      const stamped = Object.assign({ type, timestamp: "", seq: 0 }, event) as HubEvent & Stamp;
      stamped.timestamp = timestamp(clock.now());
      stamped.seq = sequence.next();
      const envelope = createEnvelope(stamped);
      if (event.type === "mqtt_message") return deliver(envelope);
      const crowded = ring.keep(envelope);
      deliver(envelope);
      // Behind it: what is emitted about an event has a greater number.
      if (crowded) onTooLarge("buffer", `only the last ${ring.size} of ${buffer} events fit into it`);
      if (envelope.json.startsWith(GAP))
        onTooLarge("event", `${event.type} is longer than the ${LARGEST_EVENT_BYTES} bytes that are kept and streamed`);
    },
    on(type, name, listener) {
      if (type === "*") {
        return bus.on("*", name, (envelope) => {
          if (envelope.type !== "mqtt_message") listener(envelope as never);
        });
      }
      if (type === "mqtt_message") mqttListeners++;
      const subscription = bus.on(type as never, name, listener as never);
      return {
        [Symbol.dispose]() {
          if (type === "mqtt_message") mqttListeners--;
          subscription[Symbol.dispose]();
        },
      };
    },
    wantsMqtt: () => mqttListeners > 0,
    ring,
  };
}

const GAP = '{"type":"stream_gap"';

function textOf(event: HubEvent & Stamp): string {
  const text = JSON.stringify(event);
  const bytes = bytesHeldBy(text);
  if (bytes <= LARGEST_EVENT_BYTES) return text;
  const { type, timestamp, seq } = event;
  const reason = `${type.slice(0, 200)} of ${bytes} bytes is longer than the ${LARGEST_EVENT_BYTES} an event may have`;
  return JSON.stringify({ type: "stream_gap", timestamp, from_seq: seq, to_seq: seq, reason });
}

export function createEnvelope(event: HubEvent & Stamp): Envelope {
  const deviceId = (event as { device_id?: unknown }).device_id;
  let json: string | undefined;
  let shown: HubEvent | undefined;
  let veiled: string | undefined;
  return {
    type: event.type,
    event,
    seq: event.seq,
    deviceId: typeof deviceId === "string" ? deviceId : undefined,
    get json() {
      json ??= textOf(event);
      return json;
    },
    get isSecret() {
      shown ??= veiledEvent(event);
      return shown !== event;
    },
    get veiled() {
      // What is too long is shown to nobody.
      if (!this.isSecret || this.json.startsWith(GAP)) return this.json;
      veiled ??= JSON.stringify(shown);
      return veiled;
    },
  };
}
