// The versions of the history database, oldest first. `user_version` counts how many of these a file has had.
import initial from "./0001-initial.sql" with { type: "text" };
import rollups from "./0002-rollups.sql" with { type: "text" };

export const historyMigrations: readonly string[] = [initial, rollups];
