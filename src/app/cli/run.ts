// From the words of the command line to an exit code (EXIT_CODES).
import { parseArgs } from "node:util";
import { didYouMean } from "../../kit/schema/did-you-mean.ts";
import { HubError, messageOf } from "../../kit/schema/errors.ts";
import type { Command, CommandOption, Io, ListedCommand, OptionValue } from "./command.ts";
import { commands } from "./index.ts";
import { helpOption, NOT_RUNNING, usage, usageOf, withValue } from "./usage.ts";

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
  io.platform.stdout.write(command ? usageOf(command, await command.load()) : usage(commands));
  return 0;
}

function refuseUnknown(name: string, { platform: { stderr } }: Io): number {
  const names = commands.map((command) => command.name);
  stderr.write(`hub: there is no command "${name}"${didYouMean(name, names)}\n\n${usage(commands)}`);
  return 2;
}

function commandNamed(name: string): ListedCommand | undefined {
  return commands.find((command) => command.name === name);
}

async function runCommand(listed: ListedCommand, words: readonly string[], io: Io): Promise<number> {
  const { stdout, stderr } = io.platform;
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
    const isAway = error instanceof HubError && error.code === "unavailable";
    // What a hub cannot start without is another matter.
    return isAway && listed.name !== "serve" ? NOT_RUNNING : 1;
  }
}

/** Where the output went to a full disk, the command did not do what was asked; the hub itself does not end for that. */
function asWritten(code: number, { platform: { stdout, stderr } }: Io): number {
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
  if (option.values && !option.multiple && value !== undefined && !option.values.includes(value))
    throw new Error(`--${name} must be one of ${option.values.join(", ")}`);
  if (option.type === "boolean" && value !== undefined) throw new Error(`--${name} takes no value`);
}
