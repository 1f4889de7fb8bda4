// How many connections there may be, of one account and in all, and how many sessions are kept for clients that are away.
// Supervised plugins take no place from the others and always find one.
import type { Limits } from "../core/limits.ts";
import type { Account } from "./accounts.ts";
import type { MqttSection } from "./config.ts";
import { ownerOf } from "./session-ids.ts";

export interface Places {
  mayConnect(account: Account, sessionId: string): boolean;
  mayKeep(account: Account, sessionId: string): boolean;
  notKept(sessionId: string): void;
}

export interface PlacesOptions {
  config: Pick<MqttSection, "max_connections" | "max_connections_per_account">;
  limits: Limits;
  /** By session id, those that are connected. */
  sessions: ReadonlyMap<string, { readonly account: Account }>;
}

const isSupervised = (account: Account): boolean => account.kind === "plugin" && account.supervised;

export function createPlaces({ config, limits, sessions }: PlacesOptions): Places {
  const kept = new Map<string, Account>();

  function hasPlace(account: Account, taken: Iterable<Account>, what: string): boolean {
    const owner = ownerOf(account);
    let own = 0;
    let all = 0;
    for (const other of taken) {
      if (ownerOf(other) === owner) own++;
      if (!isSupervised(other)) all++;
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
    // One that takes over its own session takes its place as well.
    mayConnect: (account, sessionId) =>
      sessions.has(sessionId) ||
      hasPlace(
        account,
        [...sessions.values()].map((session) => session.account),
        "MQTT connections",
      ),
    mayKeep(account, sessionId) {
      if (!kept.has(sessionId) && !hasPlace(account, kept.values(), "kept MQTT sessions")) return false;
      kept.set(sessionId, account);
      return true;
    },
    notKept: (sessionId) => void kept.delete(sessionId),
  };
}
