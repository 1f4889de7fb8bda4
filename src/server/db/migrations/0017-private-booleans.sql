-- Booleans that rules set for themselves, with `set_private_boolean`.
CREATE TABLE rule_booleans (
  rule_id TEXT NOT NULL,
  name TEXT NOT NULL,
  value INTEGER NOT NULL,
  PRIMARY KEY (rule_id, name)
) WITHOUT ROWID;
