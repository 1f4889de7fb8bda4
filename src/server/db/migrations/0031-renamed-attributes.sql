-- What an earlier version of the hub called otherwise, or read otherwise: what `former` meant until then, `present` means since.
CREATE TABLE renamed_attributes (
  device_id TEXT NOT NULL REFERENCES devices(id) ON DELETE CASCADE,
  former TEXT NOT NULL,
  present TEXT NOT NULL,
  -- Epoch ms.
  at INTEGER NOT NULL,
  -- Whether the rules that were there have been looked through.
  looked INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (device_id, former)
) WITHOUT ROWID;

-- The rules that were written when `attribute` of the device still had its former meaning, until a person says that one is right.
CREATE TABLE renamed_in_rules (
  rule_id TEXT NOT NULL,
  device_id TEXT NOT NULL,
  attribute TEXT NOT NULL,
  dismissed INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (rule_id, device_id, attribute),
  FOREIGN KEY (device_id, attribute) REFERENCES renamed_attributes(device_id, former) ON DELETE CASCADE
) WITHOUT ROWID;
