-- A run that waits is one row with all of it, as a commit writes each page that it touches; what is long (what it began with, its
-- variables) is in rule_run_data, so that it is not written again whenever the run goes on. In the order of the runs.
ALTER TABLE rule_runs RENAME TO old_runs;
ALTER TABLE rule_run_data RENAME TO old_data;
CREATE TABLE rule_runs (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  rule_id TEXT NOT NULL,
  position TEXT NOT NULL,
  -- Both NULL where they are in rule_run_data.
  begun TEXT,
  vars TEXT
);
CREATE TABLE rule_run_data (number INTEGER PRIMARY KEY, begun TEXT NOT NULL, vars TEXT NOT NULL);
INSERT INTO rule_runs (number, id, rule_id, position, begun, vars)
  SELECT number, old_runs.id, rule_id, position, begun, vars
  FROM old_runs LEFT JOIN old_data ON old_data.id = old_runs.id ORDER BY number IS NULL, number;
DROP TABLE old_data;
DROP TABLE old_runs;
