-- How a message should arrive (priority, silent, tag), as JSON.
ALTER TABLE outbox ADD COLUMN options TEXT NOT NULL DEFAULT '{}';
