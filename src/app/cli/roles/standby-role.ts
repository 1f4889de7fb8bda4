// This machine is the house's standby: it keeps the copy, and becomes the hub when that is gone, hands over, or a person says so.
import { endTrial } from "../../../copies/backup/restore/restores.ts";
import { openCopy } from "../../../copies/standby/copy/copy.ts";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import { borrowHome } from "../../../server/home/lock.ts";
import type { HubConfig } from "../../config/sections.ts";
import { databaseSchemas } from "../../hub/wire-stores.ts";
import { historyCheckpointing } from "../history-checkpointing.ts";
import { copiedConfig } from "./config.ts";
import type { Next, Roles } from "./context.ts";
import { followOnce } from "./follow-once.ts";
import { lineOf } from "./present.ts";
import { openRoleServer, type RoleServer } from "./server.ts";
import { createStandbyControl, type StandbyControl } from "./standby-control.ts";

export async function beStandby(roles: Roles): Promise<Next> {
  const { all, home, log, clock } = roles;
  if (!roles.other())
    throw new HubError("config", "this machine does not know which hub to follow: run `hub standby --of URL` again");
  all.first = undefined;
  using _lock = borrowHome(home, { waits: true });
  endTrial(home, clock);
  using copy = openCopy({
    home,
    clock,
    log,
    schemas: databaseSchemas,
    own: { checkpointHistory: historyCheckpointing(home) },
  });
  const control = createStandbyControl(roles);
  all.present({ summary: () => lineOf(control.present()), isWell: async () => true });
  let config = copiedConfig(home);
  let server: RoleServer | undefined = openRoleServer(roles, config.server, control);
  roles.port ??= server.port;
  log.info("this machine is the standby", {
    hub: roles.other()?.address,
    ...{ listens_at: config.server.host, port: server.port },
  });
  try {
    for (;;) {
      const next = await followOnce(roles, config, { copy, control });
      if (next !== "again") return next;
      const before = config.server;
      config = copiedConfig(home);
      if (Bun.deepEquals(before, config.server)) continue;
      await server?.[Symbol.asyncDispose]();
      server = reopen(roles, config, control);
    }
  } finally {
    await server?.[Symbol.asyncDispose]();
  }
}

/** The copied address may be one that this machine has not: the copy goes on all the same. */
function reopen(roles: Roles, config: HubConfig, control: StandbyControl): RoleServer | undefined {
  try {
    const server = openRoleServer(roles, config.server, control);
    roles.log.info("this machine answers at the hub's address", { port: server.port, tls: server.tls });
    return server;
  } catch (error) {
    roles.log.error("this machine cannot answer at the hub's address, nor could its hub", { error: messageOf(error) });
    control.trouble = messageOf(error);
    return undefined;
  }
}
