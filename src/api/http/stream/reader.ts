// One reader of the stream: first the events it missed, at its own pace, then live.
import { isoSeconds } from "../../../kit/time/clock.ts";
import type { Identity } from "../../../server/auth/authenticate.ts";
import { seesSecrets } from "../../../server/auth/roles.ts";
import type { EventRing } from "../../../server/events/feed.ts";
import { matches, type StreamFilter } from "./filter.ts";

/** The part of Bun's WebSocket that a reader uses. */
export interface Socket {
  send(text: string): number;
  ping(): number;
  close(code: number, reason: string): void;
  terminate(): void;
  subscribe(topic: string): void;
  getBufferedAmount(): number;
}

export interface ReaderInfo {
  identity: Identity;
  address: string;
  filter: StreamFilter;
  /** The last `seq` it has seen; undefined starts live. */
  since: number | undefined;
}

export interface Reader {
  readonly info: ReaderInfo;
  readonly socket: Socket;
  /** Whether it may see secrets. */
  readonly isOpen: boolean;
  /** False while it is catching up. */
  readonly isLive: boolean;
  /** When its close frame was sent, on the monotonic clock. */
  closingSince: number | undefined;
  /** When its last "ping" was answered, on the monotonic clock. */
  pongAt: number;
  /** A "ping" came while it was catching up: the answer is sent behind what it missed. */
  owesPong: boolean;
  /** Sends the next events of the replay; goes live once none is left. */
  catchUp(): void;
}

// The replay pauses above this, so that a reader that catches up is not closed as too slow.
const REPLAY_AHEAD_BYTES = 256 * 1024;

export function createReader(
  socket: Socket,
  info: ReaderInfo,
  ring: EventRing,
  now: () => number,
  join: (filter: StreamFilter, isOpen: boolean) => readonly string[],
): Reader {
  const { filter } = info;
  const isOpen = seesSecrets(info.identity.role);
  let isLive = false;
  // A `since` in the future is from before a restore: then everything in the ring is new.
  let position = info.since === undefined ? ring.head : info.since > ring.head ? 0 : info.since;

  function sendGap(): void {
    if (position >= ring.lostThrough) return;
    const gap = { type: "stream_gap", timestamp: isoSeconds(now()), from_seq: position + 1, to_seq: ring.lostThrough };
    socket.send(JSON.stringify(gap));
    position = ring.lostThrough;
  }

  return {
    info,
    socket,
    isOpen,
    get isLive() {
      return isLive;
    },
    closingSince: undefined,
    pongAt: Number.NEGATIVE_INFINITY,
    owesPong: false,
    catchUp() {
      if (isLive) return;
      sendGap();
      for (const envelope of ring.after(position)) {
        if (socket.getBufferedAmount() > REPLAY_AHEAD_BYTES) return;
        if (matches(filter, envelope)) socket.send(isOpen ? envelope.json : envelope.redacted);
        position = envelope.seq;
      }
      isLive = true;
      for (const topic of join(filter, isOpen)) socket.subscribe(topic);
    },
  };
}
