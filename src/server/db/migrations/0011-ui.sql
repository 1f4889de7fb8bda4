-- How people have arranged the start of the page, as JSON.
CREATE TABLE layouts (
  user_id TEXT PRIMARY KEY REFERENCES users(id) ON DELETE CASCADE,
  layout TEXT NOT NULL
) WITHOUT ROWID;

-- What an administrator has chosen for everybody, as JSON: the `layout` of those who have none, and what `guests` may use.
CREATE TABLE shared_ui (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
