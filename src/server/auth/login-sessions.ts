// Logins that are in use, and logins that were ended. A token is valid without a row here, so it still works after a restore
// of an older database. The list of ended logins is durable; the rest is for people to look at, and is written behind.
import { startWriteBehind, type WriteBehind } from "../../kit/files/write-behind.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import { HubError, messageOf } from "../../kit/schema/errors.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { numberIn, textOrMark } from "../db/rows.ts";
import type { StateDb } from "../db/state-db.ts";
import type { TokenClaims } from "./tokens.ts";

export interface LoginSession {
  id: string;
  userId: string;
  username: string;
  /** Epoch ms; undefined where the login itself was not recorded, as after a restore. */
  createdAt: number | undefined;
  lastUsedAt: number;
  expiresAt: number;
  address: string | undefined;
  userAgent: string | undefined;
}

export type SessionClaims = Pick<TokenClaims, "userId" | "ver" | "expiresAt"> & { session: string };

export interface LoginSessionsOptions {
  db: StateDb;
  clock: Clock;
  log: Log;
  /** Ends all tokens of a user. */
  endAll: (userId: string) => void;
}

/** Epoch ms. */
interface LastUse {
  claims: SessionClaims;
  at: number;
  writtenAt: number;
}

interface LoginOrigin {
  address: string;
  userAgent: string;
}

interface Row {
  id: string;
  user_id: string;
  username: string;
  created_at: number | null;
  last_used_at: number;
  expires_at: number;
  address: string | null;
  user_agent: string | null;
}

const FLUSH_MS = 60_000;
/** How far `last_used_at` may lag in the file: a page that is open all day should not wear the disk. */
const WRITE_EVERY_MS = 600_000;
const MAX_REMEMBERED = 1000;
const MAX_LISTED = 100;
const MAX_ENDED = 1000;
const MAX_AGENT = 200;
/** Ended logins are kept this long after they expire, in case the clock is wrong for a while. */
const KEEP_ENDED_MS = 7 * 86_400_000;

export class LoginSessions implements Disposable {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #db: StateDb;
  readonly #store: SessionStore;
  readonly #endAll: (userId: string) => void;
  readonly #ended: Set<string>;
  /** By session; the one that was remembered first comes first. */
  readonly #uses = new Map<string, LastUse>();
  readonly #writeBehind: WriteBehind<LastUse>;

  constructor({ db, clock, log, endAll }: LoginSessionsOptions) {
    this.#clock = clock;
    this.#log = log;
    this.#db = db;
    this.#store = createSessionStore(db);
    this.#endAll = endAll;
    this.#removeOld();
    this.#ended = this.#store.loadEnded();
    this.#writeBehind = startWriteBehind<LastUse>({
      clock,
      log,
      periodMs: FLUSH_MS,
      write: (uses) => this.#writeUses(uses),
      what: "the list of logins",
      trouble: db.trouble,
    });
  }

  begin(claims: SessionClaims, from: LoginOrigin): void {
    const at = this.#clock.now();
    this.#writeBehind.flush();
    const use: LastUse = { claims, at, writtenAt: at };
    try {
      this.#db.relaxed.transaction(() => this.#store.write(claims, at, from))();
    } catch (error) {
      // The login succeeds all the same; the list then shows it without its address.
      this.#db.trouble.note(error);
      this.#log.warn("a login cannot be added to the list", { error: messageOf(error) });
      this.#writeBehind.mark(use);
    }
    this.#remember(use);
  }

  /** Another token of the session, with a later end. */
  renewed(claims: SessionClaims): void {
    const use: LastUse = { claims, at: this.#clock.now(), writtenAt: Number.NEGATIVE_INFINITY };
    this.#remember(use);
    this.#writeBehind.mark(use);
  }

  /** Called for every request, so it must cost next to nothing. */
  used(claims: SessionClaims): void {
    const at = this.#clock.now();
    let use = this.#uses.get(claims.session);
    if (use) use.at = at;
    else {
      use = { claims, at, writtenAt: Number.NEGATIVE_INFINITY };
      this.#remember(use);
    }
    if (Math.abs(at - use.writtenAt) >= WRITE_EVERY_MS) this.#writeBehind.mark(use);
  }

  isEnded(id: string): boolean {
    return this.#ended.has(id);
  }

  /** The latest used first; of one user or of all. */
  list(userId?: string): LoginSession[] {
    this.#writeBehind.flush();
    return this.#store
      .list(this.#clock.now())
      .filter((row) => (userId === undefined || row.user_id === userId) && !this.#ended.has(row.id))
      .map((row) => sessionOf(row, this.#uses.get(row.id)?.at))
      .sort((a, b) => b.lastUsedAt - a.lastUsedAt);
  }

  /** Durable when it returns. Throws HubError `not_found`, also for a session that does not belong to the given `userId`. */
  end(id: string, userId?: string): LoginSession {
    const session = this.list(userId).find((one) => one.id === id);
    if (!session) throw new HubError("not_found", "there is no such session");
    this.#store.end(session, this.#endAll);
    this.#ended.add(id);
    this.#uses.delete(id);
    return session;
  }

  [Symbol.dispose](): void {
    this.#writeBehind[Symbol.dispose]();
  }

  /** A disk that cannot be written must not keep anybody from logging in. */
  #removeOld(): void {
    try {
      this.#store.removeEnded(this.#clock.now() - KEEP_ENDED_MS);
      this.#store.removeStale(this.#clock.now());
    } catch (error) {
      this.#db.trouble.note(error);
      this.#log.warn("logins that ended long ago cannot be removed", { error: messageOf(error) });
    }
  }

  #writeUses(uses: Iterable<LastUse>): void {
    this.#db.relaxed.transaction(() => {
      for (const use of uses) {
        if (this.#ended.has(use.claims.session)) continue;
        this.#store.write(use.claims, use.at, undefined);
        use.writtenAt = use.at;
      }
      this.#store.removeStale(this.#clock.now());
    })();
  }

  #remember(use: LastUse): void {
    const oldest = this.#uses.size >= MAX_REMEMBERED ? this.#uses.keys().next().value : undefined;
    if (oldest !== undefined) this.#uses.delete(oldest);
    this.#uses.set(use.claims.session, use);
  }
}

type SessionStore = ReturnType<typeof createSessionStore>;

/** The tables `sessions` and `ended_sessions`. */
function createSessionStore({ relaxed, durable }: Pick<StateDb, "durable" | "relaxed">) {
  const upsert = relaxed.query(
    `INSERT INTO sessions (id, user_id, ver, created_at, last_used_at, expires_at, address, user_agent) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET last_used_at = max(last_used_at, excluded.last_used_at),
     expires_at = max(expires_at, excluded.expires_at)`,
  );
  const trim = relaxed.query(
    `DELETE FROM sessions WHERE user_id = ?1 AND id NOT IN
     (SELECT id FROM sessions WHERE user_id = ?1 ORDER BY last_used_at DESC LIMIT ${MAX_LISTED})`,
  );
  const stale = relaxed.query(
    `DELETE FROM sessions WHERE expires_at <= ? OR NOT EXISTS
     (SELECT 1 FROM users WHERE users.id = sessions.user_id AND users.ver = sessions.ver)`,
  );
  const listed = relaxed.query<Row, [number]>(
    `SELECT sessions.id, user_id, username, sessions.created_at, last_used_at, expires_at, address, user_agent
     FROM sessions JOIN users ON users.id = sessions.user_id AND users.ver = sessions.ver WHERE expires_at > ?`,
  );
  const remove = durable.query("DELETE FROM sessions WHERE id = ?");
  const insertEnded = durable.query("INSERT OR IGNORE INTO ended_sessions (id, user_id, expires_at) VALUES (?, ?, ?)");
  const endedOf = durable.query<{ id: string }, [string]>("SELECT id FROM ended_sessions WHERE user_id = ?");
  const removeEndedOf = durable.query("DELETE FROM ended_sessions WHERE user_id = ?");

  return {
    /** Must run in a transaction. */
    write({ session, userId, ver, expiresAt }: SessionClaims, at: number, login: LoginOrigin | undefined): void {
      const from = login ? ([login.address, login.userAgent.slice(0, MAX_AGENT)] as const) : ([null, null] as const);
      upsert.run(session, userId, ver, login ? at : null, at, expiresAt, ...from);
      trim.run(userId);
    },
    list: (now: number) => listed.all(now),
    /** Expired ones, and those of users who changed their password or role or were removed. */
    removeStale: (now: number) => void stale.run(now),
    removeEnded: (expiredBefore: number) =>
      void durable.query("DELETE FROM ended_sessions WHERE expires_at <= ?").run(expiredBefore),
    loadEnded(): Set<string> {
      const rows = durable.query<{ id: string }, []>("SELECT id FROM ended_sessions").all();
      return new Set(rows.map(({ id }) => id));
    },
    end({ id, userId, expiresAt }: LoginSession, endAll: (userId: string) => void): void {
      durable
        .transaction(() => {
          remove.run(id);
          insertEnded.run(id, userId, expiresAt);
          if (endedOf.all(userId).length <= MAX_ENDED) return;
          // No person ends so many. Ending all tokens of the user needs no list.
          endAll(userId);
          removeEndedOf.run(userId);
        })
        .immediate();
    },
  };
}

function sessionOf(row: Row, usedAt: number | undefined): LoginSession {
  return {
    id: row.id,
    userId: row.user_id,
    username: row.username,
    createdAt: numberIn(row.created_at, undefined),
    lastUsedAt: Math.max(numberIn(row.last_used_at, 0), usedAt ?? 0),
    expiresAt: numberIn(row.expires_at, 0),
    address: row.address === null ? undefined : textOrMark(row.address),
    userAgent: row.user_agent === null ? undefined : textOrMark(row.user_agent),
  };
}
