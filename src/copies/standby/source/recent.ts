// What a standby may say that it has: the last few things that it was notified of, by their ids.

export interface Recent<T> {
  get(id: string): T | undefined;
  add(id: string, value: T): void;
}

// An answer may get lost on its way: then the standby still has the one before.
const MOST = 4;

export function createRecent<T>(): Recent<T> {
  const known = new Map<string, T>();
  return {
    get: (id) => known.get(id),
    add(id, value) {
      known.delete(id);
      known.set(id, value);
      const [oldest] = known.keys();
      if (known.size > MOST && oldest !== undefined) known.delete(oldest);
    },
  };
}
