// The recovery sheet: a small TOML file with all that brings the house back from its copies elsewhere, on a machine that knows nothing
// of it. It is to be kept outside the house. A hub.toml of the house can be read as one, too.
import { readFileSync } from "node:fs";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import type { JsonObject } from "../../../kit/schema/json.ts";
import { checkValue } from "../../../kit/schema/schema.ts";
import { readToml, stringifyToml } from "../../../kit/schema/toml.ts";
import { BackupSection } from "../config.ts";
import { addressOf, type BackupTarget } from "./config.ts";
import { isHouseName } from "./copy-names.ts";
import type { Known } from "./storage.ts";

export interface RecoverySheet {
  /** Undefined where the sheet does not say: then the only house there is meant. */
  house: string | undefined;
  passphrase: string | undefined;
  targets: readonly BackupTarget[];
}

export interface SheetOptions extends RecoverySheet {
  /** When it is written: `2026-11-23T02:30:00Z`. */
  at: string;
  resolve: (path: string) => string;
  /** What is known of a target: the key of its server goes on the sheet. */
  known: (target: BackupTarget) => Known;
}

/** Throws HubError `storage` where a key cannot be read. */
export function recoverySheet({ house, passphrase, targets, at, resolve, known }: SheetOptions): string {
  const places = targets.map((target) => `#   ${target.name}: ${addressOf(target)}\n`).join("");
  const files = targets.flatMap((target) =>
    target.type === "webdav" && target.tls_ca !== undefined ? [`# Keep this file with it: ${target.tls_ca}\n`] : [],
  );
  const [first] = targets;
  const table = {
    ...(house !== undefined && { house }),
    backup: {
      ...(passphrase !== undefined && { passphrase }),
      targets: targets.map((one) => withKey(one, known(one), resolve)),
    },
  };
  return `# Recovery sheet of a house, written ${at}. Keep it outside the house, on paper or on a stick: it brings the house back after
# a fire, and whoever has it can read every secret of the house.
#
# Copies of the backups are at
${places}#
# On a new machine with the hub's executable, list them, look at the newest one, and restore it:
#   hub backup list --target ${first?.name} --sheet THIS_FILE
#   hub restore --from ${first?.name} latest --sheet THIS_FILE --dry-run
#   hub restore --from ${first?.name} latest --sheet THIS_FILE
#   hub serve
# Without a hub: the copies are zip files, encrypted with the passphrase below; \`age -d FILE > house.zip\` opens them.
${files.join("")}
${stringifyToml(table)}`;
}

/** Throws HubError `invalid` with what is wrong with it. */
export function parseRecoverySheet(text: string): RecoverySheet {
  const read = readToml(text);
  if (!read.ok) throw refused(`line ${read.problem.line ?? "?"}: ${read.problem.message}`);
  const { house, backup = {} } = read.table;
  const checked = checkValue(BackupSection, backup, "backup");
  if (!checked.ok) throw refused(checked.problems.map(({ path, message }) => `${path}: ${message}`).join("; "));
  const { passphrase, targets } = checked.value;
  if (targets.length === 0) throw refused("it names no [[backup.targets]]");
  return { house: typeof house === "string" && isHouseName(house) ? house : undefined, passphrase, targets };
}

/** Throws HubError `invalid` where there is no such target. */
export function targetNamed(targets: readonly BackupTarget[], name: string): BackupTarget {
  const found = targets.find((target) => target.name === name);
  if (found) return found;
  const names = targets.map((target) => target.name).join(", ");
  throw new HubError(
    "invalid",
    targets.length === 0
      ? "there is no [[backup.targets]] in hub.toml: give the recovery sheet"
      : `there is no [[backup.targets]] "${name}": there are ${names}`,
  );
}

/** A sheet on paper has no files beside it. */
function withKey(target: BackupTarget, { hostKey }: Known, resolve: (path: string) => string): JsonObject {
  if (target.type !== "sftp") return { ...target };
  const { key_file, ...rest } = { ...(hostKey !== undefined && { host_key: hostKey }), ...target };
  if (key_file === undefined) return rest;
  try {
    return { ...rest, key: readFileSync(resolve(key_file), "utf8") };
  } catch (error) {
    throw new HubError("storage", `cannot read ${key_file}: ${messageOf(error)}`, { cause: error });
  }
}

const refused = (why: string): HubError => new HubError("invalid", `the recovery sheet cannot be used: ${why}`);
