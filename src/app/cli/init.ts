// hub init: creates a home without starting anything.
import { actAsOwner } from "../../server/home/owner.ts";
import { type Command, homeOf, homeOption, jsonOption, print } from "./command.ts";
import { layOut, readConfig } from "./prepare.ts";

export const init: Command = {
  options: { ...homeOption, ...jsonOption },
  async run(invocation) {
    const { io } = invocation;
    const home = homeOf(invocation);
    using _owner = actAsOwner(home);
    const { created } = layOut(home, io);
    print(invocation, { home: home.root, created }, () => {
      const end =
        created.length === 0
          ? `${home.root} is complete\n`
          : `${home.root} is ready: start it with \`hub --home ${home.root}\`\n`;
      return `${created.map((path) => `created ${path}\n`).join("")}${end}`;
    });
    readConfig(home, io);
    return 0;
  },
};
