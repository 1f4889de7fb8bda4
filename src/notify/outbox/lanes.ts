// All lanes of a hub: one for each channel, and one for each that is gone but has letters left.
import { HubError } from "../../core/errors.ts";
import type { Limits } from "../../core/limits.ts";
import type { Notifier } from "../notifier.ts";
import { createLane, type Lane, type LaneDeps, type LanePlace } from "./lane.ts";
import type { Letter } from "./letter.ts";

export interface Lanes {
  get(channel: string): Lane | undefined;
  all(): readonly Lane[];
  /** Throws HubError `not_found`. */
  find(id: string): { lane: Lane; letter: Letter };
  /** Gives up the oldest of the channel that holds the most, until all is within bounds. */
  makeRoom(): void;
}

/** What may wait, of all channels together. */
export interface OutboxRoom {
  letters: number;
  bytes: number;
}

export const OUTBOX_ROOM: OutboxRoom = { letters: 10_000, bytes: 16 * 1_048_576 };
const GONE = "the channel is not in the configuration";

interface LanesDeps extends LaneDeps {
  notifier: LaneDeps["notifier"] & Pick<Notifier, "list">;
  room?: OutboxRoom;
  limits?: Limits;
}

export function openLanes(earlier: readonly Letter[], deps: LanesDeps): Lanes {
  const { room = OUTBOX_ROOM, limits } = deps;
  const byChannel = Map.groupBy(earlier, ({ channel }) => channel);
  const places = placesOf(deps.notifier);
  for (const name of byChannel.keys()) if (!places.has(name)) places.set(name, { name, limits: {}, blocked: GONE });
  const all = [...places.values()].map((place) => createLane(place, byChannel.get(place.name) ?? [], deps));
  const byName = new Map(all.map((lane) => [lane.name, lane]));

  function giveUpWithin(most: number, of: (lane: Lane) => number, limit: string): void {
    while (sum(all, of) > most) {
      const fullest = greatest(all, of);
      if (!fullest?.giveUpOldest()) return;
      const message = "too many messages wait: the oldest of this channel are given up";
      limits?.reached({ limit, account: fullest.name, message });
    }
  }

  return {
    get: (channel) => byName.get(channel),
    all: () => all,
    find(id) {
      for (const lane of all) {
        const letter = lane.letters.find((each) => String(each.id) === id);
        if (letter) return { lane, letter };
      }
      throw new HubError("not_found", `no message ${id} waits: it was delivered, given up or dropped`);
    },
    makeRoom() {
      giveUpWithin(room.letters, ({ letters }) => letters.length, "[notify] max_waiting");
      giveUpWithin(room.bytes, ({ bytes }) => bytes, "[notify] max_waiting_mb");
    },
  };
}

/** Where names clash, the one that works bears it. The server's log takes everything at once and needs no lane. */
function placesOf({ list }: Pick<Notifier, "list">): Map<string, LanePlace> {
  const places = new Map<string, LanePlace>();
  for (const { name, kind, limits, problem } of list()) {
    if (kind === "log" || (places.has(name) && problem !== undefined)) continue;
    places.set(name, { name, limits, blocked: problem && `the channel is disabled: ${problem}` });
  }
  return places;
}

function sum(lanes: readonly Lane[], of: (lane: Lane) => number): number {
  return lanes.reduce((total, lane) => total + of(lane), 0);
}

function greatest(lanes: readonly Lane[], by: (lane: Lane) => number): Lane | undefined {
  return lanes.reduce<Lane | undefined>((most, lane) => (most && by(most) >= by(lane) ? most : lane), undefined);
}
