// The tables of the profiles that come with the hub, read while the hub is built (a macro): a start then reads no TOML of theirs
// and fills in no defaults.
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { shippedTable } from "../../house/discovery/sources/profiles/read-profile.ts";

/** JSON by the profiles' names. */
export function shippedTables(): Record<string, string> {
  const folder = join(import.meta.dir, "..", "..", "..", "config", "profiles");
  return Object.fromEntries(
    readdirSync(folder).map((file) => [
      basename(file, ".toml"),
      JSON.stringify(shippedTable(readFileSync(join(folder, file), "utf8"))),
    ]),
  );
}
