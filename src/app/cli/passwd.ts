// hub passwd: sets a new password for a user, whether the hub runs or not.
import { readablePassword } from "../../kit/schema/ids.ts";
import { recordOnce } from "../../server/auth/audit.ts";
import { resetPassword } from "../../server/auth/login.ts";
import { actAsOwner } from "../../server/home/owner.ts";
import { type Command, homeOf, homeOption, jsonOption, print } from "./command.ts";
import { confirmElsewhere } from "./confirm-elsewhere.ts";
import { credentialsBlock } from "./credentials.ts";
import { assertHasDatabase, openHomeDatabase } from "./home-database.ts";
import { assertNoStandby } from "./hub-only.ts";

export const passwd: Command = {
  options: {
    ...homeOption,
    stdin: { type: "boolean", doc: "read the new password from standard input instead of generating one" },
    ...jsonOption,
  },
  maxPositionals: 1,
  async run(invocation) {
    const { io, options, positionals } = invocation;
    const { platform } = io;
    const home = homeOf(invocation);
    assertNoStandby(home, (hub) => `run \`hub passwd\` on the machine of ${hub}; the change is here seconds later`);
    using _owner = actAsOwner(home);
    const username = positionals[0] ?? "admin";
    assertHasDatabase(home);
    const given = options.stdin ? (await io.readStdin()).replace(/\r?\n$/, "") : undefined;
    const password = given ?? readablePassword(platform.random, 16);
    using db = openHomeDatabase(home, platform.clock, "no password can be changed");
    const { created } = await resetPassword(db, username, password, platform);
    recordOnce(db, platform.clock.now(), {
      actor: { kind: "command_line", id: "", name: "hub passwd" },
      address: "",
      action: "password.change",
      target: username,
      outcome: "ok",
    });
    const made = given === undefined ? { password } : {};
    print(invocation, { username, created, ...made }, () => {
      const begin = created ? `created the user "${username}" as an administrator\n` : "";
      const end =
        given === undefined ? credentialsBlock({ username, password }) : `the password of "${username}" was changed\n`;
      return begin + end;
    });
    return confirmElsewhere(home, io);
  },
};
