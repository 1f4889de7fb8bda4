// A session belongs to an account and a client id. The broker's client id is the session id, made of both.
import { type RandomBytes, uuid } from "../../../kit/schema/ids.ts";
import { type Account, accountKey } from "../accounts/accounts.ts";

/** The key of the account in which the hub itself publishes. */
export const HUB_ACCOUNT = "hub/";

/** The client ids of the plugins that the hub starts begin with this. */
const HUB_PLUGIN_CLIENT = "hub-plugin-";

/** Unique: account names contain no slash. */
export function sessionId(account: Account, clientId: string): string {
  return `${accountKey(account)}/${clientId}`;
}

/** The key of the account that a session belongs to. */
export function accountOfSession(id: string): string {
  return id.slice(0, id.indexOf("/", id.indexOf("/") + 1));
}

/** Whether it is the account of a plugin that the hub starts. */
export function isSupervisedKey(key: string): boolean {
  return key.startsWith("plugin/");
}

/** The name in an account's key. */
export function accountNameOf(key: string): string {
  const name = key.slice(key.indexOf("/") + 1);
  return name || key.slice(0, key.indexOf("/"));
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
