// hub check: tells everything that is wrong with the configuration, and changes nothing.
import { type Command, homeOf, homeOption } from "./command.ts";
import { readConfig } from "./prepare.ts";

export const check: Command = {
  name: "check",
  summary: "Check the configuration and tell all its problems",
  options: homeOption,
  async run(invocation) {
    const home = homeOf(invocation);
    readConfig(home, invocation.io);
    invocation.io.edge.stdout.write(`${home.hubToml} is valid\n`);
    return 0;
  },
};
