// Reads every page of the copied databases, in a process of its own: gigabytes take minutes. It can be ended at any moment, and leaves
// no lock on a file behind.
import { existsSync } from "node:fs";
import { HubError } from "../../../kit/schema/errors.ts";
import { isObject, parseJson } from "../../../kit/schema/json.ts";

export interface CopiedDatabases {
  /** Without a log beside it. */
  state: string;
  history: string;
}

/** What is wrong with each that is there; empty where nothing is. */
export type Flaws = { readonly [name in keyof CopiedDatabases]?: string };

const WITHIN_MS = 3_000_000;

const READER = `
import { constants, Database } from "bun:sqlite";
import { setPriority } from "node:os";
try { setPriority(19); } catch {}
const flaws = {};
for (const [name, uri] of Object.entries(JSON.parse(process.env.COPIED_DATABASES))) {
  try {
    const db = new Database(uri, constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI);
    db.run("PRAGMA busy_timeout = 5000");
    const verdict = db.query("PRAGMA quick_check(1)").get()?.quick_check;
    if (verdict !== "ok") flaws[name] = verdict ?? "it says nothing";
  } catch (error) {
    if (!/^SQLITE_(CORRUPT|NOTADB)/.test(error.code)) throw error;
    flaws[name] = error.message;
  }
}
console.log(JSON.stringify(flaws));
`;

/** Finds nothing where the signal ends it. Rejects with HubError `storage` where a file cannot be read. */
export async function checkDatabases(files: CopiedDatabases, signal?: AbortSignal): Promise<Flaws> {
  const options = ["--no-env-file", "--config=/dev/null", "--no-install"];
  const child = Bun.spawn([process.execPath, ...options, "-e", READER], {
    cwd: "/",
    env: {
      PATH: "/usr/bin:/bin",
      BUN_BE_BUN: "1",
      // It ends with this process, however that ends.
      BUN_FEATURE_FLAG_NO_ORPHANS: "1",
      COPIED_DATABASES: JSON.stringify(addressesOf(files)),
    },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: WITHIN_MS,
    killSignal: "SIGKILL",
    ...(signal && { signal }),
  });
  const [said, trouble] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  const code = await child.exited;
  if (signal?.aborted) return {};
  const flaws = parseJson(said);
  if (code === 0 && flaws.ok && isObject(flaws.value)) return flaws.value as Flaws;
  const why = child.signalCode
    ? "it was ended before it was through"
    : (/error: (.*)/.exec(trouble)?.[1] ?? "it failed");
  throw new HubError("storage", `the databases of the copy cannot be checked: ${why}`);
}

/** Immutable: SQLite would make a log beside a state that keeps one, also to read it. */
function addressesOf({ state, history }: CopiedDatabases): Record<string, string> {
  return {
    ...(existsSync(state) && { state: `${uriOf(state)}?immutable=1` }),
    ...(existsSync(history) && { history: uriOf(history) }),
  };
}

/** For SQLite. */
export function uriOf(path: string): string {
  return `file:${encodeURI(path).replaceAll("?", "%3f").replaceAll("#", "%23")}`;
}
