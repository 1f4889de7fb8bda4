// The hub's own status: GET /health and GET /system/status.
import { statSync } from "node:fs";
import { type Static, Type } from "@sinclair/typebox";
import type { WriteBudget } from "../../kit/files/write-budget.ts";
import { type Clock, isoSeconds } from "../../kit/time/clock.ts";
import type { Home } from "../home/paths.ts";
import { TwoMachines } from "./two-machines.ts";

const Count = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description });

export const SystemStatus = Type.Object({
  version: Type.String(),
  started_at: Type.String({ description: "UTC" }),
  uptime_secs: Type.Integer(),
  devices: Type.Integer({ description: "Number of devices" }),
  rules: Type.Integer({ description: "Number of rule files" }),
  plugins: Type.Integer({ description: "Number of plugins" }),
  plugins_unconfined: Type.Integer({ description: "How many of those the hub runs may read what the hub can" }),
  memory_bytes: Type.Integer({ description: "Resident set of the hub's own process" }),
  state_db_bytes: Type.Integer(),
  history_db_bytes: Type.Integer(),
  last_backup: Type.Union([Type.String(), Type.Null()]),
  last_restore: Type.Unknown({ description: "Since the start: when, whether it went well, and what was counted" }),
  events_seq: Type.Integer({ description: "seq of the newest event" }),
  stream_clients: Type.Integer(),
  mqtt_clients: Type.Integer(),
  storage_failing_since: Type.Union([Type.String(), Type.Null()], {
    description: "Since when device state cannot be written to disk",
  }),
  disk: Type.Object({
    written_bytes: Count("Written to disk by this process since its start; null where the system does not count"),
    written_bytes_last_day: Count("The same over the last 24 hours"),
    limit_bytes_per_day: Count("[storage] max_write_mb_per_day"),
    sparing: Type.Boolean({ description: "The limit is reached: readings are written less often" }),
  }),
  history: Type.Object({
    recording: Type.Boolean(),
    samples_recorded: Type.Integer({ description: "Since the start" }),
    samples_dropped: Type.Integer({ description: "Since the start: what could not be kept" }),
  }),
  safe_start: Type.Union(
    [
      Type.Object({
        since: Type.String({ description: "UTC" }),
        failed_part: Type.String({ description: "What failed; `unknown` where the hub died without an error" }),
        error: Type.String(),
        off: Type.Array(Type.String(), { description: "The parts that are off" }),
        parts: Type.Array(
          Type.Object({
            part: Type.String(),
            why: Type.String(),
            next_try: Type.String({ description: "When the hub tries it again by itself; UTC" }),
          }),
          { description: "The same, with the reason of each" },
        ),
      }),
      Type.Null(),
    ],
    { description: "Why some parts are off, after failed starts; null where none is" },
  ),
  standby: Type.Union([TwoMachines, Type.Null()], {
    description: "The second machine of the house, and the lease; null in a house with one",
  }),
  place: Type.Object(
    {
      timezone: Type.String({ description: "IANA name; all local times of the house are in it" }),
      latitude: Type.Union([Type.Number(), Type.Null()]),
      longitude: Type.Union([Type.Number(), Type.Null()]),
    },
    { description: "Where the house is, to a tenth of a degree: enough to distinguish day from night" },
  ),
  problems: Type.Array(Type.Object({ part: Type.String(), message: Type.String() }), {
    description: "What is not as it should be now, and the mend",
  }),
});
export type SystemStatus = Static<typeof SystemStatus>;

/** Cheap to compute, because it is requested often and by everybody. */
export const Health = Type.Object({
  status: Type.Union([Type.Literal("ok"), Type.Literal("degraded")], {
    description: "`degraded`: this is a safe start, some parts of the hub are off; see safe_start of /system/status",
  }),
  version: Type.String(),
  uptime_secs: Type.Integer(),
  ready: Type.Boolean({ description: "Databases, broker and rules are up, and plugins are started: no part is off" }),
  degraded: Type.Array(Type.String(), { description: "Kinds of the alerts that last; see /system/alerts" }),
});
export type Health = Static<typeof Health>;

export interface HealthSources {
  version: string;
  clock: Clock;
  /** Whether no part is off. */
  isWhole: boolean;
  /** Whether all that is to start has started. */
  started(): boolean;
  degraded(): readonly string[];
}

export function createHealth({ version, clock, isWhole, started, degraded }: HealthSources): () => Health {
  const begun = clock.mono();
  return () => ({
    status: isWhole ? "ok" : "degraded",
    version,
    uptime_secs: Math.floor((clock.mono() - begun) / 1000),
    ready: isWhole && started(),
    degraded: [...degraded()],
  });
}

export interface StatusSources {
  health: () => Pick<Health, "version" | "uptime_secs">;
  clock: Clock;
  home: Home;
  devices(): number;
  rules(): number;
  plugins(): number;
  pluginsUnconfined(): number;
  eventsSeq(): number;
  streamClients(): number;
  mqttClients(): number;
  storageFailingSince(): number | undefined;
  disk: Pick<WriteBudget, "written" | "writtenLastDay" | "sparing">;
  diskLimitBytesPerDay: number | undefined;
  history(): { recording: boolean; problem: string | undefined; samplesRecorded: number; samplesDropped: number };
  lastBackup(): string | null;
  lastRestore(): unknown;
  /** [location] of the configuration. */
  location: { latitude?: number | undefined; longitude?: number | undefined };
  timezone(): string;
  safeStart: Exclude<SystemStatus["safe_start"], null> | undefined;
  standby(): TwoMachines | undefined;
  /** Of the parts that report their own. */
  problems(): { part: string; message: string }[];
}

export function createStatus(sources: StatusSources): () => SystemStatus {
  const { health, clock, home } = sources;
  const startedAt = clock.now();
  return function status() {
    const failing = sources.storageFailingSince();
    const history = sources.history();
    const { version, uptime_secs } = health();
    return {
      version,
      uptime_secs,
      started_at: isoSeconds(startedAt),
      devices: sources.devices(),
      rules: sources.rules(),
      plugins: sources.plugins(),
      plugins_unconfined: sources.pluginsUnconfined(),
      memory_bytes: process.memoryUsage.rss(),
      state_db_bytes: databaseBytes(home.stateDb),
      history_db_bytes: databaseBytes(home.historyDb),
      last_backup: sources.lastBackup(),
      last_restore: sources.lastRestore(),
      events_seq: sources.eventsSeq(),
      stream_clients: sources.streamClients(),
      mqtt_clients: sources.mqttClients(),
      storage_failing_since: failing === undefined ? null : isoSeconds(failing),
      disk: {
        written_bytes: sources.disk.written() ?? null,
        written_bytes_last_day: sources.disk.writtenLastDay() ?? null,
        limit_bytes_per_day: sources.diskLimitBytesPerDay ?? null,
        sparing: sources.disk.sparing,
      },
      history: {
        recording: history.recording,
        samples_recorded: history.samplesRecorded,
        samples_dropped: history.samplesDropped,
      },
      safe_start: sources.safeStart ?? null,
      standby: sources.standby() ?? null,
      place: {
        timezone: sources.timezone(),
        latitude: roughly(sources.location.latitude),
        longitude: roughly(sources.location.longitude),
      },
      problems: [
        ...(failing === undefined
          ? []
          : [{ part: "storage", message: "device state cannot be written; free some space" }]),
        ...(history.problem === undefined ? [] : [{ part: "history", message: history.problem }]),
        ...sources.problems(),
      ],
    };
  };
}

/** Guests read it as well. */
function roughly(degrees: number | undefined): number | null {
  return degrees === undefined ? null : Math.round(degrees * 10) / 10;
}

/** With its log. */
function databaseBytes(path: string): number {
  return [path, `${path}-wal`].reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
}
