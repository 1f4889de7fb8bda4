// Who may connect: supervised plugins with a generated password, [[mqtt.users]], accounts that were made at run time, and
// anonymous clients where they are allowed.
import { createHash, timingSafeEqual } from "node:crypto";
import { HUB_PLUGIN_ID, isValidId, type RandomBytes, secret } from "../../../kit/schema/ids.ts";
import { isLoopbackHost, type MqttSection } from "../config.ts";

export type Account =
  /** Has the rights of the plugin with this name as id. */
  | {
      readonly kind: "plugin";
      readonly name: string;
      readonly supervised: boolean;
      /** Further topic patterns. */
      readonly publish: readonly string[];
      readonly subscribe: readonly string[];
    }
  /** Has the rights in its lists. */
  | {
      readonly kind: "listed";
      readonly name: string;
      readonly publish: readonly string[];
      readonly subscribe: readonly string[];
    }
  /** `claims`: plugin ids this connection has published as; it may publish for their devices. */
  | { readonly kind: "anonymous"; readonly name: "anonymous"; readonly claims: Set<string> };

export interface Credentials {
  username: string | undefined;
  password: Uint8Array | undefined;
  address: string;
}

/** Additions to a plugin's account from its [[plugins]] entry. */
export interface PluginGrant {
  /** Generated where absent. */
  password?: string | undefined;
  publish: readonly string[];
  subscribe: readonly string[];
}

export interface Accounts {
  /** Makes the account of a supervised plugin and returns its password; an earlier one becomes invalid. */
  issue(pluginId: string, grant?: PluginGrant): string;
  revoke(pluginId: string): void;
  /** Of a device or a program; undefined for plugins that the hub starts. */
  named(username: string): Account | undefined;
  /** Whether nobody can guess its password: the hub made it, for a plugin that it runs. */
  isGenerated(username: string): boolean;
  /** The account, or why the login is refused. */
  authenticate(credentials: Credentials): Account | "wrong_password" | "no_account" | "too_many";
}

/** One key for each account, whatever its kind, with one slash in it. */
export function accountKey(account: Account): string {
  if (account.kind === "anonymous") return "anonymous/";
  return `${isSupervised(account) ? "plugin" : "user"}/${account.name}`;
}

export function isSupervised(account: Account): boolean {
  return account.kind === "plugin" && account.supervised;
}

const NO_GRANT: PluginGrant = { publish: [], subscribe: [] };

interface Entry {
  /** SHA-256 of the password. */
  hash: Buffer;
  account: Account;
  isGenerated?: boolean;
}

/** Accounts that come and go while the hub runs. */
export interface StoredAccounts {
  has(name: string): boolean;
  /** As it is now; every call makes an account of its own. */
  find(name: string): Entry | undefined;
  /** Whether any may have changed since the last call. */
  haveChanged(): boolean;
  /** False for one that `find` made and that was removed since, or has another password. */
  isCurrent(account: Account): boolean;
}

/** `stored` is asked for names that nobody else has. */
export function createAccounts(
  { users, anonymous }: MqttSection,
  random: RandomBytes,
  stored?: Pick<StoredAccounts, "find">,
): Accounts {
  const supervised = new Map<string, Entry>();
  const listed = new Map<string, Entry>(
    users.map((user) => [user.username, { hash: hashOf(user.password), account: accountOf(user) }]),
  );
  // Unknown names are compared with this, so that the time taken does not reveal which names exist.
  const dummy = hashOf(secret(random, 32));

  return {
    issue(pluginId, { password: chosen, publish, subscribe } = NO_GRANT) {
      if (!isValidId(pluginId) || pluginId === HUB_PLUGIN_ID)
        throw new RangeError(`"${pluginId}" cannot be a plugin's id`);
      const password = chosen ?? secret(random, 32);
      supervised.set(pluginId, {
        isGenerated: chosen === undefined,
        hash: hashOf(password),
        account: { kind: "plugin", name: pluginId, supervised: true, publish, subscribe },
      });
      return password;
    },
    revoke(pluginId) {
      supervised.delete(pluginId);
    },
    isGenerated: (username) => supervised.get(username)?.isGenerated === true && !listed.has(username),
    named: (username) => (listed.get(username) ?? stored?.find(username))?.account,
    authenticate({ username, password, address }) {
      if (!username && !password) {
        return anonymous && isLoopbackHost(address)
          ? { kind: "anonymous", name: "anonymous", claims: new Set() }
          : "no_account";
      }
      const given = hashOf(password ?? "");
      const name = username ?? "";
      const [own, other] = [supervised.get(name), listed.get(name)];
      const made = own || other ? undefined : stored?.find(name);
      const found = [own, other, made].map((entry) => matching(entry, given, dummy));
      return found.find((account) => account !== undefined) ?? "wrong_password";
    },
  };
}

function accountOf({ username, publish, subscribe }: MqttSection["users"][number]): Account {
  return publish || subscribe
    ? { kind: "listed", name: username, publish: publish ?? [], subscribe: subscribe ?? [] }
    : { kind: "plugin", name: username, supervised: false, ...NO_GRANT };
}

function matching(entry: Entry | undefined, given: Buffer, dummy: Buffer): Account | undefined {
  const same = timingSafeEqual(given, entry?.hash ?? dummy);
  return same ? entry?.account : undefined;
}

function hashOf(password: string | Uint8Array): Buffer {
  return createHash("sha256").update(password).digest();
}
