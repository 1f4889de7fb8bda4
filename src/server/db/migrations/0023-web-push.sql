-- The hub's own key for push services, by which they know it (VAPID), in base64url. One row, made when first needed.
CREATE TABLE web_push_key (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  public_key TEXT NOT NULL,
  private_key TEXT NOT NULL
);

-- Browsers that asked for messages. Whoever knows an endpoint cannot read what is sent there, but can guess that it exists.
CREATE TABLE web_push_subscriptions (
  endpoint TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  p256dh TEXT NOT NULL,
  auth TEXT NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE INDEX web_push_subscriptions_of ON web_push_subscriptions (user_id, created_at);
