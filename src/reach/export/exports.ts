// All exports of hub.toml.
import { readFileSync } from "node:fs";
import type { Fence } from "../../kit/lifecycle/fence.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import { HubError, messageOf } from "../../kit/schema/errors.ts";
import type { RandomBytes } from "../../kit/schema/ids.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { HistoryExport, HistoryExports } from "./config.ts";
import { type Exporter, type ExportSource, startExporter } from "./exporter.ts";
import { openHttpTarget } from "./http-target.ts";
import type { ExportMemory } from "./memory.ts";
import { createPointReader, type DeviceInfo } from "./points.ts";
import { openPostgresTarget } from "./postgres-target.ts";
import type { ExportInfo, Exports } from "./running.ts";
import { createSender } from "./sender.ts";
import type { Target } from "./target.ts";

export interface ExportsOptions {
  config: HistoryExports;
  source: ExportSource;
  /** The oldest sample of the history, in epoch ms. */
  oldest: () => Promise<number>;
  memory: ExportMemory;
  device: DeviceInfo;
  clock: Clock;
  random: RandomBytes;
  fetch: typeof fetch;
  log: Log;
  /** The path of a file that hub.toml names. */
  resolve: (path: string) => string;
  fence?: Fence | undefined;
}

interface Running {
  config: HistoryExport;
  exporter: Exporter | undefined;
  /** Why it does not run. */
  problem: string | undefined;
}

/** How long an alert lasts after samples were lost. */
const LOST_MS = 24 * 3_600_000;

export function startExports(options: ExportsOptions): Exports {
  const { clock } = options;
  const stack = new AsyncDisposableStack();
  const all = options.config.map((config): Running => {
    if (!config.enabled) return { config, exporter: undefined, problem: undefined };
    try {
      const target = stack.use(openTarget(config, options));
      return { config, exporter: stack.use(startOne(config, target, options)), problem: undefined };
    } catch (error) {
      const problem = messageOf(error);
      options.log.error("an export does not run", { export: config.name, error: problem });
      return { config, exporter: undefined, problem };
    }
  });

  function find(name: string): Running {
    const found = all.find(({ config }) => config.name === name);
    if (!found) throw new HubError("not_found", `there is no export "${name}" in [[history.export]] of hub.toml`);
    return found;
  }

  return {
    list: () => all.map(infoOf),
    async backfill(name, { from, to }) {
      const running = find(name);
      const { exporter, problem } = running;
      if (!exporter)
        throw new HubError("conflict", problem ?? `the export "${name}" is off: set enabled = true in hub.toml`);
      const until = Math.min(to ?? Number.POSITIVE_INFINITY, exporter.progress.head, clock.now());
      const since = Math.max(0, from ?? (await options.oldest()));
      if (since < until) exporter.backfill({ from: since, to: until });
      return infoOf(running);
    },
    problems: () =>
      all.map(({ config: { name, alert_minutes }, exporter, problem }) => {
        const lagMs = exporter?.progress.lagMs() ?? 0;
        const isLate = lagMs >= alert_minutes * 60_000;
        const { lostAt } = exporter ?? {};
        const isLossy = lostAt !== undefined && clock.mono() - lostAt < LOST_MS;
        const why = problem ?? exporter?.trouble?.message;
        return {
          ...{ name, why, lagMinutes: problem === undefined && !isLate ? undefined : Math.floor(lagMs / 60_000) },
          lost: isLossy ? (exporter?.counts.lost ?? 0) + (exporter?.counts.dropped ?? 0) : 0,
        };
      }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function infoOf({ config, exporter, problem }: Running): ExportInfo {
  const { name, kind, url, enabled, read } = config;
  const { trouble, progress, counts } = exporter ?? {};
  const { sent = 0, dropped = 0, lost = 0 } = counts ?? {};
  return {
    ...{ name, kind, target: new URL(url).host, read },
    state: !enabled
      ? "off"
      : (problem ?? trouble)
        ? "failing"
        : (progress?.lagMs() ?? 0) > 120_000
          ? "behind"
          : "running",
    sentUntil: progress?.head,
    lagMs: progress?.lagMs() ?? 0,
    backfills: progress?.stretches.map((stretch) => ({ ...stretch })) ?? [],
    ...{ sent, dropped, lost },
    problem: problem ?? trouble?.message,
    problemSince: trouble?.since,
  };
}

function openTarget(config: HistoryExport, { fetch, log, resolve }: ExportsOptions): Target {
  const ca = config.ca === undefined ? undefined : readFileSync(resolve(config.ca), "utf8");
  if (config.kind === "line_protocol") return openHttpTarget({ config, fetch, ca });
  const onNewTable = () =>
    log.info("the table of the export was missing and was made; what is older gets there by `hub export backfill`", {
      ...{ export: config.name, table: config.table },
    });
  return openPostgresTarget({ config, ca, onNewTable });
}

function startOne(config: HistoryExport, target: Target, options: ExportsOptions): Exporter {
  const { source, memory, device, clock, random, log, fence } = options;
  return startExporter({
    ...{ config, source, memory, clock, random, log },
    read: createPointReader(config, device),
    sender: createSender({ target, clock, log, fence }),
  });
}
