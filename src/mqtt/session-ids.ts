// A session belongs to an account and a client id. The broker's client id is the session id, made of both.
import { type RandomBytes, uuid } from "../core/ids.ts";
import { type Account, accountKey } from "./accounts.ts";

/** The client ids of the plugins that the hub starts begin with this. */
const HUB_PLUGIN_CLIENT = "hub-plugin-";

/** Unique: account names contain no slash. */
export function sessionId(account: Account, clientId: string): string {
  return `${accountKey(account)}/${clientId}`;
}

/** For a client that leaves the choice to the broker. */
export function assignedClientId(random: RandomBytes): string {
  return `auto-${uuid(random)}`;
}

/** Whether the client id is reserved for another account. */
export function isReservedClientId(account: Account, clientId: string): boolean {
  if (!clientId.startsWith(HUB_PLUGIN_CLIENT)) return false;
  const own = account.kind === "plugin" && account.supervised && clientId === `${HUB_PLUGIN_CLIENT}${account.name}`;
  return !own;
}
