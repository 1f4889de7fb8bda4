// hub serve: the hub itself, or the standby of another, until a signal ends it.
import { isPaired } from "../../copies/standby/machine.ts";
import { background } from "../../kit/lifecycle/lifecycle.ts";
import { type Log, openLog } from "../../kit/lifecycle/log.ts";
import { HubError, messageOf } from "../../kit/schema/errors.ts";
import { isoSeconds } from "../../kit/time/clock.ts";
import { bootId } from "../../server/system/service/machine.ts";
import { openStarts } from "../../server/system/starts.ts";
import { openSupervision, type Subject } from "../../server/system/supervision.ts";
import { OPTIONAL_PARTS, PART_NEEDS, SUSPECT_PARTS } from "../hub/start/part-starter.ts";
import type { Command } from "./command.ts";
import { homeOption } from "./command.ts";
import { type Entered, enterHome, readConfig } from "./prepare.ts";
import { type HubProcess, runHub } from "./serve-hub.ts";
import { hubVersion } from "./version.ts";

/** Until the API answers, code has to run so many times more often than usual before it is compiled: most of a start runs once. */
const STARTING_JIT_POLICY = 20;

export const serve: Command = {
  options: homeOption,
  async run(invocation) {
    const { io } = invocation;
    const { platform } = io;
    const loadedAt = platform.clock.mono();
    Bun.unsafe.setJITPolicy(STARTING_JIT_POLICY);
    refuseBunOptions(platform.env);
    const entered = enterHome(invocation);
    const { home } = entered;
    const paired = isPaired(home);
    const config = paired ? (await import("./roles/config.ts")).configOfPaired(home, io) : readConfig(home, io);
    await using opened = openLog({
      clock: platform.clock,
      output: platform.stdout,
      level: config.log.level,
      file: home.hubLog,
    });
    const { log } = opened;
    const begun = platform.clock.mono();
    logStart(log, entered, platform.clock.now());
    // From here on it is known whether the file can be written.
    opened.flush();
    using supervision = openSupervision({
      env: platform.env,
      clock: platform.clock,
      log: log.child("supervision"),
      pid: process.pid,
    });
    const stop = io.stopRequested();
    const starts = openStarts({
      path: home.starts,
      version: hubVersion,
      clock: platform.clock,
      boot: bootId(),
      optional: OPTIONAL_PARTS,
      suspects: SUSPECT_PARTS,
      needs: PART_NEEDS,
    });
    background(log, "the end of the start", stop.then(starts.stopping));
    io.onCrash((error) => {
      starts.failed(error);
      const stack = error instanceof Error ? error.stack : undefined;
      log.error("the hub ends, because of an error that nobody caught", { error: messageOf(error), stack });
      opened.flush();
    });
    let subject: Subject | undefined;
    const all: HubProcess = {
      ...{ io, home, troubles: entered.troubles, opened, starts, stop, supervision },
      // A process counts its time from its beginning.
      first: { config, begun, tookBefore: { loading: loadedAt, home: platform.clock.mono() - loadedAt } },
      present(next) {
        const isFirst = subject === undefined;
        subject = next;
        if (isFirst)
          supervision.ready({
            summary: () => (subject ?? next).summary(),
            isWell: (withinMs) => (subject ?? next).isWell(withinMs),
          });
      },
    };
    if (paired || config.standby.lease !== undefined) return await (await import("./roles/roles.ts")).serveRoles(all);
    const end = await runHub(all);
    if (end.kind === "stopped") return end.code;
    return await (await import("./roles/roles.ts")).serveRoles(all, end);
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

/** Bun reads these variables before any code of the hub: with them it would run as another program. */
function refuseBunOptions(env: Readonly<Record<string, string | undefined>>): void {
  for (const name of ["BUN_OPTIONS", "BUN_BE_BUN"]) {
    if (env[name]) throw new HubError("config", `the environment variable ${name} changes how the hub runs: unset it`);
  }
}
