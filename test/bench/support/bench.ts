// What a benchmark is: a name and a function that answers rows of the table.

export interface Row {
  /** What was measured, with its unit: `deliveries/s, no filters`. */
  name: string;
  hub: number;
  /** The same work done by bare parts in the same run; undefined where only an absolute target counts. */
  twin: number | undefined;
  /** hub : twin for rates, twin : hub for costs, so that more is always better for the hub. */
  ratio: number | undefined;
  /** As text for the table; undefined for figures that are only shown. */
  target: string | undefined;
  met: boolean | undefined;
}

export interface BenchContext {
  /** A private copy of the compiled hub. */
  binary: string;
  /** An empty folder of this benchmark. */
  folder: string;
  /** Fewer rounds, and without what only explains a figure: for `light.ts`. */
  brief: boolean;
  /** Of what is random. */
  seed: number;
  /** Reports what goes on, between the tables. */
  say: (line: string) => void;
}

export interface Bench {
  name: string;
  run(context: BenchContext): Promise<Row[]>;
}

/** A row for a rate (more is better). */
export function rate(name: string, hub: number, twin: number, atLeast?: number): Row {
  return compared({ name, hub, twin, ratio: hub / twin }, atLeast);
}

/** A row for a cost (less is better); the ratio is turned over. */
export function cost(name: string, hub: number, twin: number, atLeast?: number): Row {
  return compared({ name, hub, twin, ratio: twin / hub }, atLeast);
}

/** A row with an absolute ceiling. */
export function atMost(name: string, hub: number, twin: number | undefined, ceiling: number, unit: string): Row {
  return {
    name,
    hub,
    twin,
    ratio: twin === undefined ? undefined : twin / hub,
    target: `≤ ${ceiling} ${unit}`,
    met: hub <= ceiling,
  };
}

/** A row that holds or does not: 1 or 0. */
export function holds(name: string, met: boolean): Row {
  return { name, hub: met ? 1 : 0, twin: undefined, ratio: undefined, target: "= 1", met };
}

function compared(row: { name: string; hub: number; twin: number; ratio: number }, atLeast: number | undefined): Row {
  return {
    ...row,
    target: atLeast === undefined ? undefined : `ratio ≥ ${atLeast}`,
    met: atLeast === undefined ? undefined : row.ratio >= atLeast,
  };
}
