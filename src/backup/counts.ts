// How many devices, rules, users and plugins there are in a home, or in what will become one.
import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { readTomlFile } from "../core/toml.ts";
import type { Home } from "../home/paths.ts";
import type { Counts } from "./manifest.ts";
import { countRules, listSources } from "./sources.ts";

/** `stateDb` may be a snapshot that stands for the home's own. */
export function countHome(home: Home, stateDb = home.stateDb): Counts {
  const { devices, users } = countState(stateDb);
  // As it would be packed: what a link outside leads to is not the home's.
  const { files } = listSources(home);
  const hubToml = files.find(({ path }) => path === "config/hub.toml")?.file;
  return { devices, rules: countRules(files.map(({ path }) => path)), users, plugins: countPlugins(hubToml) };
}

function countState(path: string): Pick<Counts, "devices" | "users"> {
  // A home before its first start has nothing yet.
  if (!existsSync(path)) return { devices: 0, users: 0 };
  using db = new Database(path, { readwrite: true, create: false });
  const count = (table: string): number =>
    db.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()?.n ?? 0;
  return { devices: count("devices"), users: count("users") };
}

// A configuration that cannot be read starts no plugin.
function countPlugins(hubToml: string | undefined): number {
  if (hubToml === undefined) return 0;
  try {
    const read = readTomlFile(hubToml);
    const plugins = read.ok ? read.table.plugins : undefined;
    return Array.isArray(plugins) ? plugins.length : 0;
  } catch {
    return 0;
  }
}
