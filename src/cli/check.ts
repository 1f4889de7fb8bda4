// hub check: tells everything that is wrong with the configuration, and changes nothing.
import { formatProblem } from "../config/load.ts";
import { HubError } from "../core/errors.ts";
import type { Home } from "../home/paths.ts";
import { readModesFile } from "../state/virtual/modes-file.ts";
import { type Command, homeOf, homeOption, type Io } from "./command.ts";
import { readConfig } from "./prepare.ts";

export const check: Command = {
  name: "check",
  summary: "Check the configuration and the modes, and tell all their problems",
  options: homeOption,
  async run({ io, ...invocation }) {
    const home = homeOf({ io, ...invocation });
    let located = true;
    try {
      located = readConfig(home, io).location.latitude !== undefined;
    } finally {
      // Told also where the configuration is wrong: all at once.
      checkModes(home, io, located);
    }
    io.edge.stdout.write(`${home.hubToml} is valid\n`);
    return 0;
  },
};

/** Throws HubError `config`, with every problem told. */
function checkModes(home: Home, { edge }: Io, located: boolean): void {
  const { problems } = readModesFile(home.modesToml, { located });
  for (const problem of problems) edge.stderr.write(`${formatProblem(problem)}\n`);
  const count = problems.filter(({ warning }) => !warning).length;
  if (count > 0) throw new HubError("config", `modes.toml has ${count === 1 ? "a problem" : `${count} problems`}`);
}
