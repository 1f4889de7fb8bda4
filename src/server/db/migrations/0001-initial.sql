CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE users (
  id TEXT PRIMARY KEY,
  username TEXT NOT NULL UNIQUE COLLATE NOCASE,
  password_hash TEXT NOT NULL,
  role TEXT NOT NULL,
  ver INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  key_hash TEXT NOT NULL UNIQUE,
  label TEXT NOT NULL,
  role TEXT NOT NULL,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER
) WITHOUT ROWID;

-- A device as a person or a registration describes it: written at once.
CREATE TABLE devices (
  id TEXT PRIMARY KEY,
  plugin_id TEXT NOT NULL,
  name TEXT NOT NULL,
  name_is_users INTEGER NOT NULL DEFAULT 0,
  area TEXT,
  area_is_users INTEGER NOT NULL DEFAULT 0,
  device_type TEXT,
  details TEXT NOT NULL DEFAULT '{}',
  created_at INTEGER NOT NULL
) WITHOUT ROWID;

-- What a device reports: written behind, in batches.
CREATE TABLE device_state (
  device_id TEXT PRIMARY KEY REFERENCES devices(id) ON DELETE CASCADE,
  available INTEGER NOT NULL,
  attributes TEXT NOT NULL,
  last_changed TEXT NOT NULL,
  last_seen INTEGER
) WITHOUT ROWID;
