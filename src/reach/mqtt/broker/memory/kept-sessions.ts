// Sessions that outlive their connections, with their subscriptions. One whose client stays away too long ends.
import type { Clock, Timer } from "../../../../kit/time/clock.ts";

export interface KeptSession {
  /** See session-ids.ts. */
  readonly id: string;
  /** For how long it is kept without its client. */
  readonly keepSecs: number;
  /** In monotonic ms; undefined while its client is connected. */
  leftAt: number | undefined;
}

export interface KeptSessions extends Disposable {
  /** A client with such a session is connected. */
  connected(id: string, keepSecs: number | undefined): void;
  left(id: string): void;
  ended(id: string): void;
  load(session: KeptSession): void;
  get(id: string): KeptSession | undefined;
  isConnected(id: string): boolean;
  ids(): string[];
}

export interface KeptSessionsOptions {
  clock: Clock;
  /** Also called now and then for those whose clients are connected. */
  onChange: (id: string) => void;
  /** It was away too long. */
  onExpired: (id: string) => void;
}

/** Longer than a holiday, so that a summer house gets its messages; nobody comes back for a session that is older. */
const MAX_KEEP_SECS = 60 * 86_400;
const CHECK_MS = 60_000;

export function createKeptSessions({ clock, onChange, onExpired }: KeptSessionsOptions): KeptSessions {
  const sessions = new Map<string, KeptSession>();

  const timer: Timer = clock.every("mqtt kept sessions", CHECK_MS, () => {
    const now = clock.mono();
    for (const { id, keepSecs, leftAt } of [...sessions.values()]) {
      if (leftAt === undefined) onChange(id);
      else if (now - leftAt >= keepSecs * 1000) onExpired(id);
    }
  });

  return {
    connected(id, keepSecs = MAX_KEEP_SECS) {
      sessions.set(id, { id, keepSecs: Math.min(keepSecs, MAX_KEEP_SECS), leftAt: undefined });
      onChange(id);
    },
    left(id) {
      const session = sessions.get(id);
      if (!session) return;
      session.leftAt = clock.mono();
      onChange(id);
    },
    ended(id) {
      if (sessions.delete(id)) onChange(id);
    },
    load: (session) => void sessions.set(session.id, session),
    get: (id) => sessions.get(id),
    ids: () => [...sessions.keys()],
    isConnected: (id) => sessions.get(id)?.leftAt === undefined,
    [Symbol.dispose]: () => timer[Symbol.dispose](),
  };
}
