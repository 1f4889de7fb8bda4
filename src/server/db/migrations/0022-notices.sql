-- Messages that somebody can answer, that go on to the next person, or that have a tag: one row for what happened, and one for
-- each copy that arrived under a name of its service. Times are epoch ms.
CREATE TABLE notices (
  id TEXT PRIMARY KEY,
  at INTEGER NOT NULL,
  tag TEXT,
  -- Filled in, plain.
  title TEXT NOT NULL,
  message TEXT NOT NULL,
  state TEXT NOT NULL,
  -- What is said to whom and when, as JSON.
  plan TEXT NOT NULL,
  -- Steps of the plan that were taken, and when the last one was.
  steps INTEGER NOT NULL,
  step_at INTEGER NOT NULL,
  ended_at INTEGER,
  by TEXT,
  action TEXT,
  channel TEXT,
  -- When everybody had been asked and nobody had answered.
  unanswered_at INTEGER,
  -- 0 until the event about its last change is surely out.
  told INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX notices_by_tag ON notices (tag) WHERE tag IS NOT NULL;
CREATE INDEX notices_by_time ON notices (at);

CREATE TABLE notice_messages (
  channel TEXT NOT NULL,
  remote TEXT NOT NULL,
  notice TEXT NOT NULL,
  -- The state of the notice that it shows; empty where it still shows another notice.
  shows TEXT NOT NULL,
  PRIMARY KEY (channel, remote)
) WITHOUT ROWID;
CREATE INDEX notice_messages_by_notice ON notice_messages (notice);
