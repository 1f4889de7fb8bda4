// What backup and restore share on the command line.

import type { Schemas } from "../backup/database-copies.ts";
import type { Counts } from "../backup/manifest.ts";
import type { Output } from "../core/edge.ts";
import type { Fields } from "../core/log.ts";
import { stateMigrations } from "../db/migrations/index.ts";
import { historyMigrations } from "../history/migrations/index.ts";
import type { Invocation } from "./command.ts";

export const knownSchemas: Schemas = { state: stateMigrations.length, history: historyMigrations.length };

export const passphraseOption = {
  "passphrase-stdin": { type: "boolean", doc: "read the passphrase of the archive from standard input (age format)" },
} as const;

/** Not as an argument: those are seen by everybody on the machine. */
export async function readPassphrase({ options, io }: Invocation): Promise<string | undefined> {
  return options["passphrase-stdin"] ? (await io.readStdin()).replace(/\r?\n$/, "") : undefined;
}

export function countsText({ devices, rules, users, plugins }: Counts): string {
  const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
  return [counted(devices, "device"), counted(rules, "rule"), counted(users, "user"), counted(plugins, "plugin")].join(
    ", ",
  );
}

/** A log for commands: warnings as lines. */
export function warningLog(stderr: Output) {
  return {
    warn(message: string, fields: Fields = {}) {
      const told = Object.entries(fields).map(([name, value]) => ` ${name}=${value}`);
      stderr.write(`warning: ${message}${told.join("")}\n`);
    },
  };
}
