// How long the hub takes, measured where it happens and shown by GET /metrics.
import { createHistogram, type Histogram } from "../../kit/lifecycle/histogram.ts";

export interface Latencies {
  /** By method and class of the status. */
  requests: Histogram;
  /** By plugin. */
  commands: Histogram;
  decisions: Histogram;
  runs: Histogram;
}

const QUICK = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];
const USUAL = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const LONG = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const HOURS = [0.001, 0.01, 0.1, 1, 10, 60, 600, 3600, 21_600];

export function createLatencies(): Latencies {
  return {
    requests: createHistogram(USUAL, ["method", "code"]),
    commands: createHistogram(LONG, ["plugin"]),
    decisions: createHistogram(QUICK),
    runs: createHistogram(HOURS),
  };
}
