// What init and serve share: a home that is laid out, and a configuration that was read.
import { dirname, join } from "node:path";
import { formatProblem, type LocatedProblem, loadConfig } from "../config/load.ts";
import type { HubConfig } from "../config/sections.ts";
import { sweepTemporaryFiles } from "../core/atomic-file.ts";
import { HubError } from "../core/errors.ts";
import { type LaidOut, layOutHome } from "../home/layout.ts";
import { borrowHome } from "../home/lock.ts";
import type { Home } from "../home/paths.ts";
import { type Refreshed, refreshAssets } from "../home/refresh.ts";
import type { HealthAddress } from "../system/ask-health.ts";
import { assets, hubToml } from "./assets.ts";
import type { Io } from "./command.ts";

export function layOut(home: Home, { edge, execPath, compiled }: Io): LaidOut & Refreshed {
  const laidOut = layOutHome({
    home,
    executable: compiled ? execPath : undefined,
    hubToml,
    assets,
    random: edge.random,
  });
  const refreshed = refresh(home);
  const failed = [...laidOut.failed, ...refreshed.failed];
  for (const what of failed) edge.stderr.write(`warning: ${what}\n`);
  return { ...laidOut, ...refreshed, failed };
}

// Not under a hub that runs: its own files are what it brought. It is told of elsewhere, where that matters.
function refresh(home: Home): Refreshed {
  try {
    using _lock = borrowHome(home);
    const folders = assets.map(({ path }) => dirname(join(home.root, path)));
    for (const folder of new Set([home.data, home.config, ...folders])) sweepTemporaryFiles(folder);
    return refreshAssets(home, assets);
  } catch (error) {
    // Neither keeps a home of earlier from starting.
    if (error instanceof HubError && ["in_use", "storage"].includes(error.code))
      return { renewed: [], kept: [], failed: [] };
    throw error;
  }
}

/** Where a hub of this configuration answers for its health; `port` where the configuration takes any. */
export function healthAddress({ server }: HubConfig, port = server.port): HealthAddress {
  return { host: server.host, port, tls: server.tls_cert !== undefined };
}

/** Tells every warning on stderr. Throws HubError `config`, with every problem already told. */
export function readConfig(home: Home, { edge }: Io): HubConfig {
  const tell = (problem: LocatedProblem): void => edge.stderr.write(`${formatProblem(problem)}\n`);
  try {
    const { config, warnings } = loadConfig(home.hubToml);
    warnings.forEach(tell);
    return config;
  } catch (error) {
    if (error instanceof HubError) ((error.details.problems ?? []) as LocatedProblem[]).forEach(tell);
    throw error;
  }
}
