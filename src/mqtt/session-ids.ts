// A session belongs to an account and a client id. The broker knows one name only: this one, made of both.
import { type RandomBytes, uuid } from "../core/ids.ts";
import type { Account } from "./accounts.ts";

/** The client ids of the plugins that the hub starts. */
export const HUB_PLUGIN_CLIENT = "hub-plugin-";

/** One name for one account, whatever its kind; without a slash behind the first. */
export function ownerOf(account: Account): string {
  if (account.kind === "anonymous") return "anonymous/";
  const supervised = account.kind === "plugin" && account.supervised;
  return `${supervised ? "plugin" : "user"}/${account.name}`;
}

/** The broker's name for the session of that client. No two accounts share one: names of accounts hold no slash. */
export function sessionId(account: Account, clientId: string): string {
  return `${ownerOf(account)}/${clientId}`;
}

/** For a client that leaves the choice to the broker. */
export function assignedClientId(random: RandomBytes): string {
  return `auto-${uuid(random)}`;
}

/** Why the account cannot use the client id, if it cannot. */
export function clientIdProblem(account: Account, clientId: string): "reserved" | undefined {
  if (!clientId.startsWith(HUB_PLUGIN_CLIENT)) return undefined;
  const own = account.kind === "plugin" && account.supervised && clientId === `${HUB_PLUGIN_CLIENT}${account.name}`;
  return own ? undefined : "reserved";
}
