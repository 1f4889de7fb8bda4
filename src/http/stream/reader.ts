// One reader of the stream: first what it missed, at its own pace, then live.
import type { Identity } from "../../auth/authenticate.ts";
import { seesSecrets } from "../../auth/roles.ts";
import { isoSeconds } from "../../core/clock.ts";
import type { EventRing } from "../../events/feed.ts";
import { matches, type StreamFilter, topicsOf } from "./filter.ts";

/** What the reader needs of a WebSocket; Bun's satisfies it. */
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
  /** Everything later than this was not seen yet; undefined starts live. */
  since: number | undefined;
}

export interface Reader {
  readonly info: ReaderInfo;
  readonly socket: Socket;
  /** Topics it is subscribed to; empty while it still catches up. */
  readonly topics: readonly string[];
  /** When it was told to go, on the monotonic clock. */
  closingSince: number | undefined;
  /** Sends on from where it stands; once level with the feed it goes live. */
  catchUp(): void;
}

// A replay waits for the reader above this, so that catching up never looks like being too slow.
const REPLAY_AHEAD_BYTES = 256 * 1024;

export function createReader(
  socket: Socket,
  info: ReaderInfo,
  ring: EventRing,
  now: () => number,
  onLive: (topics: readonly string[]) => void,
): Reader {
  const { filter } = info;
  const isOpen = seesSecrets(info.identity.role);
  let topics: readonly string[] = [];
  // A number from the future is from before a restore: everything held is news then.
  let position = info.since === undefined ? ring.head : info.since > ring.head ? 0 : info.since;

  function tellGap(): void {
    if (position >= ring.lostThrough) return;
    const gap = { type: "stream_gap", timestamp: isoSeconds(now()), from_seq: position + 1, to_seq: ring.lostThrough };
    socket.send(JSON.stringify(gap));
    position = ring.lostThrough;
  }

  return {
    info,
    socket,
    get topics() {
      return topics;
    },
    closingSince: undefined,
    catchUp() {
      if (topics.length > 0) return;
      tellGap();
      for (const envelope of ring.after(position)) {
        if (socket.getBufferedAmount() > REPLAY_AHEAD_BYTES) return;
        if (matches(filter, envelope)) socket.send(isOpen ? envelope.json : envelope.veiled);
        position = envelope.seq;
      }
      topics = topicsOf(filter, isOpen);
      for (const topic of topics) socket.subscribe(topic);
      onLive(topics);
    },
  };
}
