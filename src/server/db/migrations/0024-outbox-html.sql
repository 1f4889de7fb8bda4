-- The same text as HTML, for channels that send both.
ALTER TABLE outbox ADD COLUMN html TEXT;
