// What the things that people make have in common: how they are listed, made, changed and removed, and the bounded map that
// holds those of one kind in memory.
import { HubError } from "../../kit/schema/errors.ts";

/** Throws HubError: `not_found`, `invalid`, `too_large`, or `conflict` for a taken id or where a limit is reached. */
export interface Crud<T, New, Edit> {
  list(): T[];
  get(id: string): T;
  create(item: New): T;
  edit(id: string, edit: Edit): T;
  remove(id: string): void;
}

export function notFound(kind: string, id: string): HubError {
  return new HubError("not_found", `there is no ${kind} "${id}"`);
}

export function idTaken(id: string): HubError {
  return new HubError("conflict", `the id "${id}" is already taken; choose another id`);
}

export function tooMany(kind: string, most: number): HubError {
  return new HubError("conflict", `there are ${most} ${kind}s: remove some`);
}

export interface CollectionLimits {
  most: number;
  /** Of all items together. */
  maxBytes?: number;
}

/** Items of one kind by id, in the order in which they were added. */
export class Collection<T> {
  readonly #kind: string;
  readonly #most: number;
  readonly #maxBytes: number;
  readonly #entries = new Map<string, { item: T; bytes: number }>();
  #bytes = 0;

  /** `kind` is the word in messages, such as "scene". */
  constructor(kind: string, { most, maxBytes = Number.POSITIVE_INFINITY }: CollectionLimits) {
    this.#kind = kind;
    this.#most = most;
    this.#maxBytes = maxBytes;
  }

  ids(): string[] {
    return [...this.#entries.keys()];
  }

  list(): T[] {
    return [...this.#entries.values()].map(({ item }) => item);
  }

  has(id: string): boolean {
    return this.#entries.has(id);
  }

  find(id: string): T | undefined {
    return this.#entries.get(id)?.item;
  }

  /** Throws HubError `not_found`. */
  get(id: string): T {
    const entry = this.#entries.get(id);
    if (!entry) throw notFound(this.#kind, id);
    return entry.item;
  }

  /** Throws HubError `conflict` if it does not fit. An item that replaces a larger one always fits. */
  checkLimits(id: string, bytes = 0): void {
    const entry = this.#entries.get(id);
    if (!entry && this.#entries.size >= this.#most) throw tooMany(this.#kind, this.#most);
    const more = bytes - (entry?.bytes ?? 0);
    if (more <= 0 || this.#bytes + more <= this.#maxBytes) return;
    throw new HubError("conflict", `all ${this.#kind}s together may take ${this.#maxBytes} bytes: remove some`);
  }

  set(id: string, item: T, bytes = 0): void {
    this.#bytes += bytes - (this.#entries.get(id)?.bytes ?? 0);
    this.#entries.set(id, { item, bytes });
  }

  delete(id: string): void {
    this.#bytes -= this.#entries.get(id)?.bytes ?? 0;
    this.#entries.delete(id);
  }
}
