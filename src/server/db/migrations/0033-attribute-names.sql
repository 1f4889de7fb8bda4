-- What people called attributes of devices, for ever: also of a device that is gone, for when it returns. `own`: as the device's source,
-- or the hub, calls it. Of several rows of one, the one with the highest number is its name; the others were, and mean nothing else.
CREATE TABLE attribute_names (
  device_id TEXT NOT NULL,
  name TEXT NOT NULL,
  own TEXT NOT NULL,
  number INTEGER NOT NULL,
  PRIMARY KEY (device_id, name)
) WITHOUT ROWID;
