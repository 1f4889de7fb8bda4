// hub passwd: sets a new password for a user, whether the hub runs or not.
import { existsSync } from "node:fs";
import { recordOnce } from "../auth/audit.ts";
import { resetPassword } from "../auth/login.ts";
import { HubError } from "../core/errors.ts";
import { readablePassword } from "../core/ids.ts";
import { STORAGE_TEXTS } from "../core/storage-fault.ts";
import { openStateDb } from "../db/state-db.ts";
import { actAsOwner } from "../home/owner.ts";
import { type Command, homeOf, homeOption } from "./command.ts";
import { confirmElsewhere } from "./confirm-elsewhere.ts";
import { credentialsBlock } from "./credentials.ts";
import { assertNoStandby } from "./hub-only.ts";

export const passwd: Command = {
  options: {
    ...homeOption,
    stdin: { type: "boolean", doc: "read the new password from standard input instead of generating one" },
  },
  maxPositionals: 1,
  async run(invocation) {
    const { io, options, positionals } = invocation;
    const { edge } = io;
    const home = homeOf(invocation);
    assertNoStandby(home, (hub) => `run \`hub passwd\` on the machine of ${hub}; the change is here seconds later`);
    using _owner = actAsOwner(home);
    const username = positionals[0] ?? "admin";
    if (!existsSync(home.stateDb)) {
      throw new HubError("not_found", `there is no hub in ${home.root}: name its home with --home, or start it once`);
    }
    const given = options.stdin ? (await io.readStdin()).replace(/\r?\n$/, "") : undefined;
    const password = given ?? readablePassword(edge.random, 16);
    using db = openStateDb(home.stateDb, edge.clock.now);
    if (db.copy !== undefined) {
      const { what, mend } = STORAGE_TEXTS[db.copy.fault];
      throw new HubError("storage", `${what}, so no password can be changed: ${mend}`);
    }
    const { created } = await resetPassword(db, username, password, edge);
    recordOnce(db, edge.clock.now(), {
      actor: { kind: "command_line", id: "", name: "hub passwd" },
      address: "",
      action: "password.change",
      target: username,
      outcome: "ok",
    });
    if (created) edge.stdout.write(`created the user "${username}" as an administrator\n`);
    edge.stdout.write(
      given === undefined ? credentialsBlock({ username, password }) : `the password of "${username}" was changed\n`,
    );
    return confirmElsewhere(home, io);
  },
};
