-- Recipients of a waiting message that need no other copy, as JSON; null while nobody is settled.
ALTER TABLE outbox ADD COLUMN settled TEXT;
