// One auth room on a real state database in a temporary folder, with a clock that stands still.
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Audit, openAudit } from "../../src/auth/audit.ts";
import { type Auth, createAuth, type Identity } from "../../src/auth/auth.ts";
import { AuthSection } from "../../src/auth/config.ts";
import { HubError } from "../../src/core/errors.ts";
import { silentLog } from "../../src/core/log.ts";
import { openStateDb, type StateDb } from "../../src/db/state-db.ts";
import { sectionOf } from "../support/section.ts";
import { createVirtualClock, type VirtualClock } from "../support/virtual-clock.ts";

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
  /** Another room on the same file, as after a restart. */
  again(config?: Partial<AuthSection>): Auth;
}

export function openAuth(config: Partial<AuthSection> = {}): AuthFixture {
  const folder = mkdtempSync(join(tmpdir(), "hub-auth-"));
  const path = join(folder, "state.redb");
  const clock = createVirtualClock();
  const db = openStateDb(path, () => clock.now());
  const audit = openAudit({ db, clock, log: silentLog, rows: 10_000 });
  const again = (changed: Partial<AuthSection> = {}): Auth =>
    createAuth({
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

/** What `work` throws, now or later; fails when it throws nothing or something that is no HubError. */
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

/** Everything of an error that could reach a log or a reader. */
export function everythingIn(error: HubError): string {
  return `${error.message} ${JSON.stringify(error.details)} ${error.stack ?? ""} ${String(error.cause)}`;
}
