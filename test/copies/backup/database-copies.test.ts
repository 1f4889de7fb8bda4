import { expect, test } from "bun:test";
import { dropQueuedMessages } from "../../../src/copies/backup/database-copies.ts";
import { createMeta, STANDBY_META } from "../../../src/server/db/meta.ts";
import { openStateDb } from "../../../src/server/db/state-db.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

test("what waits for MQTT clients does not come with a copy, retained messages and sessions do", () => {
  using folder = createTemporaryFolder();
  using db = openStateDb(folder.at("state.redb"), Date.now);
  db.durable.run("INSERT INTO mqtt_retained VALUES ('r', 'hub/', 0, x'31', x'', NULL, NULL)");
  db.durable.run("INSERT INTO mqtt_sessions VALUES ('user/ann/panel', '{\"door/cmd\":1}', 60, 5)");
  db.durable.run("INSERT INTO mqtt_queue VALUES (1, 'user/ann/panel', 'door/cmd', 1, x'31', x'', NULL, NULL, NULL, 0)");
  expect(dropQueuedMessages(db.durable)).toEqual({ queued: 0, unanswered: 0 });
  const left = ["retained", "sessions", "queue"].map((name) =>
    db.durable.query(`SELECT count(*) FROM mqtt_${name}`).values().flat(),
  );
  expect(left).toEqual([[1], [1], [0]]);
});

test("the standby of the house that a backup is of does not belong to the one that it is restored to", () => {
  using folder = createTemporaryFolder();
  using db = openStateDb(folder.at("state.redb"), Date.now);
  const meta = createMeta(db);
  for (const key of [STANDBY_META.key, STANDBY_META.machine, "other"]) meta.set(key, "kept");
  dropQueuedMessages(db.durable);
  expect([STANDBY_META.key, STANDBY_META.machine, "other"].map(meta.get)).toEqual([undefined, undefined, "kept"]);
});
