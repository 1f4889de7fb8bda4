-- Words that a person gave the device, as a JSON list: rules find devices by them.
ALTER TABLE devices ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';
