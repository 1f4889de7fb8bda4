-- What buckets need to know of each hour (UTC) of one series and day, so that a year is answered without reading its samples:
-- see rollups.ts. Made when it is first needed and worth it, and lost where the day's samples change, whoever changes them.
CREATE TABLE rollups (
  series_id INTEGER NOT NULL,
  -- Days since 1970, UTC.
  day INTEGER NOT NULL,
  hours BLOB NOT NULL,
  PRIMARY KEY (series_id, day)
);

CREATE TRIGGER rollup_lost_by_insert AFTER INSERT ON samples BEGIN
  DELETE FROM rollups WHERE series_id = NEW.series_id AND day = NEW.at / 86400000;
END;

CREATE TRIGGER rollup_lost_by_delete AFTER DELETE ON samples BEGIN
  DELETE FROM rollups WHERE series_id = OLD.series_id AND day = OLD.at / 86400000;
END;

CREATE TRIGGER rollup_lost_by_update AFTER UPDATE ON samples BEGIN
  DELETE FROM rollups WHERE series_id = OLD.series_id AND day = OLD.at / 86400000;
  DELETE FROM rollups WHERE series_id = NEW.series_id AND day = NEW.at / 86400000;
END;
