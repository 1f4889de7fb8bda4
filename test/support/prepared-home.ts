// A home after its first start, made once for all tests of an hour and copied into each: the hash of the first administrator's password
// and the files that are laid out take longer than the start. First starts themselves are tested in first-start.test.ts.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { lookOf } from "../../src/server/home/refresh.ts";
import { claimsOf, forgeToken } from "./forged-token.ts";

export interface Administrator {
  username: string;
  password: string;
  /** As a login would give it. */
  token?: () => string;
}

export interface Preparation {
  binary: string;
  /** With which the hubs sign tokens. */
  secret: string;
  /** Starts a hub in an empty folder, and ends it. */
  firstStart(home: string): Promise<{ username: string; password: string; token: string }>;
}

const ROOT = resolve(import.meta.dir, "..", "..", "dist", "prepared-homes");
const HOUR_MS = 3_600_000;
const TOKEN_SECS = 3600;
const ADMIN = "admin.json";
const MANIFEST = "data/assets.json";
/** Of each home its own. */
const OWN = /^(config\/hub\.toml|bin|logs\/.*)$/;

/** Puts into `home` what a first start would, without replacing anything, and says who the administrator is. */
export async function copyPreparedHome(home: string, preparation: Preparation): Promise<Administrator> {
  const prepared = await prepare(preparation);
  const from = join(prepared, "home");
  const filter = (path: string): boolean => !OWN.test(path.slice(from.length + 1));
  const there = (path: string): boolean => existsSync(join(home, path));
  const manifest = JSON.parse(readFileSync(join(from, MANIFEST), "utf8")) as { seen: Record<string, string> };
  const copied = Object.keys(manifest.seen).filter((path) => path !== "executable" && !there(path));
  cpSync(from, home, { recursive: true, force: false, preserveTimestamps: true, filter });
  // Copies look other than what they are of, and the start would compare them all.
  for (const path of copied) manifest.seen[path] = lookOf(join(home, path));
  writeFileSync(join(home, MANIFEST), JSON.stringify(manifest), { mode: 0o600 });
  const { username, password, token } = JSON.parse(readFileSync(join(prepared, ADMIN), "utf8"));
  return { username, password, token: () => renewed(token, preparation.secret) };
}

function renewed(token: string, secret: string): string {
  const exp = Math.floor(Date.now() / 1000) + TOKEN_SECS;
  return forgeToken({ alg: "HS256", secret, claims: { ...claimsOf(token), exp, jti: crypto.randomUUID() } });
}

async function prepare({ binary, firstStart }: Preparation): Promise<string> {
  const { mtimeMs, size } = statSync(binary);
  const folder = join(ROOT, `${Math.trunc(mtimeMs)}-${size}-${Math.trunc(Date.now() / HOUR_MS)}`);
  if (existsSync(folder)) return folder;
  mkdirSync(ROOT, { recursive: true });
  removeOld();
  // Several hubs of one test may be started at once.
  const begun = mkdtempSync(`${folder}.`);
  const admin = await firstStart(join(begun, "home"));
  writeFileSync(join(begun, ADMIN), JSON.stringify(admin), { mode: 0o600 });
  try {
    renameSync(begun, folder);
  } catch {
    // Another process was quicker.
    rmSync(begun, { recursive: true, force: true });
  }
  return folder;
}

function removeOld(): void {
  for (const name of readdirSync(ROOT)) {
    const path = join(ROOT, name);
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > 2 * HOUR_MS) rmSync(path, { recursive: true, force: true });
  }
}
