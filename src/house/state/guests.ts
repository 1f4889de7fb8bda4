// The devices and scenes that guests may use: people with the role `viewer`, who otherwise only look.
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { Id } from "../../kit/schema/ids.ts";
import type { StateDb } from "../../server/db/state-db.ts";
import { openSharedUi } from "./shared-ui.ts";

const MOST = 1000;

export const GuestThings = Type.Object(
  {
    devices: Type.Array(Id, { maxItems: MOST, description: "Ids of devices they may command" }),
    scenes: Type.Array(Id, { maxItems: MOST, description: "Ids of scenes they may activate" }),
  },
  { additionalProperties: false },
);
export type GuestThings = Static<typeof GuestThings>;

export interface Guests {
  list(): GuestThings;
  /** Durable when it returns. */
  set(things: GuestThings): GuestThings;
  may(thing: "device" | "scene", id: string): boolean;
}

export function openGuests(db: Pick<StateDb, "durable" | "faults">): Guests {
  const store = openSharedUi(db, "guests");
  let things: GuestThings = { devices: [], scenes: [] };
  let allowed = { device: new Set<string>(), scene: new Set<string>() };

  function hold({ devices, scenes }: GuestThings): void {
    allowed = { device: new Set(devices), scene: new Set(scenes) };
    things = { devices: [...allowed.device], scenes: [...allowed.scene] };
  }

  store.load(function readThings(text) {
    const stored: unknown = JSON.parse(text);
    if (!Value.Check(GuestThings, stored)) throw new TypeError("it is no list of devices and scenes");
    hold(stored);
  });

  return {
    list: () => things,
    set(next) {
      store.save(JSON.stringify(next));
      hold(next);
      return things;
    },
    may: (thing, id) => allowed[thing].has(id),
  };
}
