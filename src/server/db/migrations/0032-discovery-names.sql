-- What each attribute of a discovered device is called, for ever: `id` is what it is of, as its source tells it from others.
CREATE TABLE discovery_names (
  device_id TEXT NOT NULL,
  source TEXT NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  -- In which order they were given, within the device.
  number INTEGER NOT NULL,
  PRIMARY KEY (device_id, source, id)
) WITHOUT ROWID;
