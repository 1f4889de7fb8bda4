// What channels of one hub have in common, by name: made by the first that asks for it.

export interface Shared {
  /** Made by the first who asks. */
  get<T extends object>(key: string, make: () => T): T;
}

export function createShared(): Shared {
  const made = new Map<string, object>();
  return {
    get<T extends object>(key: string, make: () => T): T {
      const found = made.get(key) ?? make();
      made.set(key, found);
      return found as T;
    },
  };
}
