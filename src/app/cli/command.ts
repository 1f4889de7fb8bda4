// The interface of a command of the command line, and what several commands share.
import { recoverRestore } from "../../copies/backup/restore/swap-in.ts";
import type { Platform } from "../../kit/lifecycle/platform.ts";
import { findHome, type Home } from "../../server/home/paths.ts";

/** What a command may use besides its arguments. */
export interface Io {
  platform: Platform;
  /** The running executable. */
  execPath: string;
  /** Whether that is the compiled hub, not Bun running the sources. */
  compiled: boolean;
  isRoot: boolean;
  readStdin(): Promise<string>;
  /** Resolves with the signal's name when the process is asked to end. */
  stopRequested(): Promise<string>;
  /** Calls `note` with an error that nobody caught, before it ends the process. */
  onCrash(note: (error: unknown) => void): void;
}

/** What is completed in a shell: names of the house, or of files. */
export type Completes =
  | "attribute"
  | "rule"
  | "area"
  | "type"
  | "device"
  | "reported"
  | "wanted"
  | "scene"
  | "command"
  | "export"
  | "target"
  | "file";

export interface CommandOption {
  type: "string" | "boolean";
  /** It may be given several times; its value is a list. */
  multiple?: boolean;
  /** The name of a string's value in the help. */
  value?: string;
  doc: string;
  /** All values it may have. */
  values?: readonly string[];
  /** What its values are names of. */
  completes?: Completes;
}

export type OptionValue = string | boolean | readonly (string | boolean)[] | undefined;

export interface Invocation {
  positionals: string[];
  options: Readonly<Record<string, OptionValue>>;
  io: Io;
}

/** A command as the help lists it. */
export interface ListedCommand {
  name: string;
  /** After the name, in the usage line. */
  args?: string;
  summary: string;
  load(): Promise<Command>;
}

export interface Command {
  options: Readonly<Record<string, CommandOption>>;
  /** How many arguments may follow the name. */
  maxPositionals?: number;
  /** What the arguments behind this word are names of, or the first ones behind an empty word. A list's last one goes on. */
  completes?: Readonly<Record<string, Completes | readonly Completes[]>>;
  /** Resolves with the exit code. The caller prints HubErrors. */
  run(invocation: Invocation): Promise<number>;
}

export const homeOption = {
  home: {
    type: "string",
    value: "FOLDER",
    completes: "file",
    doc: "the home; default: HUB_HOME, else the one this program is in, else /opt/hub (root) or ~/hub",
  },
} as const;

export const jsonOption = { json: { type: "boolean", doc: "print JSON" } } as const;

/** Prints what was found or done: one JSON document where that was asked for, else the text. */
export function print({ options, io }: Invocation, found: unknown, text: () => string): void {
  io.platform.stdout.write(options.json ? `${JSON.stringify(found)}\n` : text());
}

/** The home; an interrupted restore is not finished yet. */
export function findHomeOf({ options, io }: Invocation): Home {
  const flag = typeof options.home === "string" ? options.home : undefined;
  const program = io.compiled ? io.execPath : Bun.main;
  return findHome({ flag, env: io.platform.env, program, isRoot: io.isRoot });
}

/** The home, after finishing an interrupted restore. Throws HubError `in_use` while a restore is running. */
export function homeOf(invocation: Invocation): Home {
  const home = findHomeOf(invocation);
  finishRestore(home, invocation.io);
  return home;
}

/** Finishes an interrupted restore. `act` provides the rights to do so. */
export function finishRestore(home: Home, io: Io, act?: (home: Home) => Disposable): void {
  if (recoverRestore(home, act)) io.platform.stderr.write("finished a restore that had been interrupted\n");
}

/** `1 rule`, `2 rules` */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
