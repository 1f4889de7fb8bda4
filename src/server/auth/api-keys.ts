// API keys: shown once, stored as SHA-256 (a key has 256 random bits, so a slow hash would protect nothing more).
import type { Database } from "bun:sqlite";
import { createHash } from "node:crypto";
import { Type } from "@sinclair/typebox";
import { HubError } from "../../kit/schema/errors.ts";
import { type RandomBytes, secret, uuid } from "../../kit/schema/ids.ts";
import { numberIn, textOrMark } from "../db/rows.ts";
import { type McpScope, storedScope } from "./mcp-scope.ts";
import { type Role, storedRole } from "./roles.ts";

export interface ApiKey {
  id: string;
  label: string;
  role: Role;
  /** The name of the user, key or address that made it. */
  createdBy: string;
  /** The id of the user who made it: the key ends with that account. Undefined where no user made it. */
  owner: string | undefined;
  /** The owner's present username. */
  ownerName: string | undefined;
  /** Epoch ms. */
  createdAt: number;
  /** Epoch ms; never when undefined. */
  expiresAt: number | undefined;
  /** There for a key that opens /mcp only. */
  mcp: McpScope | undefined;
}

export interface NewApiKey {
  label: string;
  role: Role;
  createdBy: string;
  owner?: string | undefined;
  expiresInDays?: number | undefined;
  mcp?: McpScope | undefined;
}

export interface ApiKeys {
  list(): ApiKey[];
  byId(id: string): ApiKey | undefined;
  /** By the key itself, expired or not. */
  find(key: string): ApiKey | undefined;
  /** Throws HubError `invalid`, and `conflict` where there are too many. The key cannot be read again. */
  create(key: NewApiKey): ApiKey & { key: string };
  /** Throws HubError `not_found`. */
  remove(id: string): void;
}

interface Row {
  id: string;
  label: string;
  role: string;
  created_by: string;
  owner: string | null;
  owner_name: string | null;
  created_at: number;
  expires_at: number | null;
  mcp: string | null;
}

export const API_KEY_PREFIX = "hub_";
const MAX_LABEL = 100;
// All of them are listed in one answer, and a house has a handful.
const MAX_KEYS = 1000;
const MAX_DAYS = 3650;
const DAY_MS = 86_400_000;
const COLUMNS =
  "id, label, role, created_by, owner, (SELECT username FROM users WHERE users.id = api_keys.owner) AS owner_name, created_at, expires_at, mcp";

const LABEL_RULE = `must have 1 to ${MAX_LABEL} characters, and not spaces alone`;
const DAYS_RULE = `must be above 0 and at most ${MAX_DAYS}; leave it out for no expiry`;

export const Label = Type.String({ minLength: 1, maxLength: MAX_LABEL, pattern: "\\S", problem: LABEL_RULE });
export const ExpiryDays = Type.Number({ exclusiveMinimum: 0, maximum: MAX_DAYS, problem: DAYS_RULE });

/** Whether a credential claims to be an API key; a JWT never starts so. */
export function looksLikeApiKey(credential: string): boolean {
  return credential.startsWith(API_KEY_PREFIX);
}

export function createApiKeys(db: Database, random: RandomBytes, now: () => number): ApiKeys {
  const list = db.query<Row, []>(`SELECT ${COLUMNS} FROM api_keys ORDER BY created_at, id`);
  const count = db.query<{ keys: number }, []>("SELECT count(*) AS keys FROM api_keys");
  const byId = db.query<Row, [string]>(`SELECT ${COLUMNS} FROM api_keys WHERE id = ?`);
  const byHash = db.query<Row, [string]>(`SELECT ${COLUMNS} FROM api_keys WHERE key_hash = ?`);
  const remove = db.query("DELETE FROM api_keys WHERE id = ?");
  const insert = db.query(
    "INSERT INTO api_keys (id, key_hash, label, role, created_by, owner, created_at, expires_at, mcp) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
  );

  return {
    list: () => list.all().map(keyOf),
    byId: (id) => optionalKey(byId.get(id)),
    find: (key) => optionalKey(byHash.get(sha256(key))),
    create({ label: rawLabel, role, createdBy, owner, expiresInDays, mcp }) {
      const label = checkLabel(rawLabel);
      checkDays(expiresInDays);
      if ((count.get()?.keys ?? 0) >= MAX_KEYS)
        throw new HubError("conflict", `there are ${MAX_KEYS} API keys, expired ones among them: delete some`);
      const createdAt = now();
      const expiresAt = expiresInDays === undefined ? undefined : Math.round(createdAt + expiresInDays * DAY_MS);
      const id = uuid(random);
      const key = `${API_KEY_PREFIX}${secret(random, 32)}`;
      const scope = mcp ? JSON.stringify(mcp) : null;
      insert.run(id, sha256(key), label, role, createdBy, owner ?? null, createdAt, expiresAt ?? null, scope);
      const created = optionalKey(byId.get(id));
      if (!created) throw new Error("the API key cannot be read after it was written");
      return { ...created, key };
    },
    remove(id) {
      if (remove.run(id).changes === 0) throw new HubError("not_found", "there is no such API key");
    },
  };
}

function checkLabel(text: string): string {
  const label = text.trim();
  if (label !== "" && label.length <= MAX_LABEL) return label;
  throw new HubError("invalid", `the label ${LABEL_RULE}`);
}

function checkDays(days: number | undefined): void {
  if (days === undefined || (days > 0 && days <= MAX_DAYS)) return;
  throw new HubError("invalid", `expires_in_days ${DAYS_RULE}`);
}

function sha256(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

function optionalKey(row: Row | null): ApiKey | undefined {
  return row ? keyOf(row) : undefined;
}

function keyOf(row: Row): ApiKey {
  return {
    id: row.id,
    label: textOrMark(row.label),
    role: storedRole(row.role),
    createdBy: textOrMark(row.created_by),
    owner: row.owner ?? undefined,
    ownerName: row.owner_name ?? undefined,
    createdAt: numberIn(row.created_at, 0),
    // An expiry that cannot be read counts as expired.
    expiresAt: row.expires_at === null ? undefined : numberIn(row.expires_at, 0),
    mcp: storedScope(row.mcp),
  };
}
