// The exports as the rest of the hub sees them.
import { HubError } from "../../kit/schema/errors.ts";

export interface ExportInfo {
  name: string;
  kind: "line_protocol" | "postgres";
  /** Host and port. */
  target: string;
  state: "running" | "behind" | "failing" | "off";
  /** Everything recorded before is sent, but for the backfills; epoch ms, undefined where it does not run. */
  sentUntil: number | undefined;
  lagMs: number;
  /** Still to be sent besides, in epoch ms. */
  backfills: { from: number; to: number }[];
  /** Samples, over restarts. */
  sent: number;
  /** Refused by the service for good. */
  dropped: number;
  /** Removed by the history before they could be sent. */
  lost: number;
  problem: string | undefined;
  /** Epoch ms. */
  problemSince: number | undefined;
  /** Whether the hub reads from there what its own history has removed. */
  read: boolean;
}

export interface ExportProblem {
  name: string;
  /** What its last try said. */
  why: string | undefined;
  /** Set while it is so far behind that people should know. */
  lagMinutes: number | undefined;
  /** Samples that did not get there, where some were lost in the last day. */
  lost: number;
}

export interface Exports extends AsyncDisposable {
  list(): ExportInfo[];
  /**
   * Sends what is recorded from `from` to `to` (epoch ms; all of it where absent). Throws HubError: `not_found`, `conflict` where
   * the export is off, `unavailable` where there is no history.
   */
  backfill(name: string, stretch: { from?: number | undefined; to?: number | undefined }): Promise<ExportInfo>;
  problems(): ExportProblem[];
}

/** Where hub.toml has no exports. */
export const noExports: Exports = {
  list: () => [],
  async backfill(name) {
    throw new HubError("not_found", `there is no export "${name}": hub.toml has no [[history.export]]`);
  },
  problems: () => [],
  async [Symbol.asyncDispose]() {},
};
