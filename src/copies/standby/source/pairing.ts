// Which machine is the house's standby, and the key that it opens the hub with. Both are kept in the state database, so that they
// work the other way round when the machines change their roles.
import { createHash, timingSafeEqual } from "node:crypto";
import { HubError } from "../../../kit/schema/errors.ts";
import { type RandomBytes, secret } from "../../../kit/schema/ids.ts";
import { isObject, parseJson } from "../../../kit/schema/json.ts";
import { type Meta, STANDBY_META } from "../../../server/db/meta.ts";
import type { StandbyMachine } from "../protocol.ts";

export interface Pairing {
  /** Makes a new key for this machine; an earlier one ends. Throws where it cannot be stored. */
  pair(machine: StandbyMachine): string;
  /** Throws HubError `unauthenticated` unless this is the key. */
  check(key: string | undefined): void;
  /** Undefined where none is paired, and where the one that was has become this hub. */
  machine(): StandbyMachine | undefined;
  /** What the standby says of itself. True where that is new; stored then. Throws where it cannot be. */
  saw(machine: StandbyMachine): boolean;
  key(): string;
  /** The key ends. Throws where that cannot be stored. */
  forget(): void;
}

export interface PairingOptions {
  meta: Meta;
  random: RandomBytes;
  /** This machine's id, where it has one. */
  own: () => string | undefined;
}

const NONE = "";
const FIELDS = ["id", "name", "address", "manual"] as const;
const KEY_PREFIX = "hcs_";
const REFUSED =
  "this is not the key of the house's standby (any more): run `hub standby --of URL` on that machine again";

export function createPairing({ meta, random, own }: PairingOptions): Pairing {
  let stored = storedMachine(meta.get(STANDBY_META.machine));
  let key = meta.get(STANDBY_META.key) ?? NONE;

  function keep({ id, name, address, manual = false }: StandbyMachine): void {
    stored = { id, name, address, manual };
    meta.set(STANDBY_META.machine, JSON.stringify(stored));
  }

  return {
    pair(machine) {
      const made = `${KEY_PREFIX}${secret(random, 32)}`;
      keep(machine);
      meta.set(STANDBY_META.key, made);
      key = made;
      return made;
    },
    check(given) {
      if (given === undefined) throw new HubError("unauthenticated", "the standby's key is needed, as a Bearer token");
      const isSame = timingSafeEqual(digest(given), digest(key));
      if (key === NONE || !isSame) throw new HubError("unauthenticated", REFUSED, { details: { tokenSent: true } });
    },
    machine: () => (key === NONE || stored?.id === own() ? undefined : stored),
    saw(machine) {
      const isKnown = FIELDS.every((field) => (machine[field] ?? false) === stored?.[field]);
      if (!isKnown) keep(machine);
      return !isKnown;
    },
    key: () => key,
    forget() {
      meta.set(STANDBY_META.key, NONE);
      key = NONE;
      meta.set(STANDBY_META.machine, NONE);
      stored = undefined;
    },
  };
}

/** Whether a credential is meant as the key of a standby, right or wrong. */
export const isStandbyKey = (credential: string): boolean => credential.startsWith(KEY_PREFIX);

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

function storedMachine(text: string | undefined): StandbyMachine | undefined {
  const parsed = text ? parseJson(text) : undefined;
  const { id, name, address, manual } = parsed?.ok && isObject(parsed.value) ? parsed.value : {};
  if (typeof id !== "string" || typeof name !== "string" || typeof address !== "string") return undefined;
  return { id, name, address, manual: manual === true };
}
