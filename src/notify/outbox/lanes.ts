// All lanes of a hub: one for each channel, and one for each that is gone but has letters left.
import { HubError } from "../../core/errors.ts";
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

const MOST_LETTERS = 10_000;
const MOST_BYTES = 16 * 1024 * 1024;
const GONE = "the channel is not in the configuration";

export function openLanes(earlier: readonly Letter[], deps: LaneDeps & { notifier: Pick<Notifier, "list"> }): Lanes {
  const byChannel = Map.groupBy(earlier, ({ channel }) => channel);
  const places = placesOf(deps.notifier);
  for (const name of byChannel.keys()) if (!places.has(name)) places.set(name, { name, limits: {}, blocked: GONE });
  const all = [...places.values()].map((place) => createLane(place, byChannel.get(place.name) ?? [], deps));
  const byName = new Map(all.map((lane) => [lane.name, lane]));
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
      const size = (lane: Lane): number => lane.letters.length;
      const bytes = (lane: Lane): number => lane.bytes;
      while (sum(all, size) > MOST_LETTERS && greatest(all, size)?.giveUpOldest());
      while (sum(all, bytes) > MOST_BYTES && greatest(all, bytes)?.giveUpOldest());
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
