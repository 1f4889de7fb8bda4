-- MQTT accounts that were made at run time, next to those of [[mqtt.users]]. `publish` and `subscribe` are JSON lists of topic
-- patterns beyond those of the kind; `base` is NULL for the kind's own. The password is kept as SHA-256.
CREATE TABLE mqtt_accounts (
  name TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  base TEXT,
  publish TEXT NOT NULL,
  subscribe TEXT NOT NULL,
  password_hash TEXT NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
