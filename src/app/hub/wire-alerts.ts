// Wires the alerts: what the hub watches of itself, and who is notified.
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { readLastBackup } from "../../copies/backup/last-backup.ts";
import type { Calendars } from "../../house/calendars/calendars.ts";
import { probeStorage } from "../../kit/files/storage-fault.ts";
import { localText } from "../../kit/text/formats.ts";
import { PRIORITIES } from "../../kit/text/message-words.ts";
import type { Exports } from "../../reach/export/running.ts";
import type { BrokerState } from "../../reach/mqtt/external/broker-state.ts";
import { type AlertMemory, type Alerts, startAlerts } from "../../server/alerts/alerts.ts";
import { backupWatch } from "../../server/alerts/watches/backups.ts";
import { type BrokerTrouble, brokerWatch } from "../../server/alerts/watches/broker.ts";
import { calendarWatch } from "../../server/alerts/watches/calendars.ts";
import { clockWatch, EARLIEST_MS } from "../../server/alerts/watches/clock.ts";
import { diskWatch } from "../../server/alerts/watches/disk.ts";
import { exchangedWatch } from "../../server/alerts/watches/exchanged.ts";
import { exportWatch } from "../../server/alerts/watches/exports.ts";
import { partsOffWatch } from "../../server/alerts/watches/parts-off.ts";
import { pluginWatch } from "../../server/alerts/watches/plugins.ts";
import {
  certificateWatch,
  floodWatch,
  guessingWatch,
  historyWatch,
  memoryWatch,
  startWatch,
} from "../../server/alerts/watches/process.ts";
import { renamedAttributesWatch } from "../../server/alerts/watches/renamed-attributes.ts";
import { standbyWatch } from "../../server/alerts/watches/standby.ts";
import { createMeta, type Meta } from "../../server/db/meta.ts";
import { timezoneOf } from "../config/location.ts";
import type { HubOptions } from "./options.ts";
import type { PartStarter } from "./start/part-starter.ts";
import type { Ports } from "./start/ports.ts";
import { type TwoMachinesView, watchedMachines } from "./two-machines.ts";
import type { Archives } from "./wire-backup.ts";
import type { House } from "./wire-house.ts";
import type { Stores } from "./wire-stores.ts";

const MEMORY_KEY = "alerts";
const HOUSE_SINCE_KEY = "house_since";
const DAY_MS = 86_400_000;

export function wireAlerts(
  { config, home, platform, log, logProblem, version }: HubOptions,
  {
    db,
    feed,
    budget,
    limits,
    auth,
    findings,
    trouble,
    notify,
    history,
    sampling,
    backups,
    remote,
    plugins,
    calendars,
    exports,
    rules,
    starter,
    mqtt,
    twoMachines,
  }: Stores &
    Pick<Archives, "remote"> &
    Pick<House, "history" | "sampling"> &
    Pick<Ports, "mqtt" | "notify" | "rules" | "plugins" | "backups"> & {
      calendars: Pick<Calendars, "problems">;
      exports: Pick<Exports, "problems">;
      starter: Pick<PartStarter, "isOff" | "offParts">;
      twoMachines: TwoMachinesView;
    },
): Alerts {
  const { clock } = platform;
  const { alerts: section, server } = config;
  const { channel } = section;
  const meta = createMeta(db);
  const expiresAt = certificateExpiry(server.tls_cert === undefined ? undefined : home.resolve(server.tls_cert));
  return startAlerts({
    clock,
    log: log.child("alerts"),
    emit: feed.emit,
    async notify({ kind, severity }, title, message) {
      if (!notify.now) return;
      const { notifier, messenger } = notify.now;
      const reachesSomebody = notifier.list().some(({ name }) => name !== "log");
      // A lost database is so bad that it is sent to every channel.
      const to =
        channel ?? (kind === "database_lost" && severity === "critical" && reachesSomebody ? "all" : undefined);
      if (to === undefined) return;
      const context = { deviceId: undefined, trigger: {}, vars: {} };
      // What is critical does not wait for the end of somebody's quiet hours.
      const isForPeople = /^(person|people):/.test(to);
      const priority = isForPeople && severity === "critical" ? PRIORITIES.high : undefined;
      await messenger.enqueue([to], { title, message, context, priority });
    },
    memory: alertMemory(meta),
    watches: [
      startWatch(findings, clock),
      partsOffWatch(starter.offParts, (at) => localText(at, timezoneOf(config.location)).datetime),
      diskWatch({
        folder: home.data,
        freeMb: section.disk_free_mb,
        // Probed only after a write failed: probing without need wears the SD card.
        fault: () => db.copy?.fault ?? trouble.fault() ?? (logProblem?.() ? probeStorage(home.data) : undefined),
        sparing: () => budget.sparing,
        sampled: sampling.now,
      }),
      pluginWatch(() => plugins.now?.list() ?? [], clock),
      backupWatch({
        last: () => readLastBackup(home),
        problem: () => backups.now?.problem(),
        scheduled: config.backup.schedule !== undefined,
        days: section.backup_days,
        clock,
        houseSince: () => houseSince(meta, clock.now()),
        targets: () =>
          (starter.isOff("backup") ? [] : (remote?.list() ?? [])).map(({ config: { name }, state }) => ({
            ...{ name, since: state.since, lastSuccess: state.last_success, failingSince: state.failing_since },
            ...{ problem: state.problem, checkProblem: state.check_problem },
          })),
      }),
      clockWatch(clock),
      memoryWatch(() => process.memoryUsage.rss(), section.memory_mb),
      exchangedWatch([
        { file: "data/state.redb", exchanged: () => db.file?.exchanged() },
        { file: "data/history.db", exchanged: () => history.health().exchanged },
      ]),
      historyWatch(() => history.health().damagedFile, clock),
      floodWatch(limits.problems),
      guessingWatch(auth.logins.guessing),
      exportWatch(exports.problems),
      brokerWatch(() => troubleOf(mqtt.now?.external?.state), clock),
      standbyWatch(watchedMachines(twoMachines, feed.emit), {
        ...{ clock, version, whenAlone: config.standby.when_alone },
      }),
      renamedAttributesWatch(() => rules.now?.renamed.waiting() ?? []),
      calendarWatch(calendars.problems.bind(calendars), clock),
      certificateWatch(() => expiresAt, clock.now, section.certificate_days),
    ],
  });
}

function troubleOf(state: BrokerState | undefined): BrokerTrouble {
  return state && "reason" in state ? state : undefined;
}

function alertMemory(meta: Meta): AlertMemory {
  return {
    load: () => (meta.get(MEMORY_KEY) ?? "").split("\n").filter((line) => line !== ""),
    save: (lines) => meta.set(MEMORY_KEY, lines.join("\n")),
  };
}

/**
 * When this house was first seen, so that the first backup of a new house is not overdue at once. Undefined while the clock
 * is obviously wrong: a Pi that starts years in the past would make a new house an old one.
 */
function houseSince(meta: Meta, now: number): number | undefined {
  const known = Number(meta.get(HOUSE_SINCE_KEY));
  if (known >= EARLIEST_MS && known <= now + DAY_MS) return known;
  if (now < EARLIEST_MS) return undefined;
  try {
    meta.set(HOUSE_SINCE_KEY, String(now));
  } catch {
    // The disk cannot be written; the disk watch reports that.
  }
  return now;
}

function certificateExpiry(file: string | undefined): number | undefined {
  if (file === undefined) return undefined;
  try {
    return Date.parse(new X509Certificate(readFileSync(file)).validTo);
  } catch {
    // The listener reports what is wrong with it.
    return undefined;
  }
}
