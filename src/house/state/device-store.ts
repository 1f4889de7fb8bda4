// Devices on disk. Identity is written at once, state in batches. What a person did is also synced; a sync for each of the
// hundreds of devices that a plugin registers would block everybody for as long as the disk takes.
import type { Database } from "bun:sqlite";
import { messageOf } from "../../kit/schema/errors.ts";
import { type JsonObject, parseJson } from "../../kit/schema/json.ts";
import { type CheckpointMark, setCheckpoint } from "../../server/db/checkpoint-mark.ts";
import { numberIn, objectIn, type RowFaults, readEach, textIn } from "../../server/db/rows.ts";
import type { StateDb } from "../../server/db/state-db.ts";
import { type Device, type DeviceDetails, newDevice } from "./device.ts";

export interface DeviceStore {
  load(): Device[];
  /** Durable when it returns. */
  saveIdentity(device: Device, now: number): void;
  /** Written when it returns, so that it survives a crash; synced at the next checkpoint or durable write. */
  saveIdentityRelaxed(device: Device, now: number): void;
  /** Durable when it returns. */
  remove(id: string): void;
  /** As `saveIdentityRelaxed`. */
  removeRelaxed(id: string): void;
  /** One transaction for all of them; synced at the next checkpoint. */
  saveStates(devices: Iterable<Device>): void;
  /** Durable when it returns, together with the mark of the journal up to which they are complete. */
  checkpointStates(devices: Iterable<Device>, mark?: CheckpointMark): void;
  /** Durable when it returns. */
  saveStateNow(device: Device): void;
}

interface Row {
  id: string;
  plugin_id: string;
  name: string;
  name_is_users: number;
  alias: string | null;
  area: string | null;
  area_is_users: number;
  recorded: number;
  device_type: string | null;
  tags: string;
  details: string;
  available: number | null;
  attributes: string | null;
  last_changed: string | null;
  last_seen: number | null;
}

export function createDeviceStore({
  durable,
  relaxed,
  faults,
}: Pick<StateDb, "durable" | "relaxed" | "faults">): DeviceStore {
  const remove = durable.query("DELETE FROM devices WHERE id = ?");
  const removeRelaxed = relaxed.query("DELETE FROM devices WHERE id = ?");
  const saveStates = stateWriter(relaxed);
  const saveNow = stateWriter(durable);

  return {
    load() {
      const rows = durable.query<Row, []>("SELECT * FROM devices LEFT JOIN device_state ON device_id = id ORDER BY id");
      return readEach(rows.all(), (row) => fromRow(row, faults), { faults, table: "devices", keyOf: ({ id }) => id });
    },
    saveIdentity: identityWriter(durable),
    saveIdentityRelaxed: identityWriter(relaxed),
    remove: (id) => void remove.run(id),
    removeRelaxed: (id) => void removeRelaxed.run(id),
    saveStates,
    checkpointStates: saveNow,
    saveStateNow: (device) => saveNow([device]),
  };
}

function identityWriter(db: Database): DeviceStore["saveIdentity"] {
  const upsert = db.query(
    `INSERT INTO devices (id, plugin_id, name, name_is_users, alias, area, area_is_users, recorded, device_type, tags,
       details, created_at)
     VALUES ($id, $plugin_id, $name, $name_is_users, $alias, $area, $area_is_users, $recorded, $device_type, $tags,
       $details, $now)
     ON CONFLICT (id) DO UPDATE SET plugin_id = excluded.plugin_id, name = excluded.name,
       name_is_users = excluded.name_is_users, alias = excluded.alias, area = excluded.area,
       area_is_users = excluded.area_is_users, recorded = excluded.recorded, device_type = excluded.device_type,
       tags = excluded.tags, details = excluded.details`,
  );
  return function writeIdentity(device, now) {
    upsert.run({
      id: device.id,
      plugin_id: device.pluginId,
      name: device.name,
      name_is_users: Number(device.nameIsUsers),
      alias: device.alias ?? null,
      area: device.area ?? null,
      area_is_users: Number(device.areaIsUsers),
      recorded: Number(device.recorded),
      device_type: device.deviceType ?? null,
      tags: JSON.stringify(device.tags),
      details: JSON.stringify(device.details),
      now,
    });
  };
}

function stateWriter(db: Database): DeviceStore["checkpointStates"] {
  const upsert = db.query(
    `INSERT INTO device_state (device_id, available, attributes, last_changed, last_seen)
     VALUES ($id, $available, $attributes, $last_changed, $last_seen)
     ON CONFLICT (device_id) DO UPDATE SET available = excluded.available, attributes = excluded.attributes,
       last_changed = excluded.last_changed, last_seen = excluded.last_seen`,
  );
  return db.transaction((devices: Iterable<Device>, mark?: CheckpointMark) => {
    for (const device of devices) {
      upsert.run({
        id: device.id,
        available: Number(device.available),
        attributes: JSON.stringify(device.attributes),
        last_changed: JSON.stringify(device.lastChanged),
        last_seen: device.lastSeen ?? null,
      });
    }
    if (mark) setCheckpoint(db, mark);
  }).immediate;
}

function fromRow(row: Row, faults: RowFaults): Device {
  const id = textIn(row.id, "id");
  // A column that cannot be read begins empty, and the device reports it again; the device itself, with what a person set
  // on it, stays.
  const objectOr = (column: "details" | "attributes" | "last_changed"): JsonObject => {
    try {
      return objectIn(row[column] ?? "{}", column);
    } catch (error) {
      faults.unreadable({ table: "devices", key: id, problem: `it begins anew: ${messageOf(error)}` });
      return {};
    }
  };
  return {
    ...newDevice(id, textIn(row.plugin_id, "plugin_id")),
    name: textIn(row.name, "name"),
    nameIsUsers: row.name_is_users === 1,
    alias: row.alias === null ? undefined : textIn(row.alias, "alias"),
    area: row.area === null ? undefined : textIn(row.area, "area"),
    areaIsUsers: row.area_is_users === 1,
    recorded: row.recorded !== 0,
    deviceType: row.device_type === null ? undefined : textIn(row.device_type, "device_type"),
    tags: tagsIn(row.tags),
    details: objectOr("details") as DeviceDetails,
    available: row.available !== 0,
    attributes: objectOr("attributes"),
    lastChanged: timesIn(objectOr("last_changed")),
    lastSeen: numberIn(row.last_seen, undefined),
  };
}

function tagsIn(text: string): string[] {
  const parsed = parseJson(text);
  return parsed.ok && Array.isArray(parsed.value) ? parsed.value.filter((tag) => typeof tag === "string") : [];
}

function timesIn(times: JsonObject): Record<string, number> {
  const valid = Object.entries(times).filter(
    (entry): entry is [string, number] => numberIn(entry[1], undefined) !== undefined,
  );
  return Object.fromEntries(valid);
}
