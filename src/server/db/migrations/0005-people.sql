-- The account that made a key: the key is removed with it. NULL if no account made it, or for keys older than this column.
ALTER TABLE api_keys ADD COLUMN owner TEXT;
CREATE INDEX api_keys_of ON api_keys (owner);

-- Logins whose tokens may be in use. The token of a login that is missing here is valid too; it is only not listed.
CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  -- The user's at the login: once it has risen, the token is over.
  ver INTEGER NOT NULL,
  created_at INTEGER,
  last_used_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  address TEXT,
  user_agent TEXT
) WITHOUT ROWID;
CREATE INDEX sessions_of ON sessions (user_id, last_used_at);

-- Logins that somebody ended, until their tokens would have expired.
CREATE TABLE ended_sessions (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;

-- Who did what, from where. `share` names the account whose quota the row counts against; see src/server/auth/audit.ts.
CREATE TABLE audit (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  -- When it happened last, and how often, where the same happened again and again.
  until INTEGER NOT NULL,
  count INTEGER NOT NULL,
  actor_kind TEXT NOT NULL,
  actor_id TEXT NOT NULL,
  actor_name TEXT NOT NULL,
  address TEXT NOT NULL,
  action TEXT NOT NULL,
  target TEXT NOT NULL,
  outcome TEXT NOT NULL,
  detail TEXT NOT NULL,
  share TEXT NOT NULL
);
CREATE INDEX audit_shares ON audit (share, id);
