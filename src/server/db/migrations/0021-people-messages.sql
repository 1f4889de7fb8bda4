-- One of several copies of a message to a person, of which one is to arrive: what they have in common and its place, as JSON.
ALTER TABLE outbox ADD COLUMN relay TEXT;

-- What was last heard of a notification channel. Times are epoch ms.
CREATE TABLE notify_channels (
  name TEXT PRIMARY KEY,
  last_success INTEGER,
  last_error_at INTEGER,
  last_error TEXT
) WITHOUT ROWID;

-- What is held back for a person in quiet hours, as plain text, in the order of `id`.
CREATE TABLE held_messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  person TEXT NOT NULL,
  -- The person's channels then, as a JSON list: where it goes if the person is gone from the configuration.
  channels TEXT NOT NULL,
  at INTEGER NOT NULL,
  -- Alike ones, itself included; in a row without texts, those that had no room.
  count INTEGER NOT NULL,
  title TEXT,
  message TEXT
);
