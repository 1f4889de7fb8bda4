// The live feed: publishes each event once per topic with Bun's own broadcast, and closes readers that are too slow or expired.
import { guarded } from "../../../kit/lifecycle/lifecycle.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { Auth } from "../../../server/auth/auth.ts";
import type { Envelope, EventFeed } from "../../../server/events/feed.ts";
import { Audiences } from "./audiences.ts";
import type { StreamFilter } from "./filter.ts";
import { createReader, type Reader, type ReaderInfo, type Socket } from "./reader.ts";

/** A reader further behind than this is closed. */
export const BEHIND_LIMIT_BYTES = 1024 * 1024;
/** All readers together that are far behind: above it those that are furthest are cut. */
const ALL_BEHIND_LIMIT_BYTES = 8 * BEHIND_LIMIT_BYTES;
/** A burst, or a replay, is no more than this for a reader that reads. */
const FAR_BEHIND_BYTES = BEHIND_LIMIT_BYTES / 4;
const SWEEP_MS = 1000;
// Under load a check each second comes too late: Bun cuts a reader at twice the limit without a reason.
const CHECK_EVERY_BYTES = BEHIND_LIMIT_BYTES / 4;
const PING_MS = 30_000;
const LEAST_PING_MS = 200;
const PONG = '{"type":"stream_pong"}';
// A close frame is queued behind unread bytes: after this time the connection is cut.
const CLOSE_GRACE_MS = 5000;

export interface HubStream extends Disposable {
  /** The functions Bun calls for one socket. */
  socketHandlers(info: ReaderInfo): SocketHandlers;
  readonly clients: number;
  /** Readers that were closed since the start because they were too slow. */
  readonly dropped: number;
}

export interface SocketHandlers {
  open(socket: Socket): void;
  message(socket: Socket, text: string | Buffer): void;
  drain(): void;
  close(socket: Socket, code: number): void;
  ping(): void;
  pong(): void;
}

export interface HubStreamOptions {
  feed: EventFeed;
  auth: Pick<Auth, "stillValid" | "onRevoked">;
  clock: Clock;
  log: Log;
  publish: (topic: string, text: string) => void;
}

export function startHubStream({ feed, auth, clock, log, publish }: HubStreamOptions): HubStream {
  const readers = new Set<Reader>();
  const audiences = new Audiences();
  let mqtt: Disposable | undefined;
  let bytesSinceCheck = 0;
  let dropped = 0;

  function broadcast(envelope: Envelope): void {
    for (const audience of audiences.of(envelope)) {
      if (!envelope.isSecret) send(audience.common, envelope.json);
      else {
        if (audience.openReaders > 0) send(audience.open, envelope.json);
        if (audience.redactedReaders > 0) send(audience.redacted, envelope.redacted);
      }
    }
    if (bytesSinceCheck < CHECK_EVERY_BYTES) return;
    bytesSinceCheck = 0;
    for (const reader of readers) closeIfBehind(reader);
    makeRoom(0);
  }

  function send(topic: string, text: string): void {
    // A check afterwards would come too late: each of those that are behind gets a copy.
    if (text.length >= CHECK_EVERY_BYTES) makeRoom(text.length);
    publish(topic, text);
    bytesSinceCheck += text.length;
  }

  function join(filter: StreamFilter, isOpen: boolean): string[] {
    const topics = audiences.join(filter, isOpen);
    listenToMqttIfWanted();
    return topics;
  }

  function leave({ info, isLive, isOpen }: Reader): void {
    if (!isLive) return;
    audiences.leave(info.filter, isOpen);
    listenToMqttIfWanted();
  }

  // MQTT traffic becomes events only while a reader wants it.
  function listenToMqttIfWanted(): void {
    const isWanted = audiences.of({ type: "mqtt_message", deviceId: undefined }).length > 0;
    if (isWanted) mqtt ??= feed.on("mqtt_message", "stream", broadcast);
    else {
      mqtt?.[Symbol.dispose]();
      mqtt = undefined;
    }
  }

  /** The answer says that all before it was sent. */
  function answerPing(reader: Reader): void {
    reader.owesPong = !reader.isLive;
    if (!reader.owesPong) reader.socket.send(PONG);
  }

  function goOn(reader: Reader): void {
    reader.catchUp();
    if (reader.owesPong) answerPing(reader);
  }

  function close(reader: Reader, code: number, reason: string): void {
    if (reader.closingSince !== undefined) return;
    reader.closingSince = clock.mono();
    reader.socket.close(code, reason);
  }

  function closeIfBehind(reader: Reader): boolean {
    const behind = reader.socket.getBufferedAmount();
    if (behind <= BEHIND_LIMIT_BYTES || reader.closingSince !== undefined) return false;
    dropped++;
    logBehind(log, reader, behind);
    close(reader, 1013, "too far behind; come back with since");
    return true;
  }

  /** For so many bytes more to each reader that is far behind. Nothing waits for the close frame: what was unread is to go now. */
  function makeRoom(bytes: number): void {
    const behind = [...readers]
      .map((reader) => ({ reader, unread: reader.socket.getBufferedAmount() }))
      .filter(({ unread }) => unread > FAR_BEHIND_BYTES)
      .sort((a, b) => b.unread - a.unread);
    let all = behind.reduce((sum, { unread }) => sum + unread + bytes, 0);
    for (const { reader, unread } of behind) {
      if (all <= ALL_BEHIND_LIMIT_BYTES) return;
      all -= unread + bytes;
      if (reader.closingSince === undefined) {
        dropped++;
        logBehind(log, reader, unread);
        reader.closingSince = clock.mono();
      }
      reader.socket.terminate();
    }
  }

  function sweep(): void {
    for (const reader of readers) {
      if (reader.closingSince !== undefined) {
        if (clock.mono() - reader.closingSince > CLOSE_GRACE_MS) reader.socket.terminate();
        continue;
      }
      if (closeIfBehind(reader)) continue;
      if (!auth.stillValid(reader.info.identity)) {
        close(reader, 1008, "the token has expired or was withdrawn");
      } else if (!reader.isLive) goOn(reader);
    }
  }

  const subscriptions: Disposable[] = [
    feed.on("*", "stream", broadcast),
    auth.onRevoked(guarded(log, "stream-sweep", sweep)),
    clock.every("stream-sweep", SWEEP_MS, guarded(log, "stream-sweep", sweep)),
    clock.every(
      "stream-ping",
      PING_MS,
      guarded(log, "stream-ping", () => {
        for (const { socket } of readers) socket.ping();
      }),
    ),
  ];

  return {
    get clients() {
      return readers.size;
    },
    get dropped() {
      return dropped;
    },
    socketHandlers(info) {
      let reader: Reader | undefined;
      return {
        open(socket) {
          reader = createReader(socket, info, feed.ring, clock.now, join);
          readers.add(reader);
          reader.catchUp();
        },
        drain: () => reader && goOn(reader),
        close(_socket, code) {
          if (!reader) return;
          readers.delete(reader);
          leave(reader);
          // Bun cuts a full connection by itself between two sweeps; then the code is 1006.
          if (code === 1006 && reader.closingSince === undefined) {
            if (reader.socket.getBufferedAmount() > 0) dropped++;
            log.info("a stream client went away without closing", { who: info.identity.name, address: info.address });
          }
        },
        message(_socket, text) {
          // Pages cannot see the pings of WebSocket itself. More than a few a second are nobody's heartbeat.
          if (text !== "ping" || !reader || clock.mono() - reader.pongAt < LEAST_PING_MS) return;
          reader.pongAt = clock.mono();
          answerPing(reader);
        },
        ping() {},
        pong() {},
      };
    },
    [Symbol.dispose]() {
      for (const subscription of subscriptions) subscription[Symbol.dispose]();
      mqtt?.[Symbol.dispose]();
      for (const reader of readers) close(reader, 1001, "the hub is stopping");
    },
  };
}

function logBehind(log: Log, { info }: Reader, bytes: number): void {
  log.warn("a stream client cannot keep up and was closed; it can come back with since", {
    who: info.identity.name,
    address: info.address,
    bytes_behind: bytes,
  });
}
