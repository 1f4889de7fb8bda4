// How much each account uses of something that is limited for each account and for all accounts together.

export interface ShareBounds {
  /** For one account, in bytes. */
  each: number;
  /** For all accounts together, in bytes. */
  all: number;
}

export interface Shares {
  readonly total: number;
  of(account: string): number;
  /** Which limit so many more bytes would exceed; undefined if they fit. */
  lacks(account: string, bytes: number): "each" | "all" | undefined;
  /** Adds them, whether they fit or not; a negative number releases them. */
  add(account: string, bytes: number): void;
  /** The account that uses the most. */
  greatest(): string | undefined;
}

export function createShares(bounds: ShareBounds): Shares {
  const held = new Map<string, number>();
  let total = 0;
  const of = (account: string): number => held.get(account) ?? 0;

  return {
    get total() {
      return total;
    },
    of,
    lacks(account, bytes) {
      if (bytes <= 0) return undefined;
      if (of(account) + bytes > bounds.each) return "each";
      return total + bytes > bounds.all ? "all" : undefined;
    },
    add(account, bytes) {
      const left = of(account) + bytes;
      total += bytes;
      if (left > 0) held.set(account, left);
      else held.delete(account);
    },
    greatest() {
      let most: string | undefined;
      for (const [account, bytes] of held) if (most === undefined || bytes > of(most)) most = account;
      return most;
    },
  };
}
