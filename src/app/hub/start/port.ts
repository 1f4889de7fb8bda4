// A part as others take it before it is there: its port is made first, and refuses until the part is attached. A safe start is a
// composition of fewer parts, so the ports of the others refuse for as long as the hub runs.
import type { Refuse } from "./part-starter.ts";

export interface Port<T extends object> {
  /** For those that can do without it. */
  readonly now: T | undefined;
  /** For those that cannot. Throws HubError `unavailable` while the hub is starting, `part_off` where the part is off. */
  get(): T;
  attach(part: T): void;
}

/** What has nothing but methods, however deep. */
type Methods<T> = {
  [K in keyof T]: NonNullable<T[K]> extends (...given: never) => unknown
    ? T[K]
    : T[K] extends object
      ? Methods<T[K]>
      : never;
};

export function createPort<T extends object>(refuse: Refuse): Port<T> {
  let attached: T | undefined;
  return {
    get now() {
      return attached;
    },
    get: () => attached ?? refuse(),
    attach(part) {
      attached = part;
    },
  };
}

/** The part, for those that take it whole; where it is off, each of its methods refuses. To be called when all are attached. */
export function partOf<T extends Methods<T>>({ now, get }: Port<T>): T {
  return now ?? refusing(get);
}

/** Each method of it refuses, and so does each of what it has. */
export function refusing<T extends Methods<T>>(refuse: () => unknown): T {
  const all: unknown = new Proxy(refuse, {
    get: (_, key) => (typeof key === "string" && key !== "then" ? all : undefined),
  });
  return all as T;
}
