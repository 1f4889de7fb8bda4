// hub man: manual pages, from the same table as the help.
import { HubError } from "../../kit/schema/errors.ts";
import type { Command, CommandOption, ListedCommand } from "./command.ts";
import { EXIT_CODES, helpOption, withValue } from "./usage.ts";
import { hubVersion } from "./version.ts";

/** `commands`: all there are, this one too. */
export function manOf(commands: readonly ListedCommand[]): Command {
  return {
    options: {},
    maxPositionals: 1,
    completes: { "": "command" },
    async run({ io, positionals: [name] }) {
      const pages = await manPages(commands, "hub");
      const page = pages.get(name === undefined ? "hub" : `hub-${name}`);
      if (page === undefined) throw new HubError("not_found", `there is no command "${name}"; \`hub help\` lists all`);
      io.platform.stdout.write(page);
      return 0;
    },
  };
}

/** The pages of section 1 by name, in roff. `program`: what the hub is called, as the Debian package has another name for it. */
export async function manPages(
  commands: readonly ListedCommand[],
  program: string,
): Promise<ReadonlyMap<string, string>> {
  const pages = new Map([[program, overview(commands, program)]]);
  for (const listed of commands)
    pages.set(`${program}-${listed.name}`, commandPage(listed, await listed.load(), program));
  return pages;
}

function overview(commands: readonly ListedCommand[], program: string): string {
  return page(program, "a home-automation hub in one file", [
    ["SYNOPSIS", `.B ${roff(program)}\n[\\fICOMMAND\\fR] [\\fIARGUMENT\\fR...] [\\fIOPTION\\fR...]`],
    ["DESCRIPTION", roff(INTRODUCTION)],
    ["COMMANDS", entries(commands.map(({ name, args, summary }) => [callText(name, args), summary]))],
    ["EXIT STATUS", exitStatus],
    ["ENVIRONMENT", entries(ENVIRONMENT.map(([name, doc]) => [`.B ${name}`, doc]))],
    ["FILES", entries(FILES.map(([name, doc]) => [`.I ${name}`, doc]))],
    ["SEE ALSO", commands.map(({ name }) => `.BR ${roff(`${program}-${name}`)} (1)`).join(",\n")],
  ]);
}

function commandPage({ name, args, summary }: ListedCommand, command: Command, program: string): string {
  const options = Object.entries({ ...command.options, help: helpOption });
  return page(`${program}-${name}`, summary, [
    [
      "SYNOPSIS",
      `.B ${roff(program)} ${roff(name)}\n${args === undefined ? "" : `\\fI${roff(args)}\\fR `}[\\fIOPTION\\fR...]`,
    ],
    ["DESCRIPTION", `${roff(summary)}.`],
    ["OPTIONS", entries(options.map(([option, about]) => [optionText(option, about), docOf(about)]))],
    ["EXIT STATUS", exitStatus],
    ["SEE ALSO", `.BR ${roff(program)} (1)`],
  ]);
}

const INTRODUCTION =
  "It runs an MQTT broker, a registry of devices, rules, notifications, a history, backups, an API and a page for the family. Without a command it starts.";
const ENVIRONMENT: readonly (readonly [string, string])[] = [
  ["HUB_HOME", "the home, where --home is not given"],
  ["HUB_TOKEN", "a token or API key, with --url, for a hub elsewhere"],
  ["NO_COLOR", "no colours, on terminals too"],
];
const FILES: readonly (readonly [string, string])[] = [
  ["config/hub.toml", "the configuration, in the home"],
  ["rules/", "the rules, in the home"],
  ["logs/hub.log", "the log, in the home"],
];

const exitStatus = entries(EXIT_CODES.map(([code, meaning]) => [`.B ${code}`, meaning]));

type Section = readonly [title: string, text: string];

function page(name: string, about: string, sections: readonly Section[]): string {
  const head = `.TH ${quoted(name.toUpperCase())} 1 "" ${quoted(`hub ${hubVersion}`)} "User Commands"`;
  const all: Section[] = [["NAME", `${roff(name)} \\- ${roff(about)}`], ...sections];
  return `${[head, ...all.map(([title, text]) => `.SH ${title}\n${text}`)].join("\n")}\n`;
}

/** `.TP` entries; a term that is a request, such as `.B word`, is left as it is. */
function entries(list: readonly (readonly [term: string, doc: string])[]): string {
  return list.map(([term, doc]) => `.TP\n${term}\n${roff(doc)}`).join("\n");
}

function callText(name: string, args: string | undefined): string {
  return args === undefined ? `.B ${roff(name)}` : `\\fB${roff(name)}\\fR \\fI${roff(args)}\\fR`;
}

function optionText(name: string, option: CommandOption): string {
  const [word = "", value] = withValue(name, option).split(" ");
  return `\\fB${roff(`--${word}`)}\\fR${value === undefined ? "" : ` \\fI${roff(value)}\\fR`}`;
}

function docOf({ doc, values }: CommandOption): string {
  return values === undefined || values.every((value) => doc.includes(value))
    ? doc
    : `${doc}; one of ${values.join(", ")}`;
}

/** Plain text: a backslash or hyphen is itself, and a line that begins with a dot is no request. */
function roff(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^(?=[.'])/gm, "\\&");
}

function quoted(text: string): string {
  return `"${roff(text).replaceAll('"', "\\(dq")}"`;
}
