// hub version.
import { version } from "../../../package.json";
import type { Command } from "./command.ts";

export const hubVersion: string = version;

export const versionCommand: Command = {
  options: { json: { type: "boolean", doc: "as JSON, with the newest layout of each database that it reads" } },
  async run({ io, options }) {
    const { stdout } = io.platform;
    if (options.json) {
      const { knownSchemas } = await import("./archives.ts");
      stdout.write(`${JSON.stringify({ version, bun: Bun.version, databases: knownSchemas })}\n`);
    } else stdout.write(`hub ${hubVersion} (Bun ${Bun.version}, ${process.platform}-${process.arch})\n`);
    return 0;
  },
};
