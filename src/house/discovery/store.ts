// What must outlive a restart: what people decided about announcements, and which device each identity belongs to.
import type { Database } from "bun:sqlite";
import { readEach, textIn } from "../../server/db/rows.ts";
import type { StateDb } from "../../server/db/state-db.ts";

export type Decision = "accepted" | "ignored";

export interface DiscoveryStore {
  decision(id: string): Decision | undefined;
  /** Durable when it returns. Throws where it cannot be written. */
  decide(id: string, decision: Decision): void;
  /** The device that is known by it. */
  deviceOf(identity: string): string | undefined;
  knows(deviceId: string): boolean;
  /** All of them are of this device; of those that are new each time the oldest are forgotten. */
  bind(identities: readonly string[], deviceId: string): void;
  /** The device is no more. What its attributes are called stays, for when it returns: rules still mean the same by it. */
  forget(deviceId: string): void;
  /** What the attributes of a device are called that one source describes, by what they are of, the first given first. */
  namesOf(deviceId: string, source: string): ReadonlyMap<string, string>;
  /** Further ones. */
  name(deviceId: string, source: string, fresh: ReadonlyMap<string, string>): void;
  /** It was there before names were kept: what was called how is known once all is announced again. */
  isUnnamed(deviceId: string): boolean;
}

/** Of one device: what it is announced with at once fits in. */
const MAX_IDENTITIES = 50;

export function openDiscoveryStore(db: StateDb): DiscoveryStore {
  const decisions = new Map(loadDecisions(db));
  const devices = new Map(loadIdentities(db));
  /** By device, the oldest first. */
  const known = new Map<string, Set<string>>();
  for (const [identity, deviceId] of devices) identitiesOf(deviceId).add(identity);
  /** Names that could not be written: the others are read when a device is described, and take no memory. */
  const unwritten = new Map<string, Map<string, string>>();
  const unnamed = new Set(loadUnnamed(db));

  function namesOf(deviceId: string, source: string): Map<string, string> {
    const names = new Map(loadNames(db, deviceId, source));
    for (const [id, name] of unwritten.get(nameKey(deviceId, source)) ?? []) if (!names.has(id)) names.set(id, name);
    return names;
  }

  function identitiesOf(deviceId: string): Set<string> {
    const all = known.get(deviceId) ?? new Set();
    known.set(deviceId, all);
    return all;
  }

  /** What a device has too many of, without those that are announced now. */
  function surplusOf(deviceId: string, identities: readonly string[]): string[] {
    const all = identitiesOf(deviceId);
    if (all.size <= MAX_IDENTITIES) return [];
    return [...all].filter((one) => !identities.includes(one)).slice(0, all.size - MAX_IDENTITIES);
  }

  /** Whether it is written. */
  function writeRelaxed(write: (connection: Database) => void): boolean {
    try {
      write(db.relaxed);
      return true;
    } catch (error) {
      // The devices announce themselves again.
      db.trouble.note(error);
      return false;
    }
  }

  return {
    decision: (id) => decisions.get(id),
    decide(id, decision) {
      db.durable.run("INSERT OR REPLACE INTO discovery_decisions (id, decision) VALUES (?, ?)", [id, decision]);
      decisions.set(id, decision);
    },
    deviceOf: (identity) => devices.get(identity),
    knows: (deviceId) => known.has(deviceId),
    bind(identities, deviceId) {
      const fresh = identities.filter((identity) => devices.get(identity) !== deviceId);
      if (fresh.length === 0) return;
      for (const identity of fresh) {
        known.get(devices.get(identity) ?? "")?.delete(identity);
        devices.set(identity, deviceId);
        identitiesOf(deviceId).add(identity);
      }
      const surplus = surplusOf(deviceId, identities);
      for (const identity of surplus) {
        devices.delete(identity);
        identitiesOf(deviceId).delete(identity);
      }
      writeRelaxed((connection) => {
        const remove = connection.query("DELETE FROM discovery_identities WHERE identity = ?");
        const insert = connection.query(
          "INSERT OR REPLACE INTO discovery_identities (identity, device_id) VALUES (?, ?)",
        );
        connection.transaction(() => {
          for (const identity of fresh) insert.run(identity, deviceId);
          for (const identity of surplus) remove.run(identity);
        })();
      });
    },
    forget(deviceId) {
      const identities = known.get(deviceId);
      if (!identities) return;
      known.delete(deviceId);
      writeRelaxed((connection) => connection.run("DELETE FROM discovery_identities WHERE device_id = ?", [deviceId]));
      for (const identity of identities) devices.delete(identity);
    },
    namesOf,
    name(deviceId, source, fresh) {
      unnamed.delete(deviceId);
      if (fresh.size === 0) return;
      const isWritten = writeRelaxed((connection) => {
        const [{ count } = { count: 0 }] = connection
          .query<{ count: number }, [string, string]>(
            "SELECT COUNT(*) AS count FROM discovery_names WHERE device_id = ? AND source = ?",
          )
          .all(deviceId, source);
        const insert = connection.query(
          "INSERT OR IGNORE INTO discovery_names (device_id, source, id, name, number) VALUES (?, ?, ?, ?, ?)",
        );
        connection.transaction(() => {
          for (const [at, [id, name]] of [...fresh].entries()) insert.run(deviceId, source, id, name, count + at);
        })();
      });
      if (isWritten) return;
      const key = nameKey(deviceId, source);
      unwritten.set(key, new Map([...(unwritten.get(key) ?? []), ...fresh]));
    },
    isUnnamed: (deviceId) => unnamed.has(deviceId),
  };
}

const nameKey = (deviceId: string, source: string): string => `${source}\n${deviceId}`;

function loadDecisions({ durable, faults }: StateDb): [string, Decision][] {
  const rows = durable.query<{ id: unknown; decision: unknown }, []>("SELECT id, decision FROM discovery_decisions");
  const table = "discovery_decisions";
  return readEach(rows.all(), ({ id, decision }) => [textIn(id, "id"), decisionIn(decision)] as [string, Decision], {
    faults,
    table,
    keyOf: ({ id }) => id,
  });
}

function decisionIn(value: unknown): Decision {
  if (value === "accepted" || value === "ignored") return value;
  throw new TypeError(`decision is neither "accepted" nor "ignored"`);
}

function loadIdentities({ durable, faults }: StateDb): [string, string][] {
  const rows = durable.query<{ identity: unknown; device_id: unknown }, []>(
    "SELECT identity, device_id FROM discovery_identities",
  );
  const read = ({ identity, device_id }: { identity: unknown; device_id: unknown }): [string, string] => [
    textIn(identity, "identity"),
    textIn(device_id, "device_id"),
  ];
  return readEach(rows.all(), read, { faults, table: "discovery_identities", keyOf: ({ identity }) => identity });
}

function loadNames({ durable, faults }: StateDb, deviceId: string, source: string): [string, string][] {
  const rows = durable
    .query<{ id: unknown; name: unknown }, [string, string]>(
      "SELECT id, name FROM discovery_names WHERE device_id = ? AND source = ? ORDER BY number",
    )
    .all(deviceId, source);
  const read = ({ id, name }: { id: unknown; name: unknown }): [string, string] => [
    textIn(id, "id"),
    textIn(name, "name"),
  ];
  return readEach(rows, read, { faults, table: "discovery_names", keyOf: ({ id }) => id });
}

function loadUnnamed({ durable }: StateDb): string[] {
  const rows = durable.query<{ device_id: string }, []>(
    `SELECT DISTINCT device_id FROM discovery_identities AS known
     WHERE NOT EXISTS (SELECT 1 FROM discovery_names WHERE discovery_names.device_id = known.device_id)`,
  );
  return rows.all().map(({ device_id }) => device_id);
}
