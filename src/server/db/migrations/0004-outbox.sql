-- Queued notifications, in the order of `id`. `at` is epoch ms; the columns in `_ms` count the time the hub has run with
-- rows in this table, so that setting the wall clock expires nothing.
CREATE TABLE outbox (
  id INTEGER PRIMARY KEY,
  channel TEXT NOT NULL,
  message_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  -- Alike ones that came while it waited, itself included.
  count INTEGER NOT NULL,
  tries INTEGER NOT NULL,
  -- Parts of a long text that arrived.
  parts INTEGER NOT NULL,
  last_error TEXT,
  kept_ms INTEGER NOT NULL,
  tried_ms INTEGER NOT NULL,
  -- Until when the service asked for silence.
  not_before_ms INTEGER NOT NULL,
  title TEXT NOT NULL,
  message TEXT NOT NULL
);
