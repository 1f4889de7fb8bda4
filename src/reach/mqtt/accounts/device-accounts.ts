// MQTT accounts that are made at run time, for devices: kept in the state database next to those of [[mqtt.users]]. Every login
// reads the file, so that `hub device-account` works from another process. A password is shown once; its SHA-256 is kept, as it
// has 256 random bits.
import { createHash } from "node:crypto";
import { type Static, Type } from "@sinclair/typebox";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import { Id, isValidId, type RandomBytes, secret } from "../../../kit/schema/ids.ts";
import { createMeta } from "../../../server/db/meta.ts";
import { jsonIn, numberIn, type RowFaults, readEach, textIn } from "../../../server/db/rows.ts";
import type { StateDb } from "../../../server/db/state-db.ts";
import { TOPIC_LEVELS } from "../config.ts";
import { ACCOUNT_KINDS, AccountKindName, type TopicLists } from "./account-kinds.ts";
import type { Account, StoredAccounts } from "./accounts.ts";

const MAX_ACCOUNTS = 1000;
const MAX_PATTERNS = 100;
/** In the meta table once an account was made here. */
export const EVER_MADE = "mqtt_accounts";

const LEVEL = "(\\+|[^+#/\\u0000]*)";
const Pattern = Type.String({
  minLength: 1,
  maxLength: 1000,
  pattern: `^(#|${LEVEL}(/${LEVEL})*(/#)?)$`,
  problem: "must be a topic pattern: + matches one whole level, and # may only be the last level",
});
const Patterns = Type.Array(Pattern, { maxItems: MAX_PATTERNS });

export const NewDeviceAccount = Type.Object(
  {
    name: Id,
    kind: AccountKindName,
    base: Type.Optional(
      Type.String({
        ...TOPIC_LEVELS,
        problem: "must be topic levels such as zigbee2mqtt: no slash at either end, no + # $ and no spaces",
        description: "The first levels of its topics, where they are not the kind's own or the account's name",
      }),
    ),
    publish: Type.Optional({ ...Patterns, description: "Topic patterns beyond those of the kind" }),
    subscribe: Type.Optional({ ...Patterns, description: "Topic patterns beyond those of the kind" }),
  },
  { additionalProperties: false },
);
export type NewDeviceAccount = Static<typeof NewDeviceAccount>;

export interface DeviceAccount extends TopicLists {
  name: string;
  kind: AccountKindName;
  base: string | undefined;
  /** Epoch ms. */
  createdAt: number;
}

export type WithPassword = DeviceAccount & { password: string };

export interface DeviceAccounts extends StoredAccounts {
  /** By name. `publish` and `subscribe` are all that they may use. */
  list(): DeviceAccount[];
  /** Throws HubError `invalid`, and `conflict` where the name is taken or there are too many. */
  create(account: NewDeviceAccount): WithPassword;
  /** A new password. Throws HubError: see `remove`. */
  renew(name: string): WithPassword;
  /** Throws HubError `not_found`, and `conflict` for an account that is not one of these. */
  remove(name: string): void;
  /** Accounts that cannot log in, as hub.toml has their name too. */
  problems(): string[];
}

export interface DeviceAccountsOptions {
  db: StateDb;
  random: RandomBytes;
  now: () => number;
  /** `[mqtt] prefix`. */
  prefix: string;
  /** The first levels of Home Assistant's discovery. */
  discovery: string;
  /** Names that belong to others, each with whose it is, such as `is in [[mqtt.users]]`. */
  taken: ReadonlyMap<string, string>;
}

interface Row {
  name: string;
  kind: string;
  base: string | null;
  publish: string;
  subscribe: string;
  password_hash: string;
  created_at: number;
}

const SILENT: RowFaults = { unreadable() {} };

export function openDeviceAccounts(options: DeviceAccountsOptions): DeviceAccounts {
  const { db, random, now, prefix, discovery, taken } = options;
  const { durable } = db;
  const all = durable.query<Row, []>("SELECT * FROM mqtt_accounts ORDER BY name");
  const byName = durable.query<Row, [string]>("SELECT * FROM mqtt_accounts WHERE name = ?");
  const count = durable.query<{ accounts: number }, []>("SELECT count(*) AS accounts FROM mqtt_accounts");
  const version = durable.query<{ data_version: number }, []>("PRAGMA data_version");
  const insert = durable.query(
    "INSERT INTO mqtt_accounts (name, kind, base, publish, subscribe, password_hash, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  const setHash = durable.query("UPDATE mqtt_accounts SET password_hash = ? WHERE name = ?");
  const remove = durable.query("DELETE FROM mqtt_accounts WHERE name = ?");
  const meta = createMeta(db);
  const hashes = new WeakMap<Account, string>();
  let seen: number | undefined;
  read(db.faults);

  function read(faults: RowFaults): DeviceAccount[] {
    return readEach(all.all(), accountOf, { faults, table: "mqtt_accounts", keyOf: ({ name }) => name });
  }

  function accountOf(row: Row): DeviceAccount {
    const kind = kindIn(row.kind);
    const name = textIn(row.name, "name");
    const base = row.base === null ? undefined : textIn(row.base, "base");
    const own = ACCOUNT_KINDS[kind].topics({ name, base, discovery });
    return {
      ...{ name, kind, base, createdAt: numberIn(row.created_at, 0) },
      publish: [...own.publish, ...patternsIn(row.publish, "publish")],
      subscribe: [...own.subscribe, ...patternsIn(row.subscribe, "subscribe")],
    };
  }

  /** What cannot be read counts as no account: no reason to end the hub in the middle of a login. */
  function atLogin<T>(name: string, use: (row: Row) => T): T | undefined {
    if (!isValidId(name)) return undefined;
    try {
      const row = byName.get(name);
      return row ? use(row) : undefined;
    } catch (error) {
      db.trouble.note(error);
      return undefined;
    }
  }

  function rowNamed(name: string): Row {
    const row = byName.get(name);
    if (row) return row;
    const whose = taken.get(name);
    if (whose !== undefined)
      throw new HubError("conflict", `"${name}" ${whose}: change it in hub.toml, and restart the hub`);
    throw new HubError("not_found", `there is no MQTT account "${name}" that was made by the hub`);
  }

  function readable(row: Row): DeviceAccount {
    try {
      return accountOf(row);
    } catch (error) {
      throw new HubError(
        "conflict",
        `the MQTT account "${row.name}" cannot be read, so remove it: ${messageOf(error)}`,
      );
    }
  }

  const insertOne = durable.transaction((row: Row): void => {
    const { name, kind, base, publish, subscribe, password_hash, created_at } = row;
    insert.run(name, kind, base, publish, subscribe, password_hash, created_at);
    meta.set(EVER_MADE, "made");
  });

  function checkNew({ name, kind, base, publish, subscribe }: NewDeviceAccount): void {
    const { problem, topics } = ACCOUNT_KINDS[kind];
    const wrong = problem?.({ name, base, discovery });
    if (wrong !== undefined) throw new HubError("invalid", wrong);
    const own = topics({ name, base, discovery });
    if ([...own.publish, ...own.subscribe].some((pattern) => reaches(pattern, prefix)))
      throw new HubError("invalid", `base: the hub's own topics begin with "${prefix}": give another base`);
    if (kind === "custom" && !publish?.length && !subscribe?.length)
      throw new HubError("invalid", "publish: a custom account needs topic patterns in publish or subscribe");
    const whose = taken.get(name);
    if (whose !== undefined) throw new HubError("conflict", `"${name}" ${whose}: take another name`);
    if (byName.get(name))
      throw new HubError("conflict", `there is an MQTT account "${name}" already: remove it, or renew its password`);
    if ((count.get()?.accounts ?? 0) >= MAX_ACCOUNTS)
      throw new HubError("conflict", `there are ${MAX_ACCOUNTS} MQTT accounts: remove some`);
  }

  return {
    list: () => read(SILENT),
    create(account) {
      checkNew(account);
      const password = secret(random, 32);
      const { name, kind, base = null, publish = [], subscribe = [] } = account;
      const lists = { publish: JSON.stringify(publish), subscribe: JSON.stringify(subscribe) };
      const row = { name, kind, base, ...lists, password_hash: sha256(password), created_at: now() };
      insertOne.immediate(row);
      return { ...accountOf(row), password };
    },
    renew(name) {
      const account = readable(rowNamed(name));
      const password = secret(random, 32);
      setHash.run(sha256(password), name);
      seen = undefined;
      return { ...account, password };
    },
    remove(name) {
      rowNamed(name);
      remove.run(name);
      seen = undefined;
    },
    problems: () =>
      [...taken]
        .filter(([name]) => byName.get(name))
        .map(
          ([name, whose]) =>
            `"${name}" ${whose}, so the MQTT account of that name that the hub made cannot log in: \`hub device-account ${name} --remove\` removes it`,
        ),
    has: (name) => atLogin(name, () => true) ?? false,
    find: (name) =>
      atLogin(name, (row) => {
        const { kind, publish, subscribe } = accountOf(row);
        const account: Account =
          kind === "plugin"
            ? { kind, name, supervised: false, publish, subscribe }
            : { kind: "listed", name, publish, subscribe };
        const hash = textIn(row.password_hash, "password_hash");
        hashes.set(account, hash);
        return { account, hash: Buffer.from(hash, "hex") };
      }),
    haveChanged() {
      const known = seen;
      seen = version.get()?.data_version;
      return known !== seen;
    },
    isCurrent(account) {
      const hash = hashes.get(account);
      return hash === undefined || byName.get(account.name)?.password_hash === hash;
    },
  };
}

function kindIn(text: string): AccountKindName {
  if (Object.hasOwn(ACCOUNT_KINDS, text)) return text as AccountKindName;
  throw new TypeError(`no kind of account is called "${text}"`);
}

function patternsIn(json: string, column: string): string[] {
  const list = jsonIn(json, column);
  if (Array.isArray(list)) return list.map((one) => textIn(one, column));
  throw new TypeError(`${column} is not a list`);
}

/** Whether a pattern matches a topic that begins with these levels. */
function reaches(pattern: string, prefix: string): boolean {
  const levels = pattern.split("/");
  for (const [index, own] of prefix.split("/").entries()) {
    const level = levels[index];
    if (level === "#") return true;
    if (level === undefined || (level !== "+" && level !== own)) return false;
  }
  return true;
}

function sha256(password: string): string {
  return createHash("sha256").update(password).digest("hex");
}
