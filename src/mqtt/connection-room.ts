// What connections hold on its way: packets that have not arrived as a whole, what slow readers have not taken, what waits for
// an acknowledgement. Bounded for an account and for all; the connection that holds the most of it is closed.
import type { Duplex } from "node:stream";
import type { Limits } from "../core/limits.ts";
import { createShares } from "../core/shares.ts";
import { megabytes } from "./held-bytes.ts";
import type { MemoryKeys } from "./memory-config.ts";

interface Connection {
  readonly stream: Duplex;
  /** Bytes it holds besides those in the stream. */
  waitingBytes(): number;
  cut(): void;
}

export interface ConnectionRoomOptions {
  bounds: MemoryKeys;
  limits: Limits;
  /** The longest that may be on its way alone. */
  maxPacketBytes: number;
  connections: () => Iterable<{ account: string; link: Connection }>;
}

export interface ConnectionRoom {
  /** So many bytes came, or are to go; looks at what is held now and then. */
  moved(bytes: number): void;
}

const LOOK_EVERY_BYTES = 1_048_576;
// One of the small writes a packet is made of, or of the pieces one arrives in.
const PIECE_BYTES = 150;
// Work that comes with a message, so that many empty ones are looked at too.
const MESSAGE_BYTES = 256;

export function createConnectionRoom(options: ConnectionRoomOptions): ConnectionRoom {
  const { bounds, limits, maxPacketBytes, connections } = options;
  const { each, all } = megabytes(bounds.max_buffered_mb_per_account, bounds.max_buffered_mb);
  // A few of the largest packets must fit, whatever is configured.
  const atLeast = 4 * maxPacketBytes;
  const room = { each: Math.max(each, atLeast), all: Math.max(all, atLeast) };
  let sinceLook = 0;

  function look(): void {
    const held = [...connections()].map((one) => ({ ...one, bytes: heldBy(one.link) }));
    const shares = createShares(room);
    held.sort((a, b) => a.bytes - b.bytes);
    for (const { account, bytes } of held) shares.add(account, bytes);
    for (let most = held.pop(); most; most = held.pop()) {
      const { account, link, bytes } = most;
      const lacks = shares.of(account) > room.each ? "each" : shares.total > room.all ? "all" : undefined;
      if (!lacks || (lacks === "all" && shares.greatest() !== account)) continue;
      const mine = lacks === "each";
      limits.reached({
        limit: mine ? "[mqtt] max_buffered_mb_per_account" : "[mqtt] max_buffered_mb",
        account: mine ? account : "all",
        message: `a connection of ${account} is closed: ${bytes} bytes of it were on their way, as it reads or sends too slowly`,
      });
      shares.add(account, -bytes);
      link.cut();
    }
  }

  return {
    moved(bytes) {
      sinceLook += bytes + MESSAGE_BYTES;
      if (sinceLook < LOOK_EVERY_BYTES) return;
      sinceLook = 0;
      look();
    },
  };
}

/** aedes keeps the parser of a connection, and with it what has come of a packet, beside the stream. */
interface Inside {
  client?: {
    _parser?: { _list?: { length: number; _bufs?: readonly unknown[] } };
    will?: { payload?: { length: number } } | null;
  };
  _writableState?: { bufferedRequestCount?: number };
}

function heldBy(link: Connection): number {
  const { stream } = link;
  const { client, _writableState } = stream as Duplex & Inside;
  const arrived = client?._parser?._list;
  const pieces = (arrived?._bufs?.length ?? 0) + (_writableState?.bufferedRequestCount ?? 0);
  const whole =
    stream.writableLength + stream.readableLength + (arrived?.length ?? 0) + (client?.will?.payload?.length ?? 0);
  return whole + pieces * PIECE_BYTES + link.waitingBytes();
}
