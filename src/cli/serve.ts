// hub serve: the hub itself, until a signal ends it.
import { openTrial } from "../backup/restores.ts";
import type { HubConfig } from "../config/sections.ts";
import { isoSeconds } from "../core/clock.ts";
import { HubError } from "../core/errors.ts";
import { background, within } from "../core/lifecycle.ts";
import { openLog } from "../core/log.ts";
import { knownIds } from "../db/known-ids.ts";
import type { Home } from "../home/paths.ts";
import { OPTIONAL_PARTS, SUSPECT_PARTS } from "../hub/part-starter.ts";
import { createHub, type Hub, type HubOptions } from "../hub.ts";
import { askHealth } from "../system/ask-health.ts";
import { bootId } from "../system/machine.ts";
import { releaseMemorySoon } from "../system/release-memory.ts";
import { openStarts, type Starts } from "../system/starts.ts";
import { openSupervision } from "../system/supervision.ts";
import { type Command, homeOption } from "./command.ts";
import { credentialsBlock } from "./credentials.ts";
import { enterHome } from "./enter-home.ts";
import { healthAddress, readConfig } from "./prepare.ts";
import { type Begin, startReplaceable } from "./replaceable.ts";
import { hubVersion } from "./version.ts";

const STOP_WITHIN_MS = 9500;

export const serve: Command = {
  name: "serve",
  summary: "Start the hub; this is what `hub` alone does",
  options: homeOption,
  async run(invocation) {
    const { io } = invocation;
    const { edge } = io;
    refuseBunOptions(edge.env);
    const { home, troubles, laidOut } = enterHome(invocation);
    const { fresh, renewed, kept } = laidOut;
    // Anew only for a hub that follows a restore: its warnings are told once.
    let read: HubConfig | undefined = readConfig(home, io);
    await using opened = openLog({
      clock: edge.clock,
      output: edge.stdout,
      level: read.log.level,
      file: home.hubLog,
    });
    const { log } = opened;
    const begun = edge.clock.mono();
    log.info(fresh ? "a new home was laid out" : "starting", {
      home: home.root,
      version: hubVersion,
      at: isoSeconds(edge.clock.now()),
    });
    // Whether the file can be written is known from here on.
    opened.flush();
    if (renewed.length > 0) log.info("brought up to this version", { files: renewed });
    if (kept.length > 0)
      log.warn("changed by hand, so this version's own were not laid out: move them away to get those", {
        files: kept,
      });
    for (const trouble of troubles) log.error("the hub goes on without this", { ...trouble });
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
    const begin: Begin = async (requestRestart) => {
      const config = read ?? readConfig(home, io);
      read = undefined;
      const hub = await watched(starts, {
        config,
        home,
        edge,
        log,
        version: hubVersion,
        execPath: io.execPath,
        requestRestart,
        start: starts,
        troubles,
        logProblem: opened.problem,
        onFirstAdministrator: (credentials) =>
          edge.stdout.write(credentialsBlock(credentials, config.server.port || undefined)),
      });
      return { config, hub };
    };
    const running = await startReplaceable(begin, log, openTrial(home, edge.clock));
    log.info("the hub is up", { ms: Math.round(edge.clock.mono() - begun) });
    using _release = releaseMemorySoon(edge.clock);
    supervision.ready({
      summary: () => summaryOf(home, running.current.config, starts.safe?.failedPart),
      async isWell(withinMs) {
        const { config, hub } = running.current;
        // Nobody answers then. Bounded by what it does: stopping, renaming, starting.
        if (running.replacing) return true;
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

/** A hub whose start is noted, however it goes. */
async function watched(starts: Starts, options: HubOptions): Promise<Hub> {
  try {
    const hub = await createHub(options);
    starts.up();
    return hub;
  } catch (error) {
    starts.failed(error);
    throw error;
  }
}

// Bun reads these before any of our code runs: whoever sets them runs another program than this one.
function refuseBunOptions(env: Readonly<Record<string, string | undefined>>): void {
  for (const name of ["BUN_OPTIONS", "BUN_BE_BUN"]) {
    if (env[name]) throw new HubError("config", `the environment variable ${name} changes how the hub runs: unset it`);
  }
}

/** One line for people, as `systemctl status` shows it. */
function summaryOf(home: Home, config: HubConfig, failedPart: string | undefined): string {
  const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
  const devices = knownIds(home.stateDb, "devices")?.size ?? 0;
  const plugins = config.plugins.filter(({ enabled }) => enabled).length;
  const safe = failedPart === undefined ? "" : `SAFE START because of ${failedPart}: see /system/status; `;
  return `${safe}version ${hubVersion}, ${counted(devices, "device")}, ${counted(plugins, "plugin")}`;
}
