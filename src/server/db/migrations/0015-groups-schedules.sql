-- The weekly plan of each schedule, as JSON. Its name and area are its device's.
CREATE TABLE schedules (
  id TEXT PRIMARY KEY,
  plan TEXT NOT NULL,
  enabled INTEGER NOT NULL
) WITHOUT ROWID;

-- The ids of the members of each group, as JSON. Its name and area are its device's.
CREATE TABLE device_groups (
  id TEXT PRIMARY KEY,
  members TEXT NOT NULL
) WITHOUT ROWID;
