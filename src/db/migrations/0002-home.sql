-- Areas a person made or named; others are known by the devices that name them.
CREATE TABLE areas (id TEXT PRIMARY KEY, name TEXT NOT NULL, created_at INTEGER NOT NULL) WITHOUT ROWID;

-- `states` is JSON, device id → command: a scene is read and written as a whole.
CREATE TABLE scenes (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  states TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE variables (name TEXT PRIMARY KEY, value TEXT NOT NULL, updated_at INTEGER NOT NULL) WITHOUT ROWID;

-- Devices whose low battery was told, and not yet that it recovered.
CREATE TABLE battery_low (
  device_id TEXT PRIMARY KEY REFERENCES devices(id) ON DELETE CASCADE,
  since INTEGER NOT NULL
) WITHOUT ROWID;
