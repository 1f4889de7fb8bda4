// Passwords: which are accepted, and their argon2id hashes. Each takes 19 MiB, so few are computed at once.
import { createHash } from "node:crypto";
import { Type } from "@sinclair/typebox";
import { HubError } from "../../kit/schema/errors.ts";

export interface Passwords {
  /** Throws HubError: `invalid` for a password that is not accepted, `unavailable` when too many wait. */
  hash(password: string): Promise<string>;
  /** Without a hash to compare with it takes the same time and returns false. */
  verify(password: string, hash: string | undefined): Promise<boolean>;
}

// OWASP's lower recommendation for argon2id.
const COST = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;
const AT_ONCE = 2;
const MAX_WAITING = 32;
const SHORTEST = 8;
const MAX_BYTES = 1024;

/** Counts characters; `checkPassword` also counts bytes. */
export const NewPassword = Type.String({
  minLength: SHORTEST,
  maxLength: MAX_BYTES,
  problem: `must have at least ${SHORTEST} characters, and at most ${MAX_BYTES} bytes`,
});

/** The hash of a password that nobody has, at the cost above. */
export const DUMMY_HASH =
  "$argon2id$v=19$m=19456,t=2,p=1$K/p+w1qoDcqUbbX5743jmCLbYRdDTmI24SplBAKW948$iZjDk5cc5Bk8O1knrDx/jwlD1hYwkJGikGXk0VKw3hQ";

/** Throws HubError `invalid`; never repeats the password. */
export function checkPassword(password: string): void {
  if ([...password].length < SHORTEST) {
    throw new HubError("invalid", `the password is too short: it needs at least ${SHORTEST} characters`);
  }
  if (Buffer.byteLength(password) > MAX_BYTES) {
    throw new HubError("invalid", `the password is too long: at most ${MAX_BYTES} bytes`);
  }
}

/** Which password hash it is, for keeping what is known about it elsewhere. */
export function fingerprintOf(passwordHash: string): string {
  return createHash("sha256").update(passwordHash).digest("hex");
}

export function createPasswords(): Passwords {
  const semaphore = createSemaphore(AT_ONCE, MAX_WAITING);
  return {
    async hash(password) {
      checkPassword(password);
      return semaphore(() => Bun.password.hash(canonical(password), COST));
    },
    async verify(password, hash) {
      const acceptable = password !== "" && Buffer.byteLength(password) <= MAX_BYTES;
      const known = acceptable && hash !== undefined;
      const same = await semaphore(() =>
        Bun.password.verify(acceptable ? canonical(password) : "nobody", known ? hash : DUMMY_HASH),
      );
      return known && same;
    },
  };
}

// The same "é" is one character from one keyboard and two from another.
function canonical(password: string): string {
  return password.normalize("NFC");
}

/** Runs at most `atOnce` tasks at a time; refuses when `maxWaiting` wait already. */
function createSemaphore(atOnce: number, maxWaiting: number): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async function runBounded(task) {
    if (running < atOnce) running++;
    else if (waiting.length >= maxWaiting) {
      throw new HubError("unavailable", "too many logins at once; try again in a moment", {
        details: { retryAfterSecs: 2 },
      });
    } else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await task();
    } finally {
      // Handed straight to the next in the queue, so that no newcomer overtakes it.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
