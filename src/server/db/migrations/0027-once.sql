-- What runs of rules have done that must not be done again when they go on after a kill, such as a message that the outbox took:
-- written in the same commit as that, until the run is over. One row for each such action of a run.
CREATE TABLE rule_run_effects (
  -- The run, or the match of a trigger that began it: see engine/effects.ts.
  run TEXT NOT NULL,
  place TEXT NOT NULL,
  -- The turns of the loops around it, as a JSON list: the last ones in which it was done.
  turns TEXT NOT NULL,
  PRIMARY KEY (run, place)
) WITHOUT ROWID;

-- The last step of which a copy arrived somewhere: where none can arrive any more, the next step does not wait.
ALTER TABLE notices ADD COLUMN reached INTEGER NOT NULL DEFAULT 0;
UPDATE notices SET reached = steps;
