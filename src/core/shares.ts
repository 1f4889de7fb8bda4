// What accounts hold of something that is bounded for each of them and for all of them together.

export interface ShareBounds {
  /** Bytes of one account. */
  each: number;
  /** Bytes of all accounts together. */
  all: number;
}

export interface Shares {
  readonly total: number;
  of(account: string): number;
  /** What keeps so many more bytes from fitting; undefined where they fit. */
  lacks(account: string, bytes: number): "each" | "all" | undefined;
  /** Counts them, whether they fit or not; below 0 gives them back. */
  add(account: string, bytes: number): void;
  /** The account that holds the most. */
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
