// Whoever subscribed is never missed; where nobody did, the answer is no.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { matchesFilter } from "../../../../../src/kit/text/topic-filter.ts";
import { FilterIndex } from "../../../../../src/reach/mqtt/broker/memory/filter-index.ts";

const level = fc.constantFrom("a", "b", "+", "$x", "");
const filter = fc.tuple(fc.array(level, { minLength: 1, maxLength: 3 }), fc.boolean());
const text = filter.map(([levels, open]) => [...levels, ...(open ? ["#"] : [])].join("/"));
const topic = fc.array(fc.constantFrom("a", "b", "$x", ""), { minLength: 1, maxLength: 4 });

test("says the same as trying each filter, whatever came and went", () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 12 }), fc.nat({ max: 12 }), topic, (filters, gone, levels) => {
      const index = new FilterIndex();
      for (const one of filters) index.add(one);
      for (const one of filters.slice(0, gone)) index.remove(one);
      const name = levels.join("/");
      expect(index.mayMatch(name)).toBe(filters.slice(gone).some((one) => matchesFilter(one, name)));
    }),
  );
});

test("a filter of two sessions stays until both have left it", () => {
  const index = new FilterIndex();
  for (const _ of [1, 2]) index.add("a/b");
  index.remove("a/b");
  expect(index.mayMatch("a/b")).toBe(true);
  index.remove("a/b");
  expect(index.mayMatch("a/b")).toBe(false);
});

test("with very many wildcards it does not try each", () => {
  const index = new FilterIndex();
  for (let n = 0; n < 100; n++) index.add(`${n}/+`);
  expect(index.mayMatch("elsewhere")).toBe(true);
});
