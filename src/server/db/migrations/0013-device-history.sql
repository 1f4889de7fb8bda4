-- 0: a person wants nothing of the device in the history.
ALTER TABLE devices ADD COLUMN recorded INTEGER NOT NULL DEFAULT 1;
