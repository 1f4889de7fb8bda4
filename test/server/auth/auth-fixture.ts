// Auth on a real state database in a temporary folder, with a virtual clock.
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import { HubError } from "../../../src/kit/schema/errors.ts";
import { type Audit, openAudit } from "../../../src/server/auth/audit.ts";
import { Auth, type Identity } from "../../../src/server/auth/auth.ts";
import { AuthSection } from "../../../src/server/auth/config.ts";
import { ownAddresses } from "../../../src/server/auth/own-connections.ts";
import type { Role } from "../../../src/server/auth/roles.ts";
import { createUsers } from "../../../src/server/auth/users.ts";
import type { StateDb } from "../../../src/server/db/state-db.ts";
import { sectionOf } from "../../support/section.ts";
import { CHEAP_HASH, openTestState } from "../../support/state-db.ts";
import { createVirtualClock, type VirtualClock } from "../../support/virtual-clock.ts";

export const SECRET = "this-is-the-secret-of-the-tests-and-nobody-elses";
export const PASSWORD = "correct horse battery";
export const STRANGER = "203.0.113.7";

export const random = (bytes: number): Uint8Array => new Uint8Array(randomBytes(bytes));

export interface AuthFixture extends Disposable {
  auth: Auth;
  audit: Audit;
  db: StateDb;
  path: string;
  clock: VirtualClock;
  /** Another Auth on the same file, as after a restart. */
  again(config?: Partial<AuthSection>): Auth;
}

export function openAuth(config: Partial<AuthSection> = {}): AuthFixture {
  const folder = mkdtempSync(join(tmpdir(), "hub-auth-"));
  const path = join(folder, "state.redb");
  const clock = createVirtualClock();
  const db = openTestState(path, () => clock.now());
  const audit = openAudit({ db, clock, log: silentLog, rows: 10_000 });
  const again = (changed: Partial<AuthSection> = {}): Auth =>
    new Auth({
      config: {
        ...sectionOf(AuthSection, { jwt_secret: SECRET }),
        ...config,
        ...changed,
      },
      db,
      clock,
      random,
      log: silentLog,
      audit,
      own: ownAddresses(() => []),
    });
  return {
    auth: again(),
    audit,
    db,
    path,
    clock,
    again,
    [Symbol.dispose]() {
      db[Symbol.dispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A user with PASSWORD. What it costs to check that at a login is in its hash, so that is cheap as well. */
export function addUser({ db, clock }: AuthFixture, username: string, role: Role = "admin"): void {
  createUsers(db.durable, random, () => clock.now()).create({ username, passwordHash: CHEAP_HASH, role });
}

/** The HubError that `work` throws or rejects with; fails on anything else. */
export async function refusalOf(work: () => unknown): Promise<HubError> {
  try {
    await work();
  } catch (error) {
    if (error instanceof HubError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

export async function identified(auth: Auth, credential: string | undefined, address = STRANGER): Promise<Identity> {
  const identity = await auth.identify(credential, address);
  if (!identity) throw new Error("nobody was identified");
  return identity;
}

/**
 * Whether two tasks cost about the same: compares the fastest run of each, and goes on as long as a busy machine may be the
 * reason for a difference. A task that skips the work stays far faster in every round.
 */
export async function costsAboutTheSame(one: () => Promise<unknown>, other: () => Promise<unknown>): Promise<boolean> {
  const fastest = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY] as [number, number];
  for (let round = 0; round < 60; round++) {
    for (const [index, task] of [one, other].entries()) {
      const start = performance.now();
      await task();
      fastest[index] = Math.min(fastest[index] ?? 0, performance.now() - start);
    }
    const ratio = fastest[0] / fastest[1];
    if (round >= 5 && ratio > 0.4 && ratio < 2.5) return true;
  }
  return false;
}

/** All texts of an error that could reach a log or a client. */
export function everythingIn(error: HubError): string {
  return `${error.message} ${JSON.stringify(error.details)} ${error.stack ?? ""} ${String(error.cause)}`;
}
