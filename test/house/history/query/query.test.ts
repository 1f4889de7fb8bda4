// Queries against a naive model: a plain list of everything that was recorded.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { examples } from "../../../support/examples.ts";
import { createTemporaryFolder } from "../../../support/temporary-folder.ts";
import { createStoreRig, type Item, type StoreRig, T0 } from "../store-rig.ts";

interface Change {
  attribute: string;
  at: number;
  value: unknown;
}

type Step =
  | { kind: "record"; attribute: string; stepMs: number; value: unknown }
  | { kind: "flush" | "compact" | "reopen" };

const value = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }).map((x) => x + 0),
  fc.boolean(),
  fc.string({ unit: "binary", maxLength: 5 }),
  fc.constant(undefined),
  fc.constantFrom({ a: 1 }, [1, "x"]),
);
const record = fc.record({
  kind: fc.constant("record" as const),
  attribute: fc.constantFrom("a", "b", "c"),
  // Mostly later, sometimes at the same time, sometimes earlier.
  stepMs: fc.oneof({ weight: 6, arbitrary: fc.nat(50) }, fc.constant(0), fc.integer({ min: -200, max: 0 })),
  value,
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: record },
  fc.record({ kind: fc.constantFrom("flush" as const, "compact" as const, "reopen" as const) }),
);

/** Runs the steps. Returns what was recorded, in order of time; changes of one millisecond in order of arrival. */
function play(rig: StoreRig, steps: readonly Step[]): Change[] {
  const changes: Change[] = [];
  let at = T0;
  for (const one of steps) {
    if (one.kind === "record") {
      at += one.stepMs;
      rig.record(one.attribute, at, one.value);
      changes.push({ attribute: one.attribute, at, value: one.value === undefined ? null : one.value });
    } else rig[one.kind]();
  }
  return changes.sort((x, y) => x.at - y.at || (x.attribute < y.attribute ? -1 : x.attribute > y.attribute ? 1 : 0));
}

const plain = ({ timestamp, attribute, value }: Item): Change => ({ at: Date.parse(timestamp), attribute, value });

function withRig(check: (rig: StoreRig) => void): void {
  using folder = createTemporaryFolder();
  const rig = createStoreRig({ path: folder.at("history.db") });
  check(rig);
  rig.store.close(rig.at);
}

test("page by page nothing is lost or doubled, whatever the page size and wherever the samples are", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 7 }), (steps, limit) =>
      withRig(function pageThrough(rig) {
        const changes = play(rig, steps);
        const found: Change[] = [];
        for (let from: number | undefined = 0; from !== undefined; ) {
          const page = rig.page({ from, limit });
          found.push(...page.items.map(plain));
          expect(page.next ?? Number.POSITIVE_INFINITY).toBeGreaterThan(from);
          from = page.next;
        }
        expect(found).toEqual(changes);
      }),
    ),
    { numRuns: examples(60) },
  );
});

test("a period has its changes, and first the values from before it", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 50 }), fc.nat(600), fc.nat(600), (steps, begin, length) =>
      withRig(function askForPeriod(rig) {
        const changes = play(rig, steps);
        const [from, to] = [T0 - 100 + begin, T0 - 100 + begin + length];
        const initial = ["a", "b", "c"]
          .flatMap((name) => changes.findLast(({ attribute, at }) => attribute === name && at < from) ?? [])
          .filter(({ value }) => value !== null)
          .sort((x, y) => x.at - y.at);
        const within = changes.filter(({ at }) => at >= from && at < to);
        expect(rig.ask({ from, to, initial: true }).map(plain)).toEqual([...initial, ...within]);
      }),
    ),
    { numRuns: examples(60) },
  );
});

test("buckets weight each value by how long it lasted", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 50 }), fc.nat(300), (steps, begin) =>
      withRig(function compareNaively(rig) {
        const changes = play(rig, steps).filter(({ attribute }) => attribute === "a");
        const [from, to, bucketMs] = [T0 - 100 + begin, T0 + 1000, 250];
        rig.at.now = to;
        const ask = (aggregate: "avg" | "min" | "max" | "last" | "count") =>
          rig.ask({ attributes: ["a"], from, to, bucketMs, aggregate });
        const number = (x: unknown): number | undefined =>
          typeof x === "number" ? x : typeof x === "boolean" ? Number(x) : undefined;
        for (const [index, { timestamp, value, count }] of ask("avg").entries()) {
          const start = Math.max(from, Date.parse(timestamp));
          const end = Math.min(to, Date.parse(timestamp) + bucketMs);
          const values: number[] = [];
          // Millisecond by millisecond.
          for (let ms = start; ms < end; ms++) {
            const current = number(changes.findLast(({ at }) => at <= ms)?.value);
            if (current !== undefined) values.push(current);
          }
          const inside = changes.filter(({ at }) => at >= start && at < end);
          expect(count).toBe(inside.length);
          expect(ask("count")[index]?.value).toBe(inside.length);
          expect(ask("last")[index]?.value).toEqual(changes.findLast(({ at }) => at < end)?.value);
          const all = [...values, ...inside.flatMap((one) => number(one.value) ?? [])];
          expect(ask("min")[index]?.value).toBe(all.length > 0 ? Math.min(...all) : null);
          expect(ask("max")[index]?.value).toBe(all.length > 0 ? Math.max(...all) : null);
          if (values.length === 0) expect(value).toBeNull();
          else
            expect(value).toBeCloseTo(
              values.reduce((sum, x) => sum + x / values.length, 0),
              3,
            );
        }
        const first = changes[0]?.at ?? to;
        expect(ask("avg")).toHaveLength(
          Math.max(0, Math.ceil(to / bucketMs) - Math.floor(Math.max(from, first) / bucketMs)),
        );
      }),
    ),
    { numRuns: examples(40) },
  );
});

test("the mean of the largest numbers is finite", () => {
  withRig(function askForMean(rig) {
    rig.record("a", T0, 1.7e308);
    rig.record("a", T0 + 600, -1.7e308);
    rig.at.now = T0 + 1000;
    const [bucket] = rig.ask({ from: T0, to: T0 + 1000, bucketMs: 1000 });
    expect(bucket?.value).toBeCloseTo(0.34e308, -300);
  });
});
