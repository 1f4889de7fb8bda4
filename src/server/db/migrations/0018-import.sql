-- Another name that rules may call a device by: the canonical name it had in the hub it was imported from.
ALTER TABLE devices ADD COLUMN alias TEXT;
