-- What rules keep over restarts. Times are epoch ms by the wall clock.
CREATE TABLE rule_state (
  rule_id TEXT PRIMARY KEY,
  last_fired_at INTEGER,
  fire_count INTEGER NOT NULL DEFAULT 0,
  paused_at INTEGER,
  -- NULL beside a `paused_at`: until it is resumed.
  paused_ms INTEGER
) WITHOUT ROWID;

-- Triggers that fire when a state has lasted for some time. Those with `fired` have fired, and wait for the end of the state.
CREATE TABLE rule_holds (
  rule_id TEXT NOT NULL,
  trigger_key TEXT NOT NULL,
  device_id TEXT NOT NULL,
  since INTEGER NOT NULL,
  fired INTEGER NOT NULL DEFAULT 0,
  context TEXT NOT NULL,
  PRIMARY KEY (rule_id, trigger_key, device_id)
) WITHOUT ROWID;

-- The moment up to which each schedule has run; `id` is the rule's id with the trigger's key.
CREATE TABLE rule_marks (id TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
