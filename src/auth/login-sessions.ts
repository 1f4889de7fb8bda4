// Logins that are in use, and those that somebody ended. A token is good by itself, so that it outlives a restored
// database: what is kept for certain is the list of the ended ones; the rest is for people to look at, and is written behind.
import type { Clock } from "../core/clock.ts";
import { HubError, messageOf } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { startWriteBehind } from "../core/write-behind.ts";
import { numberIn, textOrMark } from "../db/rows.ts";
import type { StateDb } from "../db/state-db.ts";
import type { TokenClaims } from "./tokens.ts";

export interface LoginSession {
  id: string;
  userId: string;
  username: string;
  /** Epoch ms; undefined where the login itself is not known, as after a restore. */
  createdAt: number | undefined;
  lastUsedAt: number;
  expiresAt: number;
  address: string | undefined;
  userAgent: string | undefined;
}

export interface LoginSessions extends Disposable {
  begin(claims: SessionClaims, from: { address: string; userAgent: string }): void;
  /** Called for every request: costs next to nothing. */
  used(claims: SessionClaims): void;
  isEnded(id: string): boolean;
  /** The latest used first; of one user or of all. */
  list(userId?: string): LoginSession[];
  /** Durable when it returns. Throws HubError `not_found`, also for one that is not of `userId`, where that is given. */
  end(id: string, userId?: string): LoginSession;
}

export type SessionClaims = Pick<TokenClaims, "userId" | "ver" | "expiresAt"> & { session: string };

export interface LoginSessionsOptions {
  db: StateDb;
  clock: Clock;
  log: Log;
  /** Ends all tokens of a user. */
  endAll: (userId: string) => void;
}

interface Use {
  claims: SessionClaims;
  at: number;
  /** When it was written last. */
  written: number;
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
/** How far `last_used_at` may lag in the file: a page that is open all day is not to wear the disk. */
const WRITE_EVERY_MS = 600_000;
const MOST_REMEMBERED = 1000;
const MOST_LISTED = 100;
const MOST_ENDED = 1000;
const LONGEST_AGENT = 200;
/** A clock that was wrong for a while must not bring an ended one back. */
const KEEP_ENDED_MS = 7 * 86_400_000;

export function openLoginSessions({ db, clock, log, endAll }: LoginSessionsOptions): LoginSessions {
  const upsert = db.behind.query(
    `INSERT INTO sessions (id, user_id, ver, created_at, last_used_at, expires_at, address, user_agent) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET last_used_at = max(last_used_at, excluded.last_used_at)`,
  );
  const trim = db.behind.query(
    `DELETE FROM sessions WHERE user_id = ?1 AND id NOT IN
     (SELECT id FROM sessions WHERE user_id = ?1 ORDER BY last_used_at DESC LIMIT ${MOST_LISTED})`,
  );
  const stale = db.behind.query(
    `DELETE FROM sessions WHERE expires_at <= ? OR NOT EXISTS
     (SELECT 1 FROM users WHERE users.id = sessions.user_id AND users.ver = sessions.ver)`,
  );
  const listed = db.behind.query<Row, [number]>(
    `SELECT sessions.id, user_id, username, sessions.created_at, last_used_at, expires_at, address, user_agent
     FROM sessions JOIN users ON users.id = sessions.user_id AND users.ver = sessions.ver WHERE expires_at > ?`,
  );
  const remove = db.durable.query("DELETE FROM sessions WHERE id = ?");
  const keepEnded = db.durable.query("INSERT OR IGNORE INTO ended_sessions (id, user_id, expires_at) VALUES (?, ?, ?)");
  const endedOf = db.durable.query<{ id: string }, [string]>("SELECT id FROM ended_sessions WHERE user_id = ?");
  const forgetEnded = db.durable.query("DELETE FROM ended_sessions WHERE user_id = ?");

  sweep();
  const ended = new Set(
    db.durable
      .query<{ id: string }, []>("SELECT id FROM ended_sessions")
      .all()
      .map(({ id }) => id),
  );
  // In the order of their first use since they were written.
  const uses = new Map<string, Use>();
  const behind = startWriteBehind<Use>({
    clock,
    log,
    periodMs: FLUSH_MS,
    write: writeUses,
    what: "the list of logins",
    trouble: db.trouble,
  });

  /** A disk that takes nothing keeps nobody out. */
  function sweep(): void {
    try {
      db.durable.query("DELETE FROM ended_sessions WHERE expires_at <= ?").run(clock.now() - KEEP_ENDED_MS);
      stale.run(clock.now());
    } catch (error) {
      db.trouble.note(error);
      log.warn("logins that ended long ago cannot be removed", { error: messageOf(error) });
    }
  }

  function writeUses(marked: Iterable<Use>): void {
    db.behind.transaction(() => {
      for (const use of marked) {
        if (ended.has(use.claims.session)) continue;
        write(use.claims, use.at, undefined);
        use.written = use.at;
      }
      stale.run(clock.now());
    })();
  }

  function write(claims: SessionClaims, at: number, login: { address: string; userAgent: string } | undefined): void {
    const { session, userId, ver, expiresAt } = claims;
    const from = login ? ([login.address, login.userAgent.slice(0, LONGEST_AGENT)] as const) : ([null, null] as const);
    upsert.run(session, userId, ver, login ? at : null, at, expiresAt, ...from);
    trim.run(userId);
  }

  function remember(use: Use): void {
    const oldest = uses.size >= MOST_REMEMBERED ? uses.entries().next().value : undefined;
    if (oldest) uses.delete(oldest[0]);
    uses.set(use.claims.session, use);
  }

  function list(userId?: string): LoginSession[] {
    behind.flush();
    return listed
      .all(clock.now())
      .filter((row) => (userId === undefined || row.user_id === userId) && !ended.has(row.id))
      .map((row) => sessionOf(row, uses.get(row.id)?.at))
      .sort((a, b) => b.lastUsedAt - a.lastUsedAt);
  }

  return {
    begin(claims, from) {
      const at = clock.now();
      behind.flush();
      const use: Use = { claims, at, written: at };
      try {
        db.behind.transaction(() => write(claims, at, from))();
      } catch (error) {
        // Whoever has the password is let in; where from is what the list then does not say.
        db.trouble.note(error);
        log.warn("a login cannot be added to the list", { error: messageOf(error) });
        behind.mark(use);
      }
      remember(use);
    },
    used(claims) {
      const at = clock.now();
      let use = uses.get(claims.session);
      if (use) use.at = at;
      else {
        use = { claims, at, written: Number.NEGATIVE_INFINITY };
        remember(use);
      }
      if (Math.abs(at - use.written) >= WRITE_EVERY_MS) behind.mark(use);
    },
    isEnded: (id) => ended.has(id),
    list,
    end(id, userId) {
      const session = list(userId).find((one) => one.id === id);
      if (!session) throw new HubError("not_found", "there is no such session");
      db.durable
        .transaction(() => {
          remove.run(id);
          keepEnded.run(id, session.userId, session.expiresAt);
          if (endedOf.all(session.userId).length <= MOST_ENDED) return;
          // So many are no person's doing. Ending everything needs no list.
          endAll(session.userId);
          forgetEnded.run(session.userId);
        })
        .immediate();
      ended.add(id);
      uses.delete(id);
      return session;
    },
    [Symbol.dispose]: () => behind[Symbol.dispose](),
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
