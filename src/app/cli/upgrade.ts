// hub upgrade: replaces the executable of a home, and can go back.
import { accessSync, constants } from "node:fs";
import { resolve } from "node:path";
import { HubError, systemCode } from "../../kit/schema/errors.ts";
import { actAsOwner } from "../../server/home/owner.ts";
import type { Home } from "../../server/home/paths.ts";
import { type Machine, thisMachine } from "../../server/system/service/machine.ts";
import { type HealthAddress, healthAddress } from "../../server/system/upgrade/ask-health.ts";
import { rollBack, type Upgraded, upgrade as upgradeHome } from "../../server/system/upgrade/upgrade.ts";
import { type Command, homeOf, homeOption, type Io, jsonOption, print } from "./command.ts";
import { configOfPaired } from "./roles/config.ts";

export function createUpgradeCommand(machine: Machine): Command {
  return {
    options: {
      ...homeOption,
      force: { type: "boolean", doc: "accept an older version, too" },
      rollback: { type: "boolean", doc: "without FILE: go back to the version before the last upgrade" },
      databases: {
        type: "boolean",
        doc: "with --rollback: the databases become what they were before the upgrade, too; they are kept for a day",
      },
      ...jsonOption,
    },
    maxPositionals: 1,
    completes: { "": "file" },
    async run(invocation) {
      const { io, options, positionals } = invocation;
      const [file] = positionals;
      if ((file === undefined) === !options.rollback)
        throw new HubError("invalid", "say either `hub upgrade FILE` or `hub upgrade --rollback`");
      if (options.databases && !options.rollback)
        throw new HubError("invalid", "--databases goes with --rollback: an upgrade keeps the databases by itself");
      const home = homeOf(invocation);
      assertReadable(home);
      const given = {
        machine,
        clock: io.platform.clock,
        home,
        ...settingsOf(home, io),
        isRoot: io.isRoot,
        report: (line: string) => io.platform.stderr.write(`${line}\n`),
      };
      const done =
        file === undefined
          ? await rollBack(options.databases === true, given)
          : await upgradeHome(resolve(file), options.force === true, given);
      print(invocation, done, () => `${result(done)}\n`);
      return 0;
    },
  };
}

export const upgrade = createUpgradeCommand(thisMachine);

function settingsOf(home: Home, io: Io): { address: HealthAddress; watchSecs: number } {
  using _owner = actAsOwner(home);
  const config = configOfPaired(home, io);
  return { address: healthAddress(config), watchSecs: config.upgrade.watch_secs };
}

/** Of a service's home, only its user and root can read anything. */
function assertReadable({ hubToml }: Home): void {
  try {
    accessSync(hubToml, constants.R_OK);
  } catch (error) {
    if (systemCode(error) === "EACCES")
      throw new HubError("forbidden", `you may not read ${hubToml}: run it with sudo`);
  }
}

function result({ outcome, from, to }: Upgraded): string {
  if (outcome === "same") return `the hub is already ${to}: the files are the same`;
  const change = from === undefined ? to : `${from} → ${to}`;
  return outcome === "running"
    ? `the hub runs: ${change}`
    : `the executable was replaced: ${change}. No service runs it now; the next start uses it`;
}
