// From the words of the command line to an exit code: 0 done, 1 failed, 2 wrong usage.
import { parseArgs } from "node:util";
import { didYouMean } from "../core/did-you-mean.ts";
import { HubError, messageOf } from "../core/errors.ts";
import type { Command, CommandOption, Io, ListedCommand, OptionValue } from "./command.ts";
import { commands } from "./index.ts";

const helpOption: CommandOption = { type: "boolean", doc: "show this text" };

export async function run(argv: readonly string[], io: Io): Promise<number> {
  const [first = "serve", ...rest] = argv;
  if (first === "help")
    return help(
      rest.find((word) => !word.startsWith("-")),
      io,
    );
  if (first === "--help" || first === "-h") return help(undefined, io);
  if (first === "cell") return (await import("./cell.ts")).runInCell(rest, io);
  if (["--version", "-v", "-V"].includes(first)) return run(["version"], io);
  // Options without a command belong to serve.
  if (first.startsWith("-")) return run(["serve", ...argv], io);
  const command = commandNamed(first);
  return command ? runCommand(command, rest, io) : refuseUnknown(first, io);
}

async function help(name: string | undefined, io: Io): Promise<number> {
  const command = name === undefined ? undefined : commandNamed(name);
  if (name !== undefined && !command) return refuseUnknown(name, io);
  io.edge.stdout.write(command ? usageOf(command, await command.load()) : usage());
  return 0;
}

function refuseUnknown(name: string, { edge: { stderr } }: Io): number {
  const names = commands.map((command) => command.name);
  stderr.write(`hub: there is no command "${name}"${didYouMean(name, names)}\n\n${usage()}`);
  return 2;
}

function commandNamed(name: string): ListedCommand | undefined {
  return commands.find((command) => command.name === name);
}

async function runCommand(listed: ListedCommand, words: readonly string[], io: Io): Promise<number> {
  const { stdout, stderr } = io.edge;
  const command = await listed.load();
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(command, words);
  } catch (error) {
    stderr.write(`hub ${listed.name}: ${messageOf(error)}\n\n${usageOf(listed, command)}`);
    return 2;
  }
  if (parsed.options.help) {
    stdout.write(usageOf(listed, command));
    return 0;
  }
  try {
    const code = await command.run({ ...parsed, io });
    return listed.name === "serve" ? code : asWritten(code, io);
  } catch (error) {
    // A HubError says what to do; anything else is a bug and needs its stack.
    stderr.write(`hub: ${error instanceof HubError || !(error instanceof Error) ? messageOf(error) : error.stack}\n`);
    return 1;
  }
}

/** Where the output went to a full disk, the command did not do what was asked; the hub itself does not end for that. */
function asWritten(code: number, { edge: { stdout, stderr } }: Io): number {
  if (stdout.problem === undefined) return code;
  stderr.write(`hub: the output is not whole: ${stdout.problem}\n`);
  return code || 1;
}

function parse(command: Command, words: readonly string[]) {
  const options = { ...command.options, help: { ...helpOption, short: "h" } };
  const request = { args: [...words], allowPositionals: true, options };
  const { tokens } = parseArgs({ ...request, strict: false, tokens: true });
  for (const token of tokens) if (token.kind === "option") checkOption(token, options);
  const { values, positionals } = parseArgs(request);
  const most = command.maxPositionals ?? 0;
  if (positionals.length > most) throw new Error(`there is one argument too many: "${positionals[most]}"`);
  return { positionals, options: values as Readonly<Record<string, OptionValue>> };
}

function checkOption(
  { name, rawName, value }: { name: string; rawName: string; value?: string | undefined },
  options: Readonly<Record<string, CommandOption>>,
): void {
  const known = Object.keys(options).map((option) => `--${option}`);
  const option = Object.hasOwn(options, name) ? options[name] : undefined;
  if (!option) throw new Error(`there is no option "${rawName}"${didYouMean(rawName, known)}`);
  if (option.type === "string" && !value) throw new Error(`--${name} needs a value: --${withValue(name, option)}`);
  if (option.type === "boolean" && value !== undefined) throw new Error(`--${name} takes no value`);
}

function withValue(name: string, { type, value = "VALUE" }: CommandOption): string {
  return type === "string" ? `${name} ${value}` : name;
}

function usage(): string {
  const width = Math.max(...commands.map((command) => call(command).length));
  const list = commands.map((command) => `  hub ${call(command).padEnd(width)}  ${command.summary}\n`).join("");
  return `A home-automation hub in one file.\n\n${list}\n\`hub help COMMAND\` lists the options of a command.\n`;
}

function usageOf(listed: ListedCommand, command: Command): string {
  const rows = Object.entries({ ...command.options, help: helpOption }).map(
    ([name, option]) => [`--${withValue(name, option)}`, option.doc] as const,
  );
  const width = Math.max(...rows.map(([option]) => option.length));
  const options = rows.map(([option, doc]) => `  ${option.padEnd(width)}  ${doc}\n`).join("");
  return `hub ${call(listed)} [options]\n  ${listed.summary}\n\n${options}`;
}

function call({ name, args }: ListedCommand): string {
  return args ? `${name} ${args}` : name;
}
