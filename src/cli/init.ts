// hub init: creates a home without starting anything.
import { actAsOwner } from "../home/owner.ts";
import { type Command, homeOf, homeOption } from "./command.ts";
import { layOut, readConfig } from "./prepare.ts";

export const init: Command = {
  options: homeOption,
  async run(invocation) {
    const { io } = invocation;
    const home = homeOf(invocation);
    using _owner = actAsOwner(home);
    const { created } = layOut(home, io);
    for (const path of created) io.edge.stdout.write(`created ${path}\n`);
    io.edge.stdout.write(
      created.length === 0
        ? `${home.root} is complete\n`
        : `${home.root} is ready: start it with \`hub --home ${home.root}\`\n`,
    );
    readConfig(home, io);
    return 0;
  },
};
