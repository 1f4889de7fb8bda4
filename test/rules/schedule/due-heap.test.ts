import { expect, test } from "bun:test";
import fc from "fast-check";
import { DueHeap, type Slotted } from "../../../src/rules/schedule/due-heap.ts";
import { examples } from "../../support/examples.ts";

interface Item extends Slotted {
  key: number;
}

test("the first is always the least of what is in it, whatever was put in and taken out", () => {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("push" as const), key: fc.integer({ min: 0, max: 50 }) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove" as const), key: fc.nat() }) },
  );
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 100, size: "max" }), (steps) => {
      const heap = new DueHeap<Item>((a, b) => a.key < b.key);
      const held: Item[] = [];
      for (const { kind, key } of steps) {
        if (kind === "push") {
          const item = { key, slot: -1 };
          heap.push(item);
          held.push(item);
        } else {
          const [item] = held.splice(key % Math.max(1, held.length), 1);
          if (item) heap.remove(item);
          // Taking out what is out changes nothing.
          if (item) heap.remove(item);
        }
        expect(heap.first()?.key ?? -1).toBe(held.length > 0 ? Math.min(...held.map((one) => one.key)) : -1);
      }
      const drained: number[] = [];
      for (let item = heap.first(); item; item = heap.first()) {
        drained.push(item.key);
        heap.remove(item);
      }
      expect(drained).toEqual(held.map(({ key }) => key).sort((a, b) => a - b));
    }),
    { numRuns: examples(1000) },
  );
});
