// hub serve: the hub itself, until a signal ends it.
import { isoSeconds } from "../core/clock.ts";
import { HubError } from "../core/errors.ts";
import { within } from "../core/lifecycle.ts";
import { openLog } from "../core/log.ts";
import { createHub } from "../hub.ts";
import { type Command, homeOf, homeOption } from "./command.ts";
import { credentialsBlock } from "./credentials.ts";
import { layOut, readConfig } from "./prepare.ts";
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
    const home = homeOf(invocation);
    const { fresh } = layOut(home, io);
    const config = readConfig(home, io);
    await using opened = openLog({
      clock: edge.clock,
      output: edge.stdout,
      level: config.log.level,
      file: home.hubLog,
    });
    const { log } = opened;
    const begun = edge.clock.mono();
    log.info(fresh ? "a new home was laid out" : "starting", {
      home: home.root,
      version: hubVersion,
      at: isoSeconds(edge.clock.now()),
    });
    const stop = io.stopRequested();
    const hub = await createHub({
      config,
      home,
      edge,
      log,
      version: hubVersion,
      execPath: io.execPath,
      onFirstAdministrator: (credentials) =>
        edge.stdout.write(credentialsBlock(credentials, config.server.port || undefined)),
    });
    log.info("the hub is up", { ms: Math.round(edge.clock.mono() - begun) });
    const signal = await stop;
    log.info("stopping", { signal });
    const ended = await within(edge.clock, STOP_WITHIN_MS, "stop", Promise.resolve(hub[Symbol.asyncDispose]()));
    if (!ended) log.warn("some parts did not stop in time");
    else log.info("stopped");
    return ended ? 0 : 1;
  },
};

// Bun reads these before any of our code runs: whoever sets them runs another program than this one.
function refuseBunOptions(env: Readonly<Record<string, string | undefined>>): void {
  for (const name of ["BUN_OPTIONS", "BUN_BE_BUN"]) {
    if (env[name]) throw new HubError("config", `the environment variable ${name} changes how the hub runs: unset it`);
  }
}
