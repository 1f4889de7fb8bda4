// The table of users. Every read goes to the file: `hub passwd` changes it from another process.
import type { Database } from "bun:sqlite";
import { Type } from "@sinclair/typebox";
import { HubError, systemCode } from "../../kit/schema/errors.ts";
import { type RandomBytes, uuid } from "../../kit/schema/ids.ts";
import { numberIn, textOrMark } from "../db/rows.ts";
import { allows, type Role, storedRole } from "./roles.ts";

export interface User {
  id: string;
  username: string;
  role: Role;
  /** Rises with every change that ends this user's tokens. */
  ver: number;
  /** Epoch ms. */
  createdAt: number;
}

export interface NewUser {
  username: string;
  passwordHash: string;
  role: Role;
}

export interface Users {
  list(): User[];
  count(): number;
  byId(id: string): User | undefined;
  byName(username: string): User | undefined;
  passwordHash(username: string): string | undefined;
  passwordHashes(): string[];
  /** Throws HubError: `invalid` for a bad name, `conflict` for one that is taken or where there are too many. */
  create(user: NewUser): User;
  /** Creates an administrator if there are no users yet. */
  createFirst(user: Omit<NewUser, "role">): User | undefined;
  /** The rest throw HubError `not_found`, and `conflict` where no administrator would be left. */
  setRole(username: string, role: Role): User;
  setPasswordHash(username: string, passwordHash: string): User;
  remove(username: string): void;
  /** Ends all tokens of a user. */
  endTokens(id: string): void;
}

interface Row {
  id: string;
  username: string;
  role: string;
  ver: number;
  created_at: number;
}

const COLUMNS = "id, username, role, ver, created_at";

// All of them are listed in one answer, and a house has a handful.
const MAX_USERS = 1000;
const USERNAME = { maxLength: 64, pattern: "^[A-Za-z0-9._@-]{1,64}$" };
const USERNAME_RULE = "must have 1 to 64 characters, of letters, digits and . _ @ -";

/** The username of a new account. */
export const Username = Type.String({ minLength: 1, ...USERNAME, problem: USERNAME_RULE });

/** Throws HubError `invalid`. */
export function checkUsername(username: string): void {
  if (new RegExp(USERNAME.pattern).test(username)) return;
  throw new HubError("invalid", `the username ${USERNAME_RULE}`);
}

export function createUsers(db: Database, random: RandomBytes, now: () => number): Users {
  const list = db.query<Row, []>(`SELECT ${COLUMNS} FROM users ORDER BY username`);
  const count = db.query<{ users: number }, []>("SELECT count(*) AS users FROM users");
  const byId = db.query<Row, [string]>(`SELECT ${COLUMNS} FROM users WHERE id = ?`);
  const byName = db.query<Row, [string]>(`SELECT ${COLUMNS} FROM users WHERE username = ?`);
  const hashOf = db.query<{ password_hash: string }, [string]>("SELECT password_hash FROM users WHERE username = ?");
  const hashes = db.query<{ password_hash: string }, []>("SELECT password_hash FROM users");
  const otherAdmin = db.query<{ id: string }, [string]>(
    "SELECT id FROM users WHERE role = 'admin' AND id <> ? LIMIT 1",
  );
  const insert = db.query<Row, [string, string, string, string, number]>(
    `INSERT INTO users (id, username, password_hash, role, created_at) VALUES (?, ?, ?, ?, ?) RETURNING ${COLUMNS}`,
  );
  const setRole = db.query("UPDATE users SET role = ?, ver = ver + 1 WHERE id = ?");
  const setHash = db.query("UPDATE users SET password_hash = ?, ver = ver + 1 WHERE id = ?");
  const remove = db.query("DELETE FROM users WHERE id = ?");
  const endTokens = db.query("UPDATE users SET ver = ver + 1 WHERE id = ?");
  const removeKeys = db.query("DELETE FROM api_keys WHERE owner = ?");

  function existing(username: string): User {
    const row = byName.get(username);
    if (row) return userOf(row);
    throw new HubError("not_found", "there is no such user");
  }

  function requireOtherAdministrator({ id, role }: User): void {
    if (role !== "admin" || otherAdmin.get(id)) return;
    throw new HubError("conflict", "this is the last administrator: make somebody else one first");
  }

  function create({ username, passwordHash, role }: NewUser): User {
    checkUsername(username);
    if ((count.get()?.users ?? 0) >= MAX_USERS)
      throw new HubError("conflict", `there are ${MAX_USERS} users: remove some`);
    try {
      return userOf(insert.get(uuid(random), username, passwordHash, role, now()));
    } catch (error) {
      if (systemCode(error) !== "SQLITE_CONSTRAINT_UNIQUE") throw error;
      throw new HubError("conflict", `the username "${username}" is taken`);
    }
  }

  // Immediate: the write lock is taken before the first read, so that no other process changes what was read.
  const changing = <T>(change: () => T): T => db.transaction(change).immediate();

  return {
    list: () => list.all().map(userOf),
    count: () => count.get()?.users ?? 0,
    byId: (id) => optionalUser(byId.get(id)),
    byName: (username) => optionalUser(byName.get(username)),
    passwordHash: (username) => hashOf.get(username)?.password_hash,
    passwordHashes: () => hashes.all().map(({ password_hash }) => password_hash),
    create,
    createFirst: (user) => changing(() => (count.get()?.users === 0 ? create({ ...user, role: "admin" }) : undefined)),
    setRole: (username, role) =>
      changing(() => {
        const user = existing(username);
        if (user.role === role) return user;
        requireOtherAdministrator(user);
        setRole.run(role, user.id);
        // Otherwise a key would give back the rights that were taken away.
        if (!allows(role, user.role)) removeKeys.run(user.id);
        return existing(username);
      }),
    setPasswordHash: (username, passwordHash) =>
      changing(() => {
        setHash.run(passwordHash, existing(username).id);
        return existing(username);
      }),
    remove: (username) =>
      changing(() => {
        const user = existing(username);
        requireOtherAdministrator(user);
        remove.run(user.id);
        removeKeys.run(user.id);
      }),
    endTokens: (id) => void endTokens.run(id),
  };
}

function optionalUser(row: Row | null): User | undefined {
  return row ? userOf(row) : undefined;
}

function userOf(row: Row | null): User {
  if (!row) throw new Error("the user cannot be read after it was written");
  const { id, username, ver } = row;
  return {
    id,
    username: textOrMark(username),
    role: storedRole(row.role),
    ver,
    createdAt: numberIn(row.created_at, 0),
  };
}
