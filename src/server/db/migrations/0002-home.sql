-- Areas that a person made or named; others exist as long as devices name them.
CREATE TABLE areas (id TEXT PRIMARY KEY, name TEXT NOT NULL, created_at INTEGER NOT NULL) WITHOUT ROWID;

-- `states` is JSON, device id → command.
CREATE TABLE scenes (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  states TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE variables (name TEXT PRIMARY KEY, value TEXT NOT NULL, updated_at INTEGER NOT NULL) WITHOUT ROWID;

-- Devices whose battery was reported as low and has not recovered.
CREATE TABLE battery_low (
  device_id TEXT PRIMARY KEY REFERENCES devices(id) ON DELETE CASCADE,
  since INTEGER NOT NULL
) WITHOUT ROWID;
