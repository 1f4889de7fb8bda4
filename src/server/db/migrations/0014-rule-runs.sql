-- Runs of rules that wait, so that they go on after a restart. Times are epoch ms by the wall clock. `position` is JSON, see
-- src/rules/engine/position.ts; it is written anew whenever the run begins to wait.
CREATE TABLE rule_runs (id TEXT PRIMARY KEY, rule_id TEXT NOT NULL, position TEXT NOT NULL) WITHOUT ROWID;

-- What such a run began with, and its variables and captured states: written once, and again only when they change. In the
-- order of the runs.
CREATE TABLE rule_run_data (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  begun TEXT NOT NULL,
  vars TEXT NOT NULL
);

-- The last traces of each rule, as JSON.
CREATE TABLE rule_traces (id TEXT PRIMARY KEY, rule_id TEXT NOT NULL, at INTEGER NOT NULL, trace TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX rule_traces_by_rule ON rule_traces (rule_id, at);
