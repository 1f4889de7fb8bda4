// Lists for an assistant: a page of them at a time, in the order of their ids.
import { Type } from "@sinclair/typebox";
import type { JsonObject } from "../../kit/schema/json.ts";
import { MAX_ENTRIES, someOf } from "./untrusted.ts";

export const PageInput = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_ENTRIES, description: `At most so many; ${MAX_ENTRIES} where absent` }),
  ),
  after: Type.Optional(
    Type.String({ maxLength: 255, description: "The `next` of the answer before, which had not all of them" }),
  ),
};

export interface Page {
  items: JsonObject[];
  /** Absent on the last. */
  next?: string;
}

export function pageOf<T extends { readonly id: string }>(
  all: readonly T[],
  { after, limit }: { after?: string; limit?: number },
  listed: (one: T) => unknown,
): Page {
  const sorted = all.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const rest = after === undefined ? sorted : sorted.filter(({ id }) => id > after);
  const { items, more } = someOf(Iterator.from(rest).map(listed), limit);
  const last = rest[items.length - 1];
  return { items, ...(more && last && { next: last.id }) };
}
