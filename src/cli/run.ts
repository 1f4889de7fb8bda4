// From words of the command line to an exit code: 0 done, 1 failed, 2 not understood.
import { parseArgs } from "node:util";
import { HubError, messageOf } from "../core/errors.ts";
import { didYouMean } from "../core/schema.ts";
import type { Command, Io } from "./command.ts";
import { commands } from "./index.ts";

export async function run(argv: readonly string[], io: Io): Promise<number> {
  const { stdout, stderr } = io.edge;
  const [first = "serve", ...others] = argv;
  if (["help", "--help", "-h"].includes(first)) {
    stdout.write(usage());
    return 0;
  }
  if (first === "--version" || first === "-V") return run(["version"], io);
  // Options alone belong to serve.
  if (first.startsWith("-")) return run(["serve", ...argv], io);
  const command = commands.find(({ name }) => name === first);
  if (!command) {
    const names = commands.map(({ name }) => name);
    stderr.write(`hub: there is no command "${first}"${didYouMean(first, names)}\n\n${usage()}`);
    return 2;
  }
  return runCommand(command, others, io);
}

async function runCommand(command: Command, words: readonly string[], io: Io): Promise<number> {
  const { stdout, stderr } = io.edge;
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(command, words);
  } catch (error) {
    stderr.write(`hub ${command.name}: ${messageOf(error)}\n\n${usageOf(command)}`);
    return 2;
  }
  if (parsed.options.help) {
    stdout.write(usageOf(command));
    return 0;
  }
  try {
    return await command.run({ ...parsed, io });
  } catch (error) {
    // A bug keeps its stack; a refusal says what to do.
    stderr.write(`hub: ${error instanceof HubError || !(error instanceof Error) ? messageOf(error) : error.stack}\n`);
    return 1;
  }
}

function parse(command: Command, words: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: { ...command.options, help: { type: "boolean", short: "h" } },
  });
  const most = command.maxPositionals ?? 0;
  if (positionals.length > most) throw new Error(`"${positionals[most]}" is one word too many`);
  const given: Readonly<Record<string, string | boolean | undefined>> = values;
  if (given.home === "") throw new Error("--home needs a folder");
  return { positionals, options: given };
}

function usage(): string {
  const width = Math.max(...commands.map((command) => call(command).length));
  const list = commands.map((command) => `  hub ${call(command).padEnd(width)}  ${command.summary}\n`).join("");
  return `A home-automation hub in one file.\n\n${list}\n  hub COMMAND --help tells a command's options.\n`;
}

function usageOf(command: Command): string {
  const options = Object.entries(command.options).map(
    ([name, { type, doc }]) => `  --${name}${type === "string" ? " VALUE" : ""}  ${doc}\n`,
  );
  return `hub ${call(command)} [options]\n  ${command.summary}\n\n${options.join("")}`;
}

function call({ name, args }: Command): string {
  return args ? `${name} ${args}` : name;
}
