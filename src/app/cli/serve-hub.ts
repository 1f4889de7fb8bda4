// One hub of this process, from its start to its end: a signal, or another machine of the house that is the hub from then on.
import { statSync } from "node:fs";
import { readCertificate } from "../../api/http/listen/certificate.ts";
import { openTrial } from "../../copies/backup/restore/restores.ts";
import { isPaired } from "../../copies/standby/machine.ts";
import type { Standing, TakeOver } from "../../copies/standby/standing.ts";
import { within } from "../../kit/lifecycle/lifecycle.ts";
import type { OpenedLog } from "../../kit/lifecycle/log.ts";
import { messageOf } from "../../kit/schema/errors.ts";
import { knownIds } from "../../server/db/known-ids.ts";
import type { Home } from "../../server/home/paths.ts";
import { processMemory, startBusyCollection, startMemoryRelease } from "../../server/system/memory-release.ts";
import { replaceProcess } from "../../server/system/replace-process.ts";
import type { Starts } from "../../server/system/starts.ts";
import type { Subject, Supervision } from "../../server/system/supervision.ts";
import type { OwnProcess } from "../../server/system/upgrade/apply-upgrade.ts";
import { askHealth, healthAddress } from "../../server/system/upgrade/ask-health.ts";
import { webAddress } from "../../server/system/web-address.ts";
import type { HubConfig } from "../config/sections.ts";
import { createHub, type Hub, type HubOptions } from "../hub.ts";
import { pageFile } from "./assets.ts";
import { counted, type Io } from "./command.ts";
import { credentialsBlock } from "./credentials.ts";
import { loadConfigOf, readConfig, type Trouble } from "./prepare.ts";
import { shippedProfiles } from "./profile-assets.ts";
import { type Begin, type Leaves, startRestartable } from "./restartable.ts";
import { type Leave, standingIn } from "./serve-standing.ts";
import { hubVersion } from "./version.ts";

const STOP_WITHIN_MS = 9500;

/** What all that this process is, one after the other, have in common. */
export interface HubProcess {
  io: Io;
  home: Home;
  troubles: readonly Trouble[];
  opened: OpenedLog;
  starts: Starts;
  /** Resolves with the signal's name. */
  stop: Promise<string>;
  supervision: Pick<Supervision, "stopping">;
  /** Notifies the supervisor what this process is now; for the first time also that it is ready. */
  present(subject: Subject): void;
  /** For the first hub. One that follows reads its own configuration, and prints its warnings. */
  first: { config: HubConfig; begun: number; tookBefore: NonNullable<HubOptions["tookBefore"]> } | undefined;
}

/** The hub's place in a house with two machines. */
export interface HubPlace extends Pick<Standing, "machine" | "leaseHolder" | "epoch" | "lost"> {
  tookOver: TakeOver | undefined;
  /** What it comes of. */
  standby: HubConfig["standby"];
  /** Where hub.toml lets it take any: the one that the other machine knows. */
  port: number;
}

export type HubEnd =
  | { kind: "stopped"; code: number }
  /** It is stopped, and another machine is the hub or is to be it. */
  | ({ kind: "left"; port: number } & Leave);

/** Throws HubError where the hub does not start. `place`: undefined for the only hub of a house, as far as this machine knows. */
export async function runHub(all: HubProcess, place?: HubPlace): Promise<HubEnd> {
  const { io, home, opened, starts, stop, supervision } = all;
  const { clock } = io.platform;
  const { log } = opened;
  const begun = all.first?.begun ?? clock.mono();
  const left = Promise.withResolvers<Leave>();
  void place?.lost.then((reason) => left.resolve({ how: "step_down", reason }));
  const begin = beginWith(all, place, left.resolve);
  const leaves: Leaves = async (isOnTrial) => {
    const why = await newPlace(all, place, isOnTrial);
    if (why !== undefined) left.resolve({ how: "again", reason: why });
    return why !== undefined;
  };
  const running = await startRestartable(begin, leaves, log, openTrial(home, clock));
  log.info("the hub is up", { ms: Math.round(clock.mono() - begun) });
  const memory = processMemory(() => running.current.hub.releaseMemory());
  using _release = startMemoryRelease(clock, memory);
  using _collection = startBusyCollection(clock, memory);
  all.present({
    summary: () => summaryOf(home, running.current.config, starts.safe?.failedPart),
    async isWell(withinMs) {
      const { config, hub } = running.current;
      // During a restart nobody answers. It takes a bounded time: stopping, renaming, starting.
      if (running.restarting) return true;
      return (await askHealth(healthAddress(config, hub.httpPort), withinMs)) !== undefined;
    },
  });
  let why = await Promise.race([stop, running.failed, left.promise]);
  // A version that is being tried out takes the lease for this machine, so this process loses it: how the trial ends comes first.
  if (typeof why !== "string") why = (await Promise.race([stop, running.settled()])) ?? why;
  const port = running.current.hub.httpPort;
  if (typeof why === "string") {
    supervision.stopping();
    log.info("stopping", { signal: why });
  } else if (why.how === "again") log.info("the hub starts again", { why: why.reason });
  else log.warn("this machine is the hub no longer", { reason: why.reason });
  const ended = await within(clock, STOP_WITHIN_MS, "stop", Promise.resolve(running[Symbol.asyncDispose]()));
  if (!ended) log.warn("some parts did not stop in time", { part: running.current.hub.stopping });
  else log.info("stopped");
  // What does not stop could still use the files of the copy.
  if (typeof why === "string" || !ended) return { kind: "stopped", code: ended ? 0 : 1 };
  return { kind: "left", ...why, port };
}

/**
 * Why the hub that follows a restart is another one in the house; undefined where it is the same. Throws HubError where a change on trial
 * would leave the house without a hub.
 */
async function newPlace(all: HubProcess, place: HubPlace | undefined, isOnTrial: boolean): Promise<string | undefined> {
  const { home } = all;
  const standby = configOrNothing(home)?.standby;
  // The start says what is wrong with the file.
  if (!standby) return undefined;
  const isSame = place ? Bun.deepEquals(standby, place.standby) : standby.lease === undefined && !isPaired(home);
  if (isSame) return undefined;
  if (isOnTrial && standby.lease !== undefined && standby.when_alone === "stop") await tryLease(standby, all);
  return place ? "[standby] of hub.toml has changed" : "there are two machines from now on";
}

function configOrNothing(home: Home): HubConfig | undefined {
  try {
    return loadConfigOf(home).config;
  } catch {
    return undefined;
  }
}

async function tryLease(standby: HubConfig["standby"], { home, io, opened: { log } }: HubProcess): Promise<void> {
  const { askEngine } = await import("../../copies/standby/lease/engines.ts");
  const { clock, random } = io.platform;
  await askEngine(standby, { resolvePath: home.resolve, clock, random, log });
}

function beginWith(all: HubProcess, place: HubPlace | undefined, leave: (how: Leave) => void): Begin {
  const { io, home, troubles, opened, starts, stop } = all;
  const { platform, execPath } = io;
  let tookOver = place?.tookOver;
  return async (requestRestart) => {
    const { first } = all;
    all.first = undefined;
    const config = withPort(first?.config ?? readConfig(home, io), place?.port);
    const standing = standingIn(place && { ...place, tookOver }, leave);
    tookOver = undefined;
    const hub = await createCounted(starts, {
      config,
      home,
      platform,
      log: opened.log,
      version: hubVersion,
      build: buildOf(io),
      onListening: () => Bun.unsafe.setJITPolicy(1),
      execPath,
      pageFile,
      shippedProfiles,
      requestRestart,
      ...(standing && { standing }),
      ...(io.compiled && { ownProcess: ownProcess(io, stop, opened) }),
      start: starts,
      ...(first && { tookBefore: first.tookBefore }),
      troubles,
      logProblem: opened.problem,
      flushLog: opened.flush,
      onFirstAdministrator(credentials, port) {
        platform.stdout.write(credentialsBlock(credentials, pageAddress(config, home, port)));
      },
    });
    return { config, hub };
  };
}

function withPort(config: HubConfig, port: number | undefined): HubConfig {
  if (port === undefined || config.server.port !== 0) return config;
  return { ...config, server: { ...config.server, port } };
}

function ownProcess({ platform }: Io, stop: Promise<string>, { log, flush }: OpenedLog): OwnProcess {
  let isReported = false;
  void stop.then(() => (isReported = true));
  return {
    stopped: stop,
    async replace(file) {
      flush();
      // The new version would not know that it is to end: it begins with the next start.
      if (isReported) return process.exit(0);
      try {
        return await replaceProcess({ file, args: process.argv.slice(2), env: platform.env });
      } catch (error) {
        // The databases may be the new version's by now, so this one must not go on. systemd starts the new one.
        log.error("this process cannot become the new version: start the hub again", { error: messageOf(error) });
        flush();
        return process.exit(1);
      }
    },
  };
}

/** Creates a hub and notes how its start ends. Where a part that was off makes it fail again, the hub starts without it. */
async function createCounted(starts: Starts, options: HubOptions): Promise<Hub> {
  const { trying } = starts;
  try {
    const hub = await createHub(options);
    starts.up();
    return hub;
  } catch (error) {
    starts.failed(error);
    if (trying === undefined) throw error;
    options.log.error("a part that was tried again failed: it is off again", { part: trying, error: messageOf(error) });
    return createCounted(starts, options);
  }
}

/** With a certificate that cannot be used, the API answers this machine only, without TLS. */
function pageAddress({ server }: HubConfig, home: Home, port: number): string {
  const certificate = readCertificate(server, home.resolve);
  const listening = certificate?.ok === false ? { host: "127.0.0.1" } : { host: server.host, cert: certificate?.cert };
  return `${webAddress({ ...listening, port })}/`;
}

/** Undefined where Bun runs the sources: they change while it does not. */
function buildOf({ compiled, execPath }: Io): string | undefined {
  const stat = compiled ? statSync(execPath, { throwIfNoEntry: false }) : undefined;
  return stat && `${hubVersion} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`;
}

/** One line for people, as `systemctl status` shows it. */
function summaryOf(home: Home, config: HubConfig, failedPart: string | undefined): string {
  const devices = knownIds(home.stateDb, "devices")?.size ?? 0;
  const plugins = config.plugins.filter(({ enabled }) => enabled).length;
  const safe = failedPart === undefined ? "" : `SAFE START because of ${failedPart}: see /system/status; `;
  return `${safe}version ${hubVersion}, ${counted(devices, "device")}, ${counted(plugins, "plugin")}`;
}
