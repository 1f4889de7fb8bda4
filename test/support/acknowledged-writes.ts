// What was acknowledged, by key, and what was asked for without an answer: after a crash one of the two must be there.

export interface AcknowledgedWrites<T> {
  /** Does it; notes what was wanted before, and that it was acknowledged when `act` resolves with true. */
  write(key: string, wanted: T | undefined, act: () => Promise<boolean>): Promise<boolean>;
  /** Throws unless what is there now is what was acknowledged, or what was asked for last. From now on it is known. */
  check(found: ReadonlyMap<string, T>): void;
  /** What is known to be there. */
  known(): ReadonlyMap<string, T>;
  readonly acknowledged: number;
}

/** `what` names them in errors. Values are compared as JSON. */
export function createAcknowledgedWrites<T>(what: string): AcknowledgedWrites<T> {
  const known = new Map<string, T>();
  const asked = new Map<string, T | undefined>();
  let acknowledged = 0;

  function note(key: string, value: T | undefined): void {
    if (value === undefined) known.delete(key);
    else known.set(key, value);
  }

  return {
    async write(key, wanted, act) {
      asked.set(key, wanted);
      if (!(await act())) return false;
      note(key, wanted);
      asked.delete(key);
      acknowledged++;
      return true;
    },
    check(found) {
      for (const key of new Set([...known.keys(), ...asked.keys(), ...found.keys()])) {
        const there = found.get(key);
        const right = [known.get(key), ...(asked.has(key) ? [asked.get(key)] : [])].map((one) => JSON.stringify(one));
        if (!right.includes(JSON.stringify(there)))
          throw new Error(`${what} "${key}" is ${JSON.stringify(there)}, not ${right.join(" or ")}`);
        note(key, there);
      }
      asked.clear();
    },
    known: () => known,
    get acknowledged() {
      return acknowledged;
    },
  };
}
