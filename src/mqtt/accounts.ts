// Who may connect: supervised plugins with a password of the moment, [[mqtt.users]], and this machine where that is allowed.
import { createHash, timingSafeEqual } from "node:crypto";
import { HUB_PLUGIN_ID, isValidId, type RandomBytes, secret } from "../core/ids.ts";
import { isLoopbackHost, type MqttSection } from "./config.ts";

export type Account =
  /** Has the rights of the plugin whose id is its name. */
  | {
      readonly kind: "plugin";
      readonly name: string;
      readonly supervised: boolean;
      /** Topic patterns beyond those rights. */
      readonly publish: readonly string[];
      readonly subscribe: readonly string[];
    }
  /** Has what its lists say. */
  | {
      readonly kind: "listed";
      readonly name: string;
      readonly publish: readonly string[];
      readonly subscribe: readonly string[];
    }
  /** `claims`: the plugin ids this connection has spoken as; it acts for their devices. */
  | { readonly kind: "anonymous"; readonly name: "anonymous"; readonly claims: Set<string> };

export interface Credentials {
  username: string | undefined;
  password: Uint8Array | undefined;
  address: string;
}

/** What a plugin's entry adds to its account. */
export interface PluginGrant {
  /** A fresh one when absent. */
  password?: string | undefined;
  publish: readonly string[];
  subscribe: readonly string[];
}

export interface Accounts {
  /** The password of a supervised plugin; the one before no longer counts. */
  issue(pluginId: string, grant?: PluginGrant): string;
  revoke(pluginId: string): void;
  /** The account, or why not. */
  authenticate(credentials: Credentials): Account | "wrong_password" | "no_account" | "too_many";
}

const NO_GRANT: PluginGrant = { publish: [], subscribe: [] };

interface Entry {
  hash: Buffer;
  account: Account;
}

export function createAccounts({ users, anonymous }: MqttSection, random: RandomBytes): Accounts {
  const supervised = new Map<string, Entry>();
  const listed = new Map<string, Entry>(
    users.map((user) => [user.username, { hash: hashOf(user.password), account: accountOf(user) }]),
  );
  // Compared with where the name is unknown, so that the time taken does not tell which names exist.
  const nobody = hashOf(secret(random, 32));

  return {
    issue(pluginId, { password = secret(random, 32), publish, subscribe } = NO_GRANT) {
      if (!isValidId(pluginId) || pluginId === HUB_PLUGIN_ID)
        throw new RangeError(`"${pluginId}" cannot be a plugin's id`);
      supervised.set(pluginId, {
        hash: hashOf(password),
        account: { kind: "plugin", name: pluginId, supervised: true, publish, subscribe },
      });
      return password;
    },
    revoke(pluginId) {
      supervised.delete(pluginId);
    },
    authenticate({ username, password, address }) {
      if (!username && !password) {
        return anonymous && isLoopbackHost(address)
          ? { kind: "anonymous", name: "anonymous", claims: new Set() }
          : "no_account";
      }
      const given = hashOf(password ?? "");
      const own = matching(supervised.get(username ?? ""), given, nobody);
      const other = matching(listed.get(username ?? ""), given, nobody);
      return own ?? other ?? "wrong_password";
    },
  };
}

function accountOf({ username, publish, subscribe }: MqttSection["users"][number]): Account {
  return publish || subscribe
    ? { kind: "listed", name: username, publish: publish ?? [], subscribe: subscribe ?? [] }
    : { kind: "plugin", name: username, supervised: false, ...NO_GRANT };
}

function matching(entry: Entry | undefined, given: Buffer, nobody: Buffer): Account | undefined {
  const same = timingSafeEqual(given, entry?.hash ?? nobody);
  return same ? entry?.account : undefined;
}

function hashOf(password: string | Uint8Array): Buffer {
  return createHash("sha256").update(password).digest();
}
