// hub serve: the hub itself, until a signal ends it.
import { openTrial } from "../backup/restores.ts";
import type { HubConfig } from "../config/sections.ts";
import { isoSeconds } from "../core/clock.ts";
import { HubError } from "../core/errors.ts";
import { background, within } from "../core/lifecycle.ts";
import { type Log, type OpenedLog, openLog } from "../core/log.ts";
import { knownIds } from "../db/known-ids.ts";
import type { Home } from "../home/paths.ts";
import { readCertificate } from "../http/certificate.ts";
import { OPTIONAL_PARTS, SUSPECT_PARTS } from "../hub/part-starter.ts";
import { createHub, type Hub, type HubOptions } from "../hub.ts";
import { askHealth, healthAddress } from "../system/ask-health.ts";
import { bootId } from "../system/machine.ts";
import { openStarts, type Starts } from "../system/starts.ts";
import { openSupervision } from "../system/supervision.ts";
import { releaseMemorySoon } from "../system/this-process.ts";
import { webAddress } from "../system/web-address.ts";
import { pageFile } from "./assets.ts";
import { type Command, counted, homeOption, type Io } from "./command.ts";
import { credentialsBlock } from "./credentials.ts";
import { type Entered, enterHome, readConfig } from "./prepare.ts";
import { type Begin, startRestartable } from "./restartable.ts";
import { hubVersion } from "./version.ts";

const STOP_WITHIN_MS = 9500;

export const serve: Command = {
  name: "serve",
  summary: "Start the hub; `hub` without a command does the same",
  options: homeOption,
  async run(invocation) {
    const { io } = invocation;
    const { edge } = io;
    refuseBunOptions(edge.env);
    const entered = enterHome(invocation);
    const { home } = entered;
    const config = readConfig(home, io);
    await using opened = openLog({
      clock: edge.clock,
      output: edge.stdout,
      level: config.log.level,
      file: home.hubLog,
    });
    const { log } = opened;
    const begun = edge.clock.mono();
    logStart(log, entered, edge.clock.now());
    // From here on it is known whether the file can be written.
    opened.flush();
    using supervision = openSupervision({
      env: edge.env,
      clock: edge.clock,
      log: log.child("supervision"),
      pid: process.pid,
    });
    const stop = io.stopRequested();
    const starts = openStarts({
      path: home.starts,
      version: hubVersion,
      clock: edge.clock,
      boot: bootId(),
      optional: OPTIONAL_PARTS,
      suspects: SUSPECT_PARTS,
    });
    background(log, "the end of the start", stop.then(starts.stopping));
    const begin = beginWith({ io, entered, config, opened, starts });
    const running = await startRestartable(begin, log, openTrial(home, edge.clock));
    log.info("the hub is up", { ms: Math.round(edge.clock.mono() - begun) });
    using _release = releaseMemorySoon(edge.clock);
    supervision.ready({
      summary: () => summaryOf(home, running.current.config, starts.safe?.failedPart),
      async isWell(withinMs) {
        const { config, hub } = running.current;
        // During a restart nobody answers. It takes a bounded time: stopping, renaming, starting.
        if (running.restarting) return true;
        return (await askHealth(healthAddress(config, hub.httpPort), withinMs)) !== undefined;
      },
    });
    const signal = await Promise.race([stop, running.failed]);
    supervision.stopping();
    log.info("stopping", { signal });
    const ended = await within(edge.clock, STOP_WITHIN_MS, "stop", Promise.resolve(running[Symbol.asyncDispose]()));
    if (!ended) log.warn("some parts did not stop in time");
    else log.info("stopped");
    return ended ? 0 : 1;
  },
};

function logStart(log: Log, { home, laidOut: { fresh, renewed, kept }, troubles }: Entered, now: number): void {
  log.info(fresh ? "a new home was created" : "starting", {
    home: home.root,
    version: hubVersion,
    at: isoSeconds(now),
  });
  if (renewed.length > 0) log.info("updated to this version", { files: renewed });
  if (kept.length > 0)
    log.warn("not updated, because they were changed by hand; move them away to get this version's", { files: kept });
  for (const trouble of troubles) log.error("this failed, and the hub starts without it", { ...trouble });
}

interface Start {
  io: Io;
  entered: Entered;
  /** For the first hub. One that follows a restore reads its own, and prints its warnings. */
  config: HubConfig;
  opened: OpenedLog;
  starts: Starts;
}

function beginWith({ io, entered: { home, troubles }, config: first, opened, starts }: Start): Begin {
  const { edge, execPath } = io;
  let given: HubConfig | undefined = first;
  return async (requestRestart) => {
    const config = given ?? readConfig(home, io);
    given = undefined;
    const hub = await createCounted(starts, {
      config,
      home,
      edge,
      log: opened.log,
      version: hubVersion,
      execPath,
      pageFile,
      requestRestart,
      start: starts,
      troubles,
      logProblem: opened.problem,
      onFirstAdministrator(credentials, port) {
        edge.stdout.write(credentialsBlock(credentials, pageAddress(config, home, port)));
      },
    });
    return { config, hub };
  };
}

/** Creates a hub and notes how its start ends. */
async function createCounted(starts: Starts, options: HubOptions): Promise<Hub> {
  try {
    const hub = await createHub(options);
    starts.up();
    return hub;
  } catch (error) {
    starts.failed(error);
    throw error;
  }
}

/** With a certificate that cannot be used, the API answers this machine only, without TLS. */
function pageAddress({ server }: HubConfig, home: Home, port: number): string {
  const certificate = readCertificate(server, home.resolve);
  const listening = certificate?.ok === false ? { host: "127.0.0.1" } : { host: server.host, cert: certificate?.cert };
  return `${webAddress({ ...listening, port })}/`;
}

/** Bun reads these variables before any code of the hub: with them it would run as another program. */
function refuseBunOptions(env: Readonly<Record<string, string | undefined>>): void {
  for (const name of ["BUN_OPTIONS", "BUN_BE_BUN"]) {
    if (env[name]) throw new HubError("config", `the environment variable ${name} changes how the hub runs: unset it`);
  }
}

/** One line for people, as `systemctl status` shows it. */
function summaryOf(home: Home, config: HubConfig, failedPart: string | undefined): string {
  const devices = knownIds(home.stateDb, "devices")?.size ?? 0;
  const plugins = config.plugins.filter(({ enabled }) => enabled).length;
  const safe = failedPart === undefined ? "" : `SAFE START because of ${failedPart}: see /system/status; `;
  return `${safe}version ${hubVersion}, ${counted(devices, "device")}, ${counted(plugins, "plugin")}`;
}
