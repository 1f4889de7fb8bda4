// Which attributes of which devices an earlier version of the hub called otherwise, and since when they have their present
// names: what was recorded before, and rules that were written before, mean them by the former ones.
import { startWriteBehind } from "../../kit/files/write-behind.ts";
import { type Bus, createBus } from "../../kit/lifecycle/bus.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { StateDb } from "../../server/db/state-db.ts";
import type { RenamedAttribute } from "./words/device-words.ts";

export interface RenamedSince extends RenamedAttribute {
  /** Epoch ms: from then on `from` means something else. */
  readonly at: number;
}

export interface RenamedAttributes extends Disposable {
  /** Written when it returns; if the disk refuses it, it is retried. */
  add(attribute: RenamedAttribute, at: number): void;
  /** A person's new name: its rows, into the transaction of whoever calls it, and what is to be called once that is committed. */
  given(attribute: RenamedAttribute, at: number): { write(): void; take(): void };
  list(): Iterable<RenamedSince>;
  of(deviceId: string, attribute: string): RenamedSince | undefined;
  /** What is called now what the device reported under this name at that time. */
  nameAt(deviceId: string, attribute: string, at: number): string;
  /** Of a removed device, whose rows are gone with it. */
  forget(deviceId: string): void;
  onAdded(name: string, listener: (one: RenamedSince) => void): Disposable;
}

export interface RenamedAttributesOptions {
  db: Pick<StateDb, "durable" | "relaxed" | "trouble">;
  clock: Clock;
  log: Log;
}

interface Row {
  device_id: string;
  former: string;
  present: string;
  at: number;
}

const RETRY_MS = 10_000;

export function openRenamedAttributes({ db, clock, log }: RenamedAttributesOptions): RenamedAttributes {
  const known = new Map<string, Map<string, RenamedSince>>();
  const added: Bus<{ type: "added"; one: RenamedSince }> = createBus(log);
  const rows = db.relaxed.query<Row, []>("SELECT device_id, former, present, at FROM renamed_attributes");
  for (const { device_id, former, present, at } of rows.all())
    put({ deviceId: device_id, from: former, to: present, at });
  // Selected from the devices, so that a removed device gets no row.
  const sql = `INSERT INTO renamed_attributes (device_id, former, present, at) SELECT id, $from, $to, $at FROM devices WHERE id = $id
     ON CONFLICT (device_id, former) DO UPDATE SET present = excluded.present, at = excluded.at, looked = 0`;
  const upsert = db.relaxed.query(sql);
  const write = db.relaxed.transaction((all: Iterable<RenamedSince>) => {
    for (const { deviceId, from, to, at } of all) upsert.run({ id: deviceId, from, to, at });
  }).immediate;
  const unwritten = startWriteBehind<RenamedSince>({
    ...{ clock, log, write, periodMs: RETRY_MS, trouble: db.trouble },
    what: "the list of renamed attributes",
  });

  function put(one: RenamedSince): void {
    const ofDevice = known.get(one.deviceId) ?? new Map<string, RenamedSince>();
    known.set(one.deviceId, ofDevice.set(one.from, one));
  }

  const of: RenamedAttributes["of"] = (deviceId, attribute) => known.get(deviceId)?.get(attribute);
  return {
    add(attribute, at) {
      const one = { ...attribute, at };
      put(one);
      unwritten.mark(one);
      unwritten.flush();
      added.publish({ type: "added", one });
    },
    given(attribute, at) {
      const { deviceId, from, to } = attribute;
      // What had several names one after the other has the last; what has an earlier one again has no former name.
      const earlier = [...(known.get(deviceId)?.values() ?? [])].filter((one) => one.to === from);
      const kept = earlier.filter((one) => one.from !== to).map((one) => ({ ...one, to }));
      return {
        write() {
          db.durable.run("DELETE FROM renamed_attributes WHERE device_id = ? AND former = ?", [deviceId, to]);
          for (const one of kept)
            db.durable.run("UPDATE renamed_attributes SET present = ? WHERE device_id = ? AND former = ?", [
              to,
              deviceId,
              one.from,
            ]);
          db.durable.query(sql).run({ id: deviceId, from, to, at });
        },
        take() {
          known.get(deviceId)?.delete(to);
          for (const one of [...kept, { ...attribute, at }]) put(one);
          added.publish({ type: "added", one: { ...attribute, at } });
        },
      };
    },
    *list() {
      for (const ofDevice of known.values()) yield* ofDevice.values();
    },
    of,
    nameAt(deviceId, attribute, at) {
      const one = of(deviceId, attribute);
      return one && at < one.at ? one.to : attribute;
    },
    forget(deviceId) {
      for (const one of known.get(deviceId)?.values() ?? []) unwritten.forget(one);
      known.delete(deviceId);
    },
    onAdded: (name, listener) => added.on("added", name, ({ one }) => listener(one)),
    [Symbol.dispose]: () => unwritten[Symbol.dispose](),
  };
}
