// Where HUB_HOME is when nobody says so.
import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Edge } from "../core/edge.ts";
import { type Home, homeAt } from "./paths.ts";

export interface Whereabouts {
  /** `--home`. */
  flag: string | undefined;
  env: Edge["env"];
  execPath: string;
  isRoot: boolean;
}

/**
 * `--home`, else HUB_HOME, else the folder above the executable if it holds config/hub.toml, else /opt/hub or ~/hub.
 * Where a file has that last name, most likely the executable just copied there, the home stands beside it.
 */
export function findHome({ flag, env, execPath, isRoot }: Whereabouts): Home {
  const named = flag ?? env.HUB_HOME;
  if (named) return homeAt(named);
  const around = homeAt(dirname(dirname(realpathSync(execPath))));
  if (existsSync(around.hubToml)) return around;
  const usual = isRoot || !env.HOME ? "/opt/hub" : join(env.HOME, "hub");
  return homeAt(statSync(usual, { throwIfNoEntry: false })?.isFile() ? `${usual}-home` : usual);
}
