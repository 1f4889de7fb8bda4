// What init and serve share: a home that is laid out, and a configuration that was read.
import { formatProblem, type LocatedProblem, loadConfig } from "../config/load.ts";
import type { HubConfig } from "../config/sections.ts";
import { HubError } from "../core/errors.ts";
import { type LaidOut, layOutHome } from "../home/layout.ts";
import type { Home } from "../home/paths.ts";
import { assets, hubToml } from "./assets.ts";
import type { Io } from "./command.ts";

export function layOut(home: Home, { edge, execPath, compiled }: Io): LaidOut {
  return layOutHome({ home, executable: compiled ? execPath : undefined, hubToml, assets, random: edge.random });
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
