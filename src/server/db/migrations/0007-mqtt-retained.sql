-- What the MQTT broker keeps for its clients. `properties` of a message: those of MQTT 5 as on the wire, without the expiry.
-- `expires_at` and `seen_at` are epoch ms; `lifetime_secs` limits what is left after the wall clock was set.
CREATE TABLE mqtt_retained (
  topic TEXT PRIMARY KEY,
  -- Who published it: `user/NAME`, `plugin/NAME`, `anonymous/`, or `hub/`.
  account TEXT NOT NULL,
  qos INTEGER NOT NULL,
  payload BLOB NOT NULL,
  properties BLOB NOT NULL,
  lifetime_secs INTEGER,
  expires_at INTEGER
);

-- Sessions that outlive their connections. `filters`: a JSON object, topic filter → QoS.
CREATE TABLE mqtt_sessions (
  id TEXT PRIMARY KEY,
  filters TEXT NOT NULL,
  -- For how long it is kept without its client.
  keep_secs INTEGER NOT NULL,
  seen_at INTEGER NOT NULL
);

-- Messages for these sessions, in the order of `id`.
CREATE TABLE mqtt_queue (
  id INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL,
  topic TEXT NOT NULL,
  qos INTEGER NOT NULL,
  payload BLOB NOT NULL,
  properties BLOB NOT NULL,
  lifetime_secs INTEGER,
  expires_at INTEGER,
  -- Under which it was sent; NULL if it was not.
  message_id INTEGER,
  -- QoS 2: the client has it, and waits for the release.
  released INTEGER NOT NULL
);
