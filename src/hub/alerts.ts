// What the hub watches of itself, and whom it notifies.
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { type AlertMemory, type Alerts, startAlerts } from "../alerts/alerts.ts";
import { backupWatch } from "../alerts/watches/backups.ts";
import { clockWatch, EARLIEST_MS } from "../alerts/watches/clock.ts";
import { diskWatch } from "../alerts/watches/disk.ts";
import { pluginWatch } from "../alerts/watches/plugins.ts";
import { certificateWatch, floodWatch, historyWatch, memoryWatch, startWatch } from "../alerts/watches/process.ts";
import { probeStorage } from "../core/storage-fault.ts";
import { createMeta, type Meta } from "../db/meta.ts";
import type { Plugins } from "../plugins/supervisor.ts";
import type { Archives } from "./archives.ts";
import type { House } from "./house.ts";
import type { Messages } from "./messages.ts";
import type { HubOptions } from "./options.ts";
import type { Parts } from "./parts.ts";
import type { Stores } from "./stores.ts";

const REMEMBERED = "alerts";
const FIRST_SEEN = "house_since";
const DAY_MS = 86_400_000;

export function openAlerts(
  { config, home, edge, log, logProblem }: HubOptions,
  {
    db,
    feed,
    budget,
    limits,
    found,
    trouble,
    notifier,
    outbox,
    history,
    backups,
    plugins,
    parts,
  }: Stores & Messages & Archives & Pick<House, "history"> & { plugins: Plugins; parts: Pick<Parts, "off"> },
): Alerts {
  const { clock } = edge;
  const { alerts: section, server } = config;
  const { channel } = section;
  const meta = createMeta(db);
  const expiresAt = certificateExpiry(server.tls_cert === undefined ? undefined : home.resolve(server.tls_cert));
  return startAlerts({
    clock,
    log: log.child("alerts"),
    emit: feed.emit,
    async notify({ kind, severity }, title, message) {
      if (parts.off("notify") !== undefined) return;
      const reachesSomebody = notifier.list().some(({ name }) => name !== "log");
      // Whoever lost a house hears of it, wherever they can be reached.
      const to =
        channel ?? (kind === "database_lost" && severity === "critical" && reachesSomebody ? "all" : undefined);
      if (to === undefined) return;
      const context = { deviceId: undefined, trigger: {}, vars: {} };
      await outbox.post(notifier.render({ channel: to, title, message, context }));
    },
    memory: alertMemory(meta),
    watches: [
      startWatch(found, clock),
      diskWatch({
        folder: home.data,
        freeMb: section.disk_free_mb,
        // Probed only where something could not be written: looking for nothing wears the card.
        fault: () => db.copy?.fault ?? trouble.fault() ?? (logProblem?.() ? probeStorage(home.data) : undefined),
        sparing: () => budget.sparing,
      }),
      pluginWatch(() => (parts.off("plugins") ? [] : plugins.list()), clock),
      backupWatch({
        last: backups.last,
        problem: backups.problem,
        scheduled: config.backup.schedule !== undefined,
        days: section.backup_days,
        clock,
        houseSince: () => houseSince(meta, clock.now()),
      }),
      clockWatch(clock),
      memoryWatch(() => process.memoryUsage.rss(), section.memory_mb),
      historyWatch(() => history.health().damagedFile, clock),
      floodWatch(limits.problems),
      certificateWatch(() => expiresAt, clock.now, section.certificate_days),
    ],
  });
}

function alertMemory(meta: Meta): AlertMemory {
  return {
    load: () => (meta.get(REMEMBERED) ?? "").split("\n").filter((line) => line !== ""),
    save: (lines) => meta.set(REMEMBERED, lines.join("\n")),
  };
}

/**
 * When this house was first seen, so that a new one is not overdue with its first backup. By a clock that can be right: a Pi
 * that wakes up years in the past would make a new house an old one.
 */
function houseSince(meta: Meta, now: number): number | undefined {
  const known = Number(meta.get(FIRST_SEEN));
  if (known >= EARLIEST_MS && known <= now + DAY_MS) return known;
  if (now < EARLIEST_MS) return undefined;
  try {
    meta.set(FIRST_SEEN, String(now));
  } catch {
    // The disk takes nothing; the disk watch reports that.
  }
  return now;
}

function certificateExpiry(file: string | undefined): number | undefined {
  if (file === undefined) return undefined;
  try {
    return Date.parse(new X509Certificate(readFileSync(file)).validTo);
  } catch {
    // Whoever listens reports what is wrong with it.
    return undefined;
  }
}
