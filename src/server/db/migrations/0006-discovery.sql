-- What people decided about devices that announced themselves: `accepted` or `ignored`. `id` is SOURCE:ACCOUNT:KEY.
CREATE TABLE discovery_decisions (
  id TEXT PRIMARY KEY,
  decision TEXT NOT NULL
) WITHOUT ROWID;

-- All that a discovered device is known by, so that it is the same device after a restart, whoever describes it first.
CREATE TABLE discovery_identities (
  identity TEXT PRIMARY KEY,
  device_id TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX discovery_identities_of ON discovery_identities (device_id);
