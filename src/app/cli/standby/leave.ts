// hub standby leave: this machine, or the hub's standby, is none any more.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isPaired, machinePath, readMachine } from "../../../copies/standby/machine.ts";
import { syncFolder } from "../../../kit/files/atomic-file.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import { isoSeconds } from "../../../kit/time/clock.ts";
import { borrowHome } from "../../../server/home/lock.ts";
import { actAsOwner } from "../../../server/home/owner.ts";
import type { Home } from "../../../server/home/paths.ts";
import { homeOf, type Invocation, print } from "../command.ts";
import { reach } from "../reach.ts";

export async function leave(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const home = homeOf(invocation);
  const file = isPaired(home) ? readMachine(home) : undefined;
  if (!file) throw new HubError("conflict", "this machine has nothing to do with a standby");
  if (file.role === "hub") {
    await (await reach(invocation)).client.ask("DELETE", "/standby");
    print(
      invocation,
      { role: "hub" },
      () => "this hub has no standby any more: the other machine is refused from now on\n",
    );
    return 0;
  }
  using _owner = actAsOwner(home);
  using _lock = borrowHome(home);
  const kept = putAside(home, io.platform.clock.now());
  print(
    invocation,
    { role: "standby", kept },
    () =>
      `this machine is no standby any more; what it had copied is in ${kept}. Run \`hub standby leave\` on the hub as well, so that it expects none\n`,
  );
  return 0;
}

/** All of the copy: a hub that started from what is left here would command the same house. */
function putAside(home: Home, now: number): string {
  const folder = join(home.data, `left-house-${isoSeconds(now).replaceAll(/[-:]/g, "")}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stays = [home.lock, `${home.lock}.pid`, machinePath(home), folder, join(home.data, "before-standby")];
  const ofData = readdirSync(home.data).map((name) => join(home.data, name));
  // The configuration goes first: without it nothing here starts as that house's hub.
  for (const path of [home.config, home.rules, home.plugins, ...ofData]) {
    if (!existsSync(path) || stays.includes(path) || /\/left-house-[^/]*$/.test(path)) continue;
    renameSync(path, join(folder, path.slice(home.root.length + 1).replaceAll("/", "-")));
  }
  for (const path of [folder, home.data, home.root]) syncFolder(path);
  rmSync(machinePath(home), { force: true });
  syncFolder(home.data);
  return folder;
}
