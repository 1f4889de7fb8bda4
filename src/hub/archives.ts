// Backups and restores of this hub's own home.
import { type Backups, startBackups } from "../backup/backups.ts";
import { createRestores, type Restores } from "../backup/restores.ts";
import { backupWorker } from "../backup/worker-source.ts";
import { checkConfig } from "../config/load.ts";
import { timezoneOf } from "../config/location.ts";
import { createZone } from "../core/zone.ts";
import { createMeta } from "../db/meta.ts";
import { parseCron } from "../rules/schedule/cron.ts";
import { startScheduler } from "../rules/schedule/scheduler.ts";
import type { House } from "./house.ts";
import type { Messages } from "./messages.ts";
import type { HubOptions } from "./options.ts";
import { databaseSchemas, type Stores } from "./stores.ts";

export interface Archives {
  backups: Backups;
  restores: Restores;
}

export function openArchives(
  { config, home, edge, log: hubLog, version, requestRestart }: HubOptions,
  { db, feed, budget }: Stores,
  { house, messages, stack }: { house: House; messages: Messages; stack: AsyncDisposableStack },
): Archives {
  const { clock } = edge;
  const log = hubLog.child("backup");
  const shared = { home, schemas: databaseSchemas, clock, log, worker: backupWorker() };
  const zone = createZone(timezoneOf(config.location));
  const parsed = config.backup.schedule === undefined ? undefined : parseCron(config.backup.schedule, zone);
  const meta = createMeta(db.durable);
  const mark = {
    load(id: string) {
      const at = Number(meta.get(`schedule_${id}`) ?? Number.NaN);
      return Number.isFinite(at) ? at : undefined;
    },
    save: (id: string, at: number) => meta.set(`schedule_${id}`, String(at)),
  };
  const backups = startBackups({
    ...shared,
    config: config.backup,
    hubVersion: version,
    async settle() {
      budget.flushAll();
      await house.history.flush();
    },
    emit: feed.emit,
    async notify(channel, message) {
      const context = { deviceId: undefined, trigger: {}, vars: {} };
      await messages.outbox.post(messages.notifier.render({ channel, message, title: undefined, context }));
    },
    schedule: parsed?.ok ? parsed.schedule : undefined,
    scheduler: stack.use(startScheduler({ clock, log, mark })),
  });
  stack.use(backups);
  const restores = createRestores({
    ...shared,
    passphrase: config.backup.passphrase,
    configProblems: (text) =>
      checkConfig(text)
        .problems.filter(({ warning, confined }) => !warning && !confined)
        .map(({ path, message }) => `${path}: ${message}`),
    requestRestart,
  });
  return { backups, restores };
}
