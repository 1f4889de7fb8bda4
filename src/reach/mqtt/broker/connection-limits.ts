// How many connections and kept sessions there may be, of one account and of all. Supervised plugins do not count, and are never
// refused by the limit for all.
import type { Limits } from "../../../kit/lifecycle/limits.ts";
import { type Account, accountKey, isSupervised } from "../accounts/accounts.ts";
import type { MqttSection } from "../config.ts";
import { accountOfSession, isSupervisedKey } from "./session-ids.ts";

export interface ConnectionLimits {
  mayConnect(account: Account, sessionId: string): boolean;
  /** Whether the session may be kept. */
  mayKeep(account: Account, sessionId: string): boolean;
}

export interface ConnectionLimitsOptions {
  config: Pick<MqttSection, "max_connections" | "max_connections_per_account">;
  limits: Limits;
  /** Connected clients, by session id. */
  sessions: ReadonlyMap<string, unknown>;
  /** The ids of all kept sessions. */
  kept: () => readonly string[];
}

export function createConnectionLimits({ config, limits, sessions, kept }: ConnectionLimitsOptions): ConnectionLimits {
  function fits(account: Account, existing: Iterable<string>, what: string): boolean {
    const key = accountKey(account);
    let own = 0;
    let all = 0;
    for (const id of existing) {
      const other = accountOfSession(id);
      if (other === key) own++;
      if (!isSupervisedKey(other)) all++;
    }
    if (own >= config.max_connections_per_account) {
      limits.reached({
        limit: "[mqtt] max_connections_per_account",
        account: account.name,
        message: `has ${own} ${what} already: a further one was refused`,
      });
      return false;
    }
    if (isSupervised(account) || all < config.max_connections) return true;
    limits.reached({
      limit: "[mqtt] max_connections",
      account: "all",
      message: `there are ${all} ${what} already: one of "${account.name}" was refused`,
    });
    return false;
  }

  return {
    mayConnect(account, sessionId) {
      // A client that takes over its own session replaces its connection.
      if (sessions.has(sessionId)) return true;
      return fits(account, sessions.keys(), "MQTT connections");
    },
    mayKeep(account, sessionId) {
      const all = kept();
      return all.includes(sessionId) || fits(account, all, "kept MQTT sessions");
    },
  };
}
