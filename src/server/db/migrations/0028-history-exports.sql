-- How far each [[history.export]] is: times in epoch ms by the hub's clock; stretches is a JSON list of {from, to} that are still
-- to be sent besides what comes after head.
CREATE TABLE history_exports (
  name TEXT PRIMARY KEY,
  saved_at INTEGER NOT NULL,
  head INTEGER NOT NULL,
  stretches TEXT NOT NULL,
  sent INTEGER NOT NULL,
  dropped INTEGER NOT NULL,
  lost INTEGER NOT NULL
) WITHOUT ROWID;
