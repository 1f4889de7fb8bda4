import { expect, test } from "bun:test";
import { dropQueuedMessages } from "../../src/backup/database-copies.ts";
import { openStateDb } from "../../src/db/state-db.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

test("what waits for MQTT clients does not come with a copy, retained messages and sessions do", () => {
  using folder = createTemporaryFolder();
  using db = openStateDb(folder.at("state.redb"), Date.now);
  db.durable.run("INSERT INTO mqtt_retained VALUES ('r', 'hub/', 0, x'31', x'', NULL, NULL)");
  db.durable.run("INSERT INTO mqtt_sessions VALUES ('user/ann/panel', '{\"door/cmd\":1}', 60, 5)");
  db.durable.run("INSERT INTO mqtt_queue VALUES (1, 'user/ann/panel', 'door/cmd', 1, x'31', x'', NULL, NULL, NULL, 0)");
  expect(dropQueuedMessages(db.durable)).toBe(0);
  const left = ["retained", "sessions", "queue"].map((name) =>
    db.durable.query(`SELECT count(*) FROM mqtt_${name}`).values().flat(),
  );
  expect(left).toEqual([[1], [1], [0]]);
});
