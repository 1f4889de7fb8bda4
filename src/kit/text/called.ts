// What people call things: found by id, or by name in any spelling. A name that several things share is refused, not guessed.
import { HubError } from "../schema/errors.ts";

export interface Called {
  readonly id: string;
  readonly name: string;
}

/** Names that are equal so are one name: case, spaces, `_` and `-` do not count. */
export function spelled(text: string): string {
  return text
    .normalize("NFC")
    .toLowerCase()
    .replace(/[\s_-]+/g, " ")
    .trim();
}

/** Those with this id, else with exactly this name, else with an id or a name that is only spelled otherwise. */
export function allCalled<T extends Called>(all: readonly T[], text: string): T[] {
  const wanted = spelled(text);
  const ways: ((one: T) => boolean)[] = [
    ({ id }) => id === text,
    ({ name }) => name === text,
    ({ id, name }) => spelled(id) === wanted || spelled(name) === wanted,
  ];
  for (const fits of ways) {
    const found = all.filter(fits);
    if (found.length > 0) return found;
  }
  return [];
}

/** Undefined where there is none. Throws HubError `conflict`, which names the ids, where several are called so; `what` is one of them. */
export function oneCalled<T extends Called>(what: string, all: readonly T[], text: string): T | undefined {
  const found = allCalled(all, text);
  if (found.length <= 1) return found[0];
  throw new HubError("conflict", severalCalled(what, text, found));
}

export function severalCalled(what: string, text: string, found: readonly Called[]): string {
  const ids = found.map(({ id }) => `"${id}"`).join(", ");
  return `more than one ${what} is called "${text.slice(0, 200)}": give one of the ids ${ids}`;
}
