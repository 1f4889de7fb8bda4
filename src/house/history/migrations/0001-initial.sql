-- One attribute of one device.
CREATE TABLE series (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  device_id TEXT NOT NULL,
  attribute TEXT NOT NULL,
  UNIQUE (device_id, attribute)
);

-- One change: at, in epoch ms; n tells apart those of one series within one millisecond.
-- type: NULL for numbers and texts, 1 boolean (value 0 or 1), 2 JSON (value its text), 3 the attribute was removed.
CREATE TABLE samples (
  series_id INTEGER NOT NULL,
  at INTEGER NOT NULL,
  n INTEGER NOT NULL,
  value,
  type INTEGER,
  PRIMARY KEY (series_id, at, n)
) WITHOUT ROWID;

-- Where changes arrive, in their order: appending costs a page or two, however many series there are. From time to time
-- they are compacted into samples, sorted. Until the last of a batch is compacted, some may be in both.
CREATE TABLE recent (
  series_id INTEGER NOT NULL,
  at INTEGER NOT NULL,
  n INTEGER NOT NULL,
  value,
  type INTEGER
);

CREATE TABLE meta (key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;

-- For people: SELECT * FROM history WHERE device_id = '…' ORDER BY time.
CREATE VIEW history (device_id, attribute, time, value) AS
SELECT
  device_id,
  attribute,
  strftime('%Y-%m-%dT%H:%M:%S', at / 1000, 'unixepoch') || printf('.%03dZ', at % 1000),
  CASE type WHEN 1 THEN iif(value, 'true', 'false') ELSE value END
FROM (
  SELECT * FROM samples
  UNION ALL
  SELECT * FROM recent WHERE NOT EXISTS (
    SELECT 1 FROM samples
    WHERE samples.series_id = recent.series_id AND samples.at = recent.at AND samples.n = recent.n
  )
) JOIN series ON series.id = series_id;
