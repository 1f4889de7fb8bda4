// What must outlive a restart: what people decided about announcements, and which device each identity belongs to.
import type { Database } from "bun:sqlite";
import { readEach, textIn } from "../db/rows.ts";
import type { StateDb } from "../db/state-db.ts";

export type Decision = "accepted" | "ignored";

export interface DiscoveryStore {
  decision(id: string): Decision | undefined;
  /** Durable when it returns. Throws where it cannot be written. */
  decide(id: string, decision: Decision): void;
  /** The device that is known by it. */
  deviceOf(identity: string): string | undefined;
  knows(deviceId: string): boolean;
  /** All of them are of this device. */
  bind(identities: readonly string[], deviceId: string): void;
  /** As if the device had never been there. */
  forget(deviceId: string): void;
}

export function openDiscoveryStore(db: StateDb): DiscoveryStore {
  const decisions = new Map(loadDecisions(db));
  const devices = new Map(loadIdentities(db));
  const known = new Set(devices.values());

  function behind(write: (connection: Database) => void): void {
    try {
      write(db.behind);
    } catch (error) {
      // The devices announce themselves again.
      db.trouble.note(error);
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
      behind((connection) => {
        const insert = connection.query(
          "INSERT OR REPLACE INTO discovery_identities (identity, device_id) VALUES (?, ?)",
        );
        connection.transaction(() => {
          for (const identity of fresh) insert.run(identity, deviceId);
        })();
      });
      for (const identity of fresh) devices.set(identity, deviceId);
      known.add(deviceId);
    },
    forget(deviceId) {
      if (!known.delete(deviceId)) return;
      behind((connection) => connection.run("DELETE FROM discovery_identities WHERE device_id = ?", [deviceId]));
      for (const [identity, one] of devices) if (one === deviceId) devices.delete(identity);
    },
  };
}

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
