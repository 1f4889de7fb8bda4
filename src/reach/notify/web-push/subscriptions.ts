// The browsers that asked for messages, and the hub's key for push services, in the state database.
import { createECDH } from "node:crypto";
import { HubError } from "../../../kit/schema/errors.ts";
import type { StateDb } from "../../../server/db/state-db.ts";
import type { ReceiverKeys } from "./encryption.ts";
import { createVapidKey, type VapidKey } from "./vapid.ts";

/** As a browser gives it, in base64url. */
export interface GivenSubscription {
  endpoint: string;
  p256dh: string;
  auth: string;
}

export interface Subscription extends ReceiverKeys {
  endpoint: string;
}

export interface Subscriptions {
  /** Made at the first call. Throws HubError `storage` where it cannot be kept. */
  key(): VapidKey;
  /** On disk when it returns; one that is there goes over to this user. Throws HubError `invalid`. */
  add(userId: string, given: GivenSubscription): void;
  /** Of this user alone; whether there was one. */
  remove(userId: string, endpoint: string): boolean;
  /** Of these usernames; of all users when absent. */
  of(usernames: readonly string[] | undefined): Subscription[];
  /** The push service does not know it any more. */
  forget(endpoint: string): void;
}

/** A person has a handful of browsers; of more, the oldest are forgotten. */
export const MAX_OF_A_USER = 20;
const MAX_READ = 1000;

interface Row extends GivenSubscription {
  username: string;
}

export function openSubscriptions({ durable: db }: Pick<StateDb, "durable">, now: () => number): Subscriptions {
  const readKey = db.query<VapidKey, []>(
    "SELECT public_key AS publicKey, private_key AS privateKey FROM web_push_key WHERE id = 1",
  );
  const writeKey = db.query("INSERT OR IGNORE INTO web_push_key (id, public_key, private_key) VALUES (1, ?, ?)");
  const write = db.query(
    `INSERT INTO web_push_subscriptions (endpoint, user_id, p256dh, auth, created_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (endpoint) DO UPDATE SET user_id = excluded.user_id, p256dh = excluded.p256dh, auth = excluded.auth`,
  );
  const trim = db.query(
    `DELETE FROM web_push_subscriptions WHERE endpoint IN
       (SELECT endpoint FROM web_push_subscriptions WHERE user_id = ? AND endpoint <> ?
          ORDER BY created_at DESC, endpoint LIMIT -1 OFFSET ${MAX_OF_A_USER - 1})`,
  );
  const removeOwn = db.query("DELETE FROM web_push_subscriptions WHERE user_id = ? AND endpoint = ?");
  const removeAny = db.query("DELETE FROM web_push_subscriptions WHERE endpoint = ?");
  const all = db.query<Row, []>(
    `SELECT endpoint, p256dh, auth, username FROM web_push_subscriptions JOIN users ON users.id = user_id
       ORDER BY web_push_subscriptions.created_at LIMIT ${MAX_READ}`,
  );
  const insert = db.transaction((userId: string, { endpoint, p256dh, auth }: GivenSubscription) => {
    write.run(endpoint, userId, p256dh, auth, now());
    trim.run(userId, endpoint);
  }).immediate;

  return {
    key() {
      const known = readKey.get();
      if (known) return known;
      const { publicKey, privateKey } = createVapidKey();
      writeKey.run(publicKey, privateKey);
      return readKey.get() ?? { publicKey, privateKey };
    },
    add(userId, given) {
      checkSubscription(given);
      insert(userId, given);
    },
    remove: (userId, endpoint) => removeOwn.run(userId, endpoint).changes > 0,
    of: (usernames) =>
      all.all().flatMap((row) => {
        if (usernames && !usernames.includes(row.username)) return [];
        const { endpoint, p256dh, auth } = row;
        return { endpoint, p256dh: Buffer.from(p256dh, "base64url"), auth: Buffer.from(auth, "base64url") };
      }),
    forget: (endpoint) => void removeAny.run(endpoint),
  };
}

function checkSubscription({ endpoint, p256dh, auth }: GivenSubscription): void {
  const url = URL.parse(endpoint);
  if (url?.protocol !== "https:" || url.username !== "" || url.password !== "")
    throw new HubError("invalid", "endpoint must be the https address of a push service");
  try {
    const own = createECDH("prime256v1");
    own.generateKeys();
    own.computeSecret(Buffer.from(p256dh, "base64url"));
  } catch {
    throw new HubError("invalid", "p256dh must be a public key of the curve P-256");
  }
  if (Buffer.from(auth, "base64url").length !== 16) throw new HubError("invalid", "auth must have 16 bytes");
}
