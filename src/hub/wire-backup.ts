// Wires backups and restores of this hub's own home.
import { type Backups, type BackupsOptions, startBackups } from "../backup/backups.ts";
import { createRestores, type Restores } from "../backup/restores.ts";
import { readLastBackup } from "../backup/save-archive.ts";
import { backupWorker } from "../backup/worker-task.ts";
import { checkConfig } from "../config/load.ts";
import { timezoneOf } from "../config/location.ts";
import { createZone } from "../core/zone.ts";
import { createMeta } from "../db/meta.ts";
import { parseCron } from "../rules/schedule/cron.ts";
import { startScheduler } from "../rules/schedule/scheduler.ts";
import type { HubOptions } from "./options.ts";
import { type PartStarter, standInFor } from "./part-starter.ts";
import type { House } from "./wire-house.ts";
import type { Notifications } from "./wire-notify.ts";
import { databaseSchemas, type Stores } from "./wire-stores.ts";

export interface Archives {
  backups: Backups;
  restores: Restores;
}

interface Deps {
  house: House;
  notifications: Notifications;
  starter: PartStarter;
  stack: AsyncDisposableStack;
}

/** Restores are never off: one may be what repairs the hub. */
export function wireBackup(options: HubOptions, stores: Stores, deps: Deps): Archives {
  const { config, home, edge, log, requestRestart } = options;
  const { starter, stack } = deps;
  const shared = {
    home,
    schemas: databaseSchemas,
    clock: edge.clock,
    log: log.child("backup"),
    worker: backupWorker(),
  };
  const backups = stack.use(
    starter.beginUnlessOff(
      "backup",
      () => openBackups(options, stores, { ...deps, shared }),
      (reason) => standInFor<Backups>(reason, { last: () => readLastBackup(home), problem: () => undefined }),
    ),
  );
  const restores = createRestores({
    ...shared,
    passphrase: config.backup.passphrase,
    configProblems: (text) =>
      // The archive brings its own accounts.
      checkConfig(text, { otherMqttAccounts: true })
        .problems.filter(({ warning, confined }) => !warning && !confined)
        .map(({ path, message }) => `${path}: ${message}`),
    requestRestart,
  });
  return { backups, restores };
}

function openBackups(
  { config, version }: HubOptions,
  { db, feed, budget }: Stores,
  {
    house,
    notifications,
    shared,
    stack,
  }: Deps & { shared: Pick<BackupsOptions, "home" | "schemas" | "clock" | "log" | "worker"> },
): Backups {
  const { clock, log } = shared;
  const zone = createZone(timezoneOf(config.location));
  const parsed = config.backup.schedule === undefined ? undefined : parseCron(config.backup.schedule, zone);
  const meta = createMeta(db);
  const mark = {
    load(id: string) {
      const at = Number(meta.get(`schedule_${id}`) ?? Number.NaN);
      return Number.isFinite(at) ? at : undefined;
    },
    save: (id: string, at: number) => meta.set(`schedule_${id}`, String(at)),
  };
  return startBackups({
    ...shared,
    config: config.backup,
    hubVersion: version,
    async flush() {
      budget.flushAll();
      await house.history.flush();
    },
    emit: feed.emit,
    async notify(channel, message) {
      const context = { deviceId: undefined, trigger: {}, vars: {} };
      await notifications.outbox.post(notifications.notifier.render({ channel, message, title: undefined, context }));
    },
    schedule: parsed?.ok ? parsed.schedule : undefined,
    scheduler: stack.use(startScheduler({ clock, log, mark })),
  });
}
