-- A device may have several batteries; `part` is empty for one that has one.
CREATE TABLE battery_parts_low (
  device_id TEXT NOT NULL REFERENCES devices(id) ON DELETE CASCADE,
  since INTEGER NOT NULL,
  part TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (device_id, part)
) WITHOUT ROWID;
INSERT INTO battery_parts_low (device_id, since) SELECT device_id, since FROM battery_low;
DROP TABLE battery_low;
ALTER TABLE battery_parts_low RENAME TO battery_low;
