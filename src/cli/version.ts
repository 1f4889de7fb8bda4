// hub version.
import { version } from "../../package.json";
import type { Command } from "./command.ts";

export const hubVersion: string = version;

export const versionCommand: Command = {
  name: "version",
  summary: "Print the version of this hub",
  options: {},
  async run({ io }) {
    io.edge.stdout.write(`hub ${hubVersion} (Bun ${Bun.version}, ${process.platform}-${process.arch})\n`);
    return 0;
  },
};
