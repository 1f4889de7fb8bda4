// The configuration of a machine that may be the standby: the copied hub.toml, which need not be there or right for it to go on copying.
import { ServerSection } from "../../../api/http/config.ts";
import { readMachine } from "../../../copies/standby/machine.ts";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import { checkValue } from "../../../kit/schema/schema.ts";
import { readTomlFile } from "../../../kit/schema/toml.ts";
import type { Home } from "../../../server/home/paths.ts";
import { checkConfig, formatProblem, type LocatedProblem } from "../../config/load.ts";
import { onThisMachine } from "../../config/on-this-machine.ts";
import type { HubConfig } from "../../config/sections.ts";
import { hubToml } from "../assets.ts";
import type { Io } from "../command.ts";
import { loadConfigOf, readConfig } from "../prepare.ts";

/** Throws as `readConfig` where this machine is the hub. */
export function configOfPaired(home: Home, io: Io): HubConfig {
  return readMachine(home)?.role === "standby" ? copiedConfig(home) : readConfig(home, io);
}

/** Where hub.toml is missing, or has problems: that of an empty house, at the address of the hub if that can be read. */
export function copiedConfig(home: Home): HubConfig {
  try {
    return loadConfigOf(home).config;
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    const { config } = checkConfig(hubToml.replace("@JWT_SECRET@", "of no hub, since there is none here".repeat(2)));
    if (!config) throw error;
    const copied = { ...config, server: copiedServer(home) ?? config.server };
    return onThisMachine({ config: copied, warnings: [] }, home.hubToml, readMachine(home)?.address).config;
  }
}

/** Why no hub can start here with the copied hub.toml, and what to do; undefined where one can. */
export function configTrouble(home: Home): string | undefined {
  try {
    loadConfigOf(home);
    return undefined;
  } catch (error) {
    const [first] = error instanceof HubError ? ((error.details.problems ?? []) as LocatedProblem[]) : [];
    const why = first ? formatProblem(first) : messageOf(error);
    return `this machine cannot start with the hub's hub.toml (${why}): where the hub is of a newer version, upgrade this one with \`hub upgrade FILE\`; otherwise mend it on the hub`;
  }
}

/** A newer hub may have sections that this version does not know. */
function copiedServer({ hubToml: file }: Home): HubConfig["server"] | undefined {
  try {
    const read = readTomlFile(file);
    const server = read.ok ? checkValue(ServerSection, read.table.server ?? {}) : undefined;
    return server?.ok ? server.value : undefined;
  } catch {
    return undefined;
  }
}
