// What a plot draws of recorded samples: values that last, gaps that stay gaps, states as stretches.
import { beforeAll, describe, expect, test } from "bun:test";

interface Sample {
  at: number;
  value: unknown;
}
interface Window {
  from: number;
  to: number;
}
interface PlotData {
  drawn: (
    tracks: readonly object[],
    window: Window,
    outages: readonly Window[],
  ) => { times: number[]; lines: { values: (number | null)[] }[] };
  sampleAt: (samples: readonly Sample[], at: number, outages?: readonly Window[]) => Sample | undefined;
  stretchesOf: (
    samples: readonly Sample[],
    window: Window,
    options: { outages: readonly Window[]; shortestMs: number },
  ) => (Window & { value: unknown; isBusy: boolean })[];
}

let plot: PlotData;
// By a computed name: the page is checked with the types of browsers, and this test is not.
beforeAll(async () => {
  const page = "../../src/page";
  plot = (await import(`${page}/model/plot/plot-data.ts`)) as PlotData;
});

const line = (...samples: [number, unknown][]) => ({
  name: "x",
  kind: "line",
  samples: samples.map(([at, value]) => ({ at, value })),
});

describe("lines", () => {
  test("a value from before the time lasts into it, and all lines have a value at each moment", () => {
    const { times, lines } = plot.drawn([line([0, 1], [6000, 2]), line([3000, 9])], { from: 2000, to: 8000 }, []);
    expect(times).toEqual([2, 3, 6, 8]);
    expect(lines.map(({ values }) => values)).toEqual([
      [1, 1, 2, 2],
      [null, 9, 9, 9],
    ]);
  });

  test.each([
    ["was removed", null],
    ["is text", "21"],
    ["is beyond all scales", 1e308],
    ["is a list", [1]],
  ])("what %s is a gap", (_, value) => {
    const { lines } = plot.drawn([line([0, 1], [1000, value], [2000, 3])], { from: 0, to: 3000 }, []);
    expect(lines[0]?.values).toEqual([1, 1, null, 3, 3]);
  });

  test("nothing is drawn while the device could not be reached", () => {
    const outage = { from: 1000, to: 2000 };
    const { times, lines } = plot.drawn([line([0, 1])], { from: 0, to: 3000 }, [outage]);
    expect(times).toEqual([0, 0.999, 1, 2, 3]);
    expect(lines[0]?.values).toEqual([1, 1, null, 1, 1]);
    expect(plot.sampleAt([{ at: 0, value: 1 }], 1500, [outage])).toBeUndefined();
  });

  test("at a moment counts the last sample that is not later", () => {
    const { samples } = line([10, "a"], [20, "b"], [30, "c"]);
    expect([5, 10, 19, 20, 99].map((at) => plot.sampleAt(samples, at)?.value)).toEqual([undefined, "a", "a", "b", "c"]);
  });
});

describe("states", () => {
  const window = { from: 0, to: 100 };
  const states = (samples: [number, unknown][], outages: Window[] = [], shortestMs = 0) =>
    plot.stretchesOf(line(...samples).samples, window, { outages, shortestMs });

  test("last until the next; equal ones are one; what was removed is a gap", () => {
    expect(
      states([
        [-5, true],
        [10, true],
        [20, false],
        [30, null],
        [40, "x"],
      ]),
    ).toEqual([
      { from: 0, to: 20, value: true, isBusy: false },
      { from: 20, to: 30, value: false, isBusy: false },
      { from: 40, to: 100, value: "x", isBusy: false },
    ]);
  });

  test("are interrupted while the device could not be reached", () => {
    expect(states([[0, true]], [{ from: 40, to: 60 }]).map(({ from, to }) => [from, to])).toEqual([
      [0, 40],
      [60, 100],
    ]);
  });

  test("too many to distinguish are one busy stretch", () => {
    const flicker = Array.from({ length: 50 }, (_, at): [number, unknown] => [at, at % 2 === 0]);
    const found = states([...flicker, [50, true]], [], 5);
    expect(found.map(({ from, to, isBusy }) => [from, to, isBusy])).toEqual([
      [0, 50, true],
      [50, 100, false],
    ]);
  });
});
