// What the commands backup and restore share.

import type { Counts } from "../../copies/backup/archive/manifest.ts";
import type { Schemas } from "../../copies/backup/database-copies.ts";
import { historyMigrations } from "../../house/history/migrations/index.ts";
import { stateMigrations } from "../../server/db/migrations/index.ts";
import { counted, type Invocation } from "./command.ts";

export const knownSchemas: Schemas = { state: stateMigrations.length, history: historyMigrations.length };

export const passphraseOption = {
  "passphrase-stdin": {
    type: "boolean",
    doc: "read the passphrase of an encrypted archive (age format) from standard input",
  },
} as const;

/** Of copies elsewhere. */
export const sheetOptions = {
  sheet: {
    type: "string",
    value: "FILE",
    completes: "file",
    doc: "the recovery sheet, on a machine without the house's hub.toml; `hub backup --recovery` prints it",
  },
  house: { type: "string", value: "NAME", doc: "the house, where several save to the same place" },
} as const;

/** Not an argument, because everybody on the machine can see those. */
export async function readPassphrase({ options, io }: Invocation): Promise<string | undefined> {
  return options["passphrase-stdin"] ? (await io.readStdin()).replace(/\r?\n$/, "") : undefined;
}

export function countsText({ devices, rules, users, plugins }: Counts): string {
  return [counted(devices, "device"), counted(rules, "rule"), counted(users, "user"), counted(plugins, "plugin")].join(
    ", ",
  );
}
