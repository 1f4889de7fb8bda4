// The state database of a test's house. That of a new house is laid out once in a process and copied: it is the same file, and the
// migrations take ten times as long as to open it.
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createUsers } from "../../src/server/auth/users.ts";
import { openStateDb, type StateDb } from "../../src/server/db/state-db.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

const OWNER = { username: "admin", password: "correct horse battery" } as const;
/** Of that password, as the hub makes them but at the least cost, for users whose password is not what a test is about. */
export const CHEAP_HASH =
  "$argon2id$v=19$m=8,t=1,p=1$E2MwnI+VJhFHDggsbK75KijtkcX/KX+J5L2AWhnq7ls$PBg6xH8xJGQEeqZWvT6cBc4JT6jl+30GnFFlFFxDJ3s";

let laidOut: Uint8Array | undefined;
let withOwner: Uint8Array | undefined;

/** Puts that of a new house there, unless there is one. */
export function layOutStateDb(path: string): undefined {
  if (existsSync(path)) return;
  laidOut ??= newStateDb();
  writeFileSync(path, laidOut);
}

/** As `layOutStateDb`, with OWNER in it, whose password costs nothing to check. Undefined where there is one already. */
export function layOutOwnedStateDb(path: string): typeof OWNER | undefined {
  if (existsSync(path)) return undefined;
  withOwner ??= newStateDb(({ durable }) => {
    const random = (bytes: number): Uint8Array => new Uint8Array(randomBytes(bytes));
    createUsers(durable, random, () => 0).create({ username: OWNER.username, passwordHash: CHEAP_HASH, role: "admin" });
  });
  writeFileSync(path, withOwner);
  return OWNER;
}

/** As `openStateDb`. */
export function openTestState(path: string, now: () => number, trouble?: StateDb["trouble"]): StateDb {
  layOutStateDb(path);
  return openStateDb(path, now, trouble);
}

function newStateDb(fill: (db: StateDb) => void = () => {}): Uint8Array {
  using folder = createTemporaryFolder();
  const path = folder.at("state.redb");
  {
    using db = openStateDb(path, Date.now);
    fill(db);
  }
  return readFileSync(path);
}
