// Readings of the journal in the rows of device states.
import { expect, test } from "bun:test";
import { openJournal } from "../../../src/kit/files/journal.ts";
import { checkpointOf, setCheckpoint } from "../../../src/server/db/checkpoint-mark.ts";
import { knownAttributes } from "../../../src/server/db/known-ids.ts";
import {
  checkpointIntoCopy,
  checkpointReadings,
  type Reading,
  readingsFolder,
  readJournalTail,
} from "../../../src/server/db/readings.ts";
import { openStateDb } from "../../../src/server/db/state-db.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

function openPlace() {
  const folder = createTemporaryFolder();
  const path = folder.at("state.redb");
  const db = openStateDb(path, () => 0);
  db.durable.run("PRAGMA application_id = 4711");
  const { id } = readJournalTail(path, db.durable);
  const journal = openJournal({ folder: readingsFolder(path), id, first: 1, onFault() {} });
  const device = (name: string): void =>
    void db.durable.run(
      "INSERT INTO devices (id, plugin_id, name, name_is_users, area_is_users, details, created_at) VALUES (?, 'p', '', 0, 0, '{}', 0)",
      [name],
    );
  return {
    path,
    db: db.durable,
    journal,
    device,
    say: (...readings: Reading[]): void => journal.append(JSON.stringify(readings)),
    checkpoint: () => checkpointReadings(db.durable, readJournalTail(path, db.durable)),
    states: () =>
      Object.fromEntries(
        db.durable
          .query<{ device_id: string; attributes: string }, []>("SELECT * FROM device_state")
          .all()
          .map(({ device_id, attributes }) => [device_id, JSON.parse(attributes)]),
      ),
    row: (name: string) => db.durable.query("SELECT * FROM device_state WHERE device_id = ?").get(name),
    folder,
    [Symbol.dispose]() {
      db[Symbol.dispose]();
      folder[Symbol.dispose]();
    },
  };
}

test("what a device reported last is its state: set, gone, available, seen", () => {
  using place = openPlace();
  place.device("lamp");
  place.say({ device: "lamp", at: 10, set: { on: true, color: { x: 1 }, old: 1 } });
  place.say(
    { device: "lamp", at: 20, set: { on: false }, gone: ["old"] },
    { device: "lamp", at: 30, available: false },
  );
  place.say({ device: "lamp", at: 40, set: { kept: 1 }, retained: true });
  expect(place.checkpoint()).toBe(4);
  expect(place.row("lamp")).toEqual({
    device_id: "lamp",
    available: 0,
    attributes: '{"on":false,"color":{"x":1},"kept":1}',
    last_changed: '{"on":20,"color":10,"kept":40}',
    last_seen: 30,
  });
});

test("what is in the database already is not checkpointed again, nor what is reported of unknown devices", () => {
  using place = openPlace();
  place.device("lamp");
  place.say({ device: "lamp", at: 1, set: { n: 1 } });
  place.journal.finish();
  place.say({ device: "lamp", at: 2, set: { n: 2 } }, { device: "ghost", at: 2, set: { n: 2 } });
  expect(place.checkpoint()).toBe(3);
  place.db.run(`UPDATE device_state SET attributes = '{"n":3}'`);
  expect(place.checkpoint()).toBe(0);
  expect(place.states()).toEqual({ lamp: { n: 3 } });
  const { id } = readJournalTail(place.path, place.db);
  expect(checkpointOf(place.db, id)).toBe(2);
  expect(checkpointOf(place.db, "another journal")).toBe(0);
});

test("a device that was removed and came back has nothing of its first life", () => {
  using place = openPlace();
  place.device("lamp");
  place.say({ device: "lamp", at: 1, set: { n: 1 } }, { device: "lamp", at: 2, removed: true });
  place.say({ device: "lamp", at: 3, set: { m: 1 } });
  place.checkpoint();
  expect(place.states()).toEqual({ lamp: { m: 1 } });
});

test("a database that was replaced does not take the journal of the one before", () => {
  using place = openPlace();
  place.device("lamp");
  place.say({ device: "lamp", at: 1, set: { n: 1 } });
  place.db.run("PRAGMA application_id = 4712");
  const journalTail = readJournalTail(place.path, place.db);
  expect(journalTail.segments).toEqual([]);
  expect(journalTail.foreign).toHaveLength(1);
  expect(place.checkpoint()).toBe(0);
});

test("texts that are no readings are passed over", () => {
  using place = openPlace();
  place.device("lamp");
  for (const text of ["", "null", "{}", "[1]", '[{"device":1,"at":2}]', "[{"]) place.journal.append(text || " ");
  place.say({ device: "lamp", at: 1, set: { n: 1 } });
  expect(place.checkpoint()).toBe(1);
});

test("a copy for a backup takes what was not checkpointed when it was made", () => {
  using place = openPlace();
  place.device("lamp");
  place.say({ device: "lamp", at: 1, set: { n: 1 } });
  const journalTail = readJournalTail(place.path, place.db);
  const copy = place.folder.at("copy.redb");
  place.db.query("VACUUM INTO ?").run(copy);
  checkpointIntoCopy(copy, journalTail);
  expect(knownAttributes(copy)?.get("lamp")).toEqual(["n"]);
  expect(place.states()).toEqual({});
});

test("checks know attributes that are in the journal only", () => {
  using place = openPlace();
  place.device("lamp");
  place.say({ device: "lamp", at: 1, set: { fresh: 1 } });
  expect(knownAttributes(place.path)?.get("lamp")).toEqual(["fresh"]);
  const { id } = readJournalTail(place.path, place.db);
  setCheckpoint(place.db, { id, segment: 1 });
  expect(knownAttributes(place.path)?.get("lamp")).toEqual([]);
});
