// Where events are emitted: stamps them, keeps the ring, hands them to whoever listens.
import { createBus } from "../core/bus.ts";
import { type Clock, secondsAsText } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import { createRingBuffer } from "../core/ring-buffer.ts";
import type { EventType, HubEvent, Stamp } from "./catalog.ts";
import { createSequence, type SequenceMark } from "./sequence.ts";
import { veiledEvent } from "./veil.ts";

/** One emitted event. Its JSON text is made once, whoever and how many want it. */
export interface Envelope<E extends HubEvent = HubEvent> {
  readonly type: E["type"];
  readonly event: E & Stamp;
  readonly seq: number;
  /** The device it is about, where it is about one. */
  readonly deviceId: string | undefined;
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

export interface EventRing {
  readonly capacity: number;
  readonly size: number;
  /** `seq` of the newest event emitted, or of the start where there was none. */
  readonly head: number;
  /** Everything up to and including this `seq` is no longer held. */
  readonly lostThrough: number;
  /** Events with a greater `seq`, oldest first. */
  after(seq: number): Iterable<Envelope>;
  /** All, newest first. */
  newestFirst(): Iterable<Envelope>;
}

export interface FeedOptions {
  clock: Clock;
  log: Log;
  /** Events kept for `GET /events` and for readers that come back. */
  buffer: number;
  mark: SequenceMark;
}

export function createEventFeed({ clock, log, buffer, mark }: FeedOptions): EventFeed {
  const sequence = createSequence(clock, mark);
  const bus = createBus<Envelope & { type: EventType }>(log);
  const ring = createRingBuffer<Envelope>(buffer);
  const queue: Envelope[] = [];
  let lostThrough = sequence.current;
  let head = sequence.current;
  let mqttListeners = 0;
  const timestamp = secondsAsText();
  let delivering = false;

  function keep(envelope: Envelope): void {
    const oldest = ring.at(0);
    if (ring.size === ring.capacity && oldest) lostThrough = oldest.seq;
    ring.push(envelope);
    head = envelope.seq;
  }

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
      if (event.type !== "mqtt_message") keep(envelope);
      deliver(envelope);
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
    ring: {
      capacity: ring.capacity,
      get size() {
        return ring.size;
      },
      get head() {
        return head;
      },
      get lostThrough() {
        return lostThrough;
      },
      *after(seq) {
        // Numbers grow along the ring: find the first that is greater by halving.
        let low = 0;
        for (let high = ring.size; low < high; ) {
          const middle = (low + high) >> 1;
          if ((ring.at(middle)?.seq ?? 0) > seq) high = middle;
          else low = middle + 1;
        }
        for (; low < ring.size; low++) yield ring.at(low) as Envelope;
      },
      *newestFirst() {
        for (let index = ring.size - 1; index >= 0; index--) yield ring.at(index) as Envelope;
      },
    },
  };
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
      json ??= JSON.stringify(event);
      return json;
    },
    get isSecret() {
      shown ??= veiledEvent(event);
      return shown !== event;
    },
    get veiled() {
      if (!this.isSecret) return this.json;
      veiled ??= JSON.stringify(shown);
      return veiled;
    },
  };
}
