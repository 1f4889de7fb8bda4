// Which bridge speaks for what several of them announce: the first, unless it is offline and another of its account is not, as
// after a change of its base topic.

export interface Claimant {
  readonly account: string;
  readonly isOffline: boolean;
}

/** How a claimant learns of its claim. */
export interface Claim<T> {
  claimant: T;
  /** It may have become free. */
  retry(): void;
  /** Another one has taken it over. */
  lose(): void;
}

export class Claims<T extends Claimant> {
  /** By what is claimed: the address of a device, … */
  readonly #held = new Map<string, Claim<T>>();
  readonly #waiting = new Map<string, Map<T, Claim<T>>>();

  /** The one that has it instead; undefined where it is theirs now. */
  take(thing: string, claim: Claim<T>): T | undefined {
    const held = this.#held.get(thing);
    if (held && held.claimant !== claim.claimant) {
      if (!givesWay(held.claimant, claim.claimant)) {
        const waiting = this.#waiting.get(thing) ?? new Map<T, Claim<T>>();
        this.#waiting.set(thing, waiting.set(claim.claimant, claim));
        return held.claimant;
      }
      held.lose();
    }
    this.#stopWaiting(thing, claim.claimant);
    this.#held.set(thing, claim);
    return undefined;
  }

  /** It is announced no more. */
  release(thing: string, claimant: T): void {
    this.#stopWaiting(thing, claimant);
    if (this.#held.get(thing)?.claimant !== claimant) return;
    this.#held.delete(thing);
    // The device belongs to the account that had it.
    const waiting = [...(this.#waiting.get(thing)?.values() ?? [])];
    const isSame = (one: Claim<T>): boolean => one.claimant.account === claimant.account;
    for (const one of [...waiting.filter(isSame), ...waiting.filter((other) => !isSame(other))]) one.retry();
  }

  /** Lets others take over from one that has gone offline. */
  wentOffline(claimant: T): void {
    for (const [thing, waiting] of [...this.#waiting])
      if (this.#held.get(thing)?.claimant === claimant) for (const one of [...waiting.values()]) one.retry();
  }

  #stopWaiting(thing: string, claimant: T): void {
    const waiting = this.#waiting.get(thing);
    waiting?.delete(claimant);
    if (waiting?.size === 0) this.#waiting.delete(thing);
  }
}

function givesWay(holder: Claimant, other: Claimant): boolean {
  return holder.isOffline && !other.isOffline && holder.account === other.account;
}
