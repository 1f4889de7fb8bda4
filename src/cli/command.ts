// What a command of the command line is.
import { recoverRestore } from "../backup/restore.ts";
import type { Edge } from "../core/edge.ts";
import { findHome } from "../home/find.ts";
import type { Home } from "../home/paths.ts";

/** What a command may touch besides its arguments. */
export interface Io {
  edge: Edge;
  /** The running executable. */
  execPath: string;
  /** Whether that is the compiled hub, not Bun running the sources. */
  compiled: boolean;
  isRoot: boolean;
  readStdin(): Promise<string>;
  /** Resolves with the signal's name when the process is asked to end. */
  stopRequested(): Promise<string>;
}

export interface CommandOption {
  type: "string" | "boolean";
  doc: string;
}

export interface Invocation {
  positionals: string[];
  options: Readonly<Record<string, string | boolean | undefined>>;
  io: Io;
}

export interface Command {
  name: string;
  /** Behind the name, in the usage line. */
  args?: string;
  summary: string;
  options: Readonly<Record<string, CommandOption>>;
  /** How many words may follow the name. */
  maxPositionals?: number;
  /** Resolves with the exit code. HubErrors are told by the caller. */
  run(invocation: Invocation): Promise<number>;
}

export const homeOption = {
  home: { type: "string", doc: "HUB_HOME; else the environment's, else around the executable, else /opt/hub or ~/hub" },
} as const;

/** The home as it is. */
export function findHomeOf({ options, io }: Invocation): Home {
  const flag = typeof options.home === "string" ? options.home : undefined;
  return findHome({ flag, env: io.edge.env, execPath: io.execPath, isRoot: io.isRoot });
}

/** The home; a restore of it that was cut short is carried to its end first. Throws HubError `in_use` while one is under way. */
export function homeOf(invocation: Invocation): Home {
  const home = findHomeOf(invocation);
  recover(home, invocation.io);
  return home;
}

/** Ends a restore that was cut short. `act` gives the rights to do it with. */
export function recover(home: Home, io: Io, act?: (home: Home) => Disposable): void {
  if (recoverRestore(home, act)) io.edge.stderr.write("a restore that had been cut short was carried to its end\n");
}
