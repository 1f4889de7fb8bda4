// What people read of the command line: the help, from the table of commands and their options, and what exit codes mean.
import type { Command, CommandOption, ListedCommand } from "./command.ts";

/** An exit code: the hub is stopped, or cannot be reached. */
export const NOT_RUNNING = 3;
/** `hub status`: it runs, and something is wrong. */
export const TROUBLED = 4;
/** `hub device set`: sent, and not confirmed. */
export const UNANSWERED = 5;

export const EXIT_CODES: readonly (readonly [code: number, meaning: string])[] = [
  [0, "done, also where there is nothing to list; `hub status`: ready, and nothing is wrong"],
  [1, "it failed, or was refused; the message says why"],
  [2, "wrong options"],
  [NOT_RUNNING, "the hub is not running, or does not answer"],
  [TROUBLED, "`hub status`: it runs, and is starting, or something is wrong"],
  [UNANSWERED, "`hub device set`: the command was sent, and nothing confirms it"],
];

export const helpOption: CommandOption = { type: "boolean", doc: "show this text" };

/** Of all commands. */
export function usage(commands: readonly ListedCommand[]): string {
  const width = Math.max(...commands.map((command) => call(command).length));
  const list = commands.map((command) => `  hub ${call(command).padEnd(width)}  ${command.summary}\n`).join("");
  return `A home-automation hub in one file.\n\n${list}\n\`hub help COMMAND\` lists the options of a command, \`hub man\` prints the manual.\n`;
}

export function usageOf(listed: ListedCommand, command: Command): string {
  const rows = Object.entries({ ...command.options, help: helpOption }).map(
    ([name, option]) => [`--${withValue(name, option)}`, option.doc] as const,
  );
  const width = Math.max(...rows.map(([option]) => option.length));
  const options = rows.map(([option, doc]) => `  ${option.padEnd(width)}  ${doc}\n`).join("");
  return `hub ${call(listed)} [options]\n  ${listed.summary}\n\n${options}`;
}

export function withValue(name: string, { type, value = "VALUE" }: CommandOption): string {
  return type === "string" ? `${name} ${value}` : name;
}

function call({ name, args }: ListedCommand): string {
  return args ? `${name} ${args}` : name;
}
