// How one part of the hub gives another rows that belong into its commit.

/** Writes rows with the connection `own` (see state-db.ts), in the transaction of whoever calls it. Throws what SQLite throws. */
export type OwnRows = () => void;
