// Wires backups and restores of this hub's own home.
import { type Backups, type BackupsOptions, startBackups } from "../../copies/backup/backups.ts";
import type { BackupTarget } from "../../copies/backup/remote/config.ts";
import { HOUSE_KEY, houseName } from "../../copies/backup/remote/copy-names.ts";
import type { RemoteBackups } from "../../copies/backup/remote/remote-backups.ts";
import type { Known } from "../../copies/backup/remote/storage.ts";
import type { Visits } from "../../copies/backup/remote/visits.ts";
import { createRestores, type Restores } from "../../copies/backup/restore/restores.ts";
import { backupWorker } from "../../copies/backup/worker-task.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import { HubError, messageOf, RESTART_THE_HUB } from "../../kit/schema/errors.ts";
import { isoSeconds } from "../../kit/time/clock.ts";
import { lazy } from "../../kit/time/lazy.ts";
import { createZone } from "../../kit/time/zone.ts";
import { parseCron } from "../../rules/schedule/cron.ts";
import { startScheduler } from "../../rules/schedule/scheduler.ts";
import { createMeta } from "../../server/db/meta.ts";
import { checkConfig } from "../config/load.ts";
import type { HubOptions } from "./options.ts";
import type { PartStarter } from "./start/part-starter.ts";
import { type Port, refusing } from "./start/port.ts";
import type { House } from "./wire-house.ts";
import type { Notifications } from "./wire-notify.ts";
import { databaseSchemas, type Stores } from "./wire-stores.ts";

export interface Archives {
  /** Undefined without [[backup.targets]]. */
  remote: RemoteBackups | undefined;
  /** Of copies elsewhere; made when it is first asked for. */
  visits: () => Visits;
  /** Throws HubError `invalid` without [[backup.targets]]. */
  recoverySheet: () => string;
  restores: Restores;
}

interface Deps {
  house: House;
  notify: Port<Notifications>;
  port: Port<Backups>;
  starter: PartStarter;
  stack: AsyncDisposableStack;
}

type Shared = Pick<BackupsOptions, "home" | "schemas" | "clock" | "log" | "worker">;

/** Restores are never off: one may be what repairs the hub. */
export function wireBackup(options: HubOptions, stores: Stores, deps: Deps): Archives {
  const { config, home, platform, log, requestRestart } = options;
  const { starter, stack } = deps;
  const shared = {
    home,
    schemas: databaseSchemas,
    clock: platform.clock,
    log: log.child("backup"),
    worker: backupWorker(),
  };
  const isOff = starter.isOff("backup");
  const remote = isOff ? undefined : openRemote(options, stores, shared);
  if (remote) stack.use(remote);
  starter.beginUnlessOff("backup", () =>
    deps.port.attach(stack.use(openBackups(options, stores, { ...deps, shared, onMade: () => remote?.sync() }))),
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
  const refused =
    isOff && config.backup.targets.length > 0 ? refusing<RemoteBackups>(starter.refusal("backup")) : undefined;
  return { remote: remote ?? refused, restores, ...waysBack(options, stores, shared, remote) };
}

function openBackups(
  { config, version }: HubOptions,
  { db, feed, budget }: Stores,
  { house, notify, shared, onMade, stack }: Deps & { shared: Shared; onMade: () => void },
): Backups {
  const { clock, log } = shared;
  const zone = createZone(config.location.timezone);
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
    assertOwn() {
      if (db.file?.exchanged() ?? house.history.health().exchanged)
        throw new HubError(
          "conflict",
          `a database was exchanged while the hub ran, and a backup would mix the two: ${RESTART_THE_HUB}`,
        );
    },
    async flush() {
      budget.flushAll();
      await house.history.flush();
    },
    emit: feed.emit,
    onMade,
    async notify(channel, message) {
      const context = { deviceId: undefined, trigger: {}, vars: {} };
      await notify.get().messenger.enqueue([channel], { message, title: undefined, context });
    },
    schedule: parsed?.ok ? parsed.schedule : undefined,
    scheduler: stack.use(startScheduler({ clock, log, mark })),
  });
}

/** Not even loaded in a hub that has none. */
function openRemote(
  { config, home, platform, fence }: HubOptions,
  { db, feed }: Stores,
  { log, ...shared }: Shared,
): RemoteBackups | undefined {
  const { targets, passphrase, directory } = config.backup;
  if (targets.length === 0) return undefined;
  const house = (): string => houseName(createMeta(db), platform.random);
  nameHouse(house, log);
  const { startRemoteBackups } =
    require("../../copies/backup/remote/remote-backups.ts") as typeof import("../../copies/backup/remote/remote-backups.ts");
  return startRemoteBackups({
    ...shared,
    ...{ targets, passphrase, fence, random: platform.random, emit: feed.emit },
    log: log.child("elsewhere"),
    directory: home.resolve(directory),
    house,
  });
}

/** At once, so that the name is in the first backup already, and a restored house finds its copies. */
function nameHouse(house: () => string, log: Log): void {
  try {
    house();
  } catch (error) {
    log.warn("the house's name at its backup targets cannot be stored; it is tried again", { error: messageOf(error) });
  }
}

/** What is needed to bring the house back from a copy, loaded when somebody asks for it. */
function waysBack(
  { config, home, platform }: HubOptions,
  { db }: Stores,
  { worker, clock }: Shared,
  remote: RemoteBackups | undefined,
): Pick<Archives, "visits" | "recoverySheet"> {
  const { targets, passphrase } = config.backup;
  const known = (target: BackupTarget): Known =>
    remote?.list().find((one) => one.config.name === target.name)?.state.known ?? {};
  return {
    visits: lazy(() => {
      const { createVisits } =
        require("../../copies/backup/remote/visits.ts") as typeof import("../../copies/backup/remote/visits.ts");
      const house = (): string | undefined => createMeta(db).get(HOUSE_KEY);
      return createVisits({ home, worker, clock, configured: { targets, passphrase }, house, known });
    }),
    recoverySheet() {
      if (targets.length === 0) throw new HubError("invalid", "there is no [[backup.targets]] in hub.toml");
      const { recoverySheet } =
        require("../../copies/backup/remote/recovery-sheet.ts") as typeof import("../../copies/backup/remote/recovery-sheet.ts");
      const house = houseName(createMeta(db), platform.random);
      const at = isoSeconds(clock.now());
      return recoverySheet({ house, passphrase, targets, at, resolve: home.resolve, known });
    },
  };
}
