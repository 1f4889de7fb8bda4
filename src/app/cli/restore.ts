// hub restore: replaces a home's state by that of an archive, or undoes that.
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Counts, Counts as CountsSchema } from "../../copies/backup/archive/manifest.ts";
import { checkArchive, restoreHome } from "../../copies/backup/restore/restore.ts";
import type { Staged } from "../../copies/backup/restore/stage.ts";
import { undoRestore } from "../../copies/backup/restore/swap-in.ts";
import { HubError, messageOf } from "../../kit/schema/errors.ts";
import { actAsOwner } from "../../server/home/owner.ts";
import type { Home } from "../../server/home/paths.ts";
import { checkConfig } from "../config/load.ts";
import { countsText, knownSchemas, passphraseOption, readPassphrase, sheetOptions } from "./archives.ts";
import { type Command, homeOf, homeOption, type Invocation, type Io, jsonOption, print } from "./command.ts";
import { assertNoStandby, insteadOf } from "./hub-only.ts";

export const restore: Command = {
  options: {
    ...homeOption,
    ...passphraseOption,
    "dry-run": { type: "boolean", doc: "verify the archive, and change nothing" },
    from: {
      type: "string",
      value: "TARGET",
      completes: "target",
      doc: "fetch the archive from a place of [[backup.targets]]: FILE is then a copy's name, or `latest`",
    },
    ...sheetOptions,
    undo: { type: "boolean", doc: "without FILE: bring back what the last restore replaced" },
    ...jsonOption,
  },
  maxPositionals: 1,
  completes: { "": "file" },
  async run(invocation) {
    const home = homeOf(invocation);
    const { positionals, options } = invocation;
    const [file] = positionals;
    if (!options["dry-run"]) assertNoStandby(home, insteadOf("restored"));
    if (options.undo) return undo(home, invocation);
    const given = await readPassphrase(invocation);
    if (typeof options.from === "string") {
      const { fetchCopy } = await import("./copies.ts");
      await using copy = await fetchCopy(home, options.from, file ?? "latest", invocation);
      return await restoreFile({ ...copy, home, passphrase: given ?? copy.passphrase }, invocation);
    }
    if (file === undefined) throw new HubError("invalid", "name the archive: hub restore FILE");
    return await restoreFile({ home, file: named(file), name: file, passphrase: given }, invocation);
  },
};

interface Source {
  home: Home;
  file: string;
  /** For messages. */
  name: string;
  passphrase: string | undefined;
}

async function restoreFile({ home, file, name, passphrase }: Source, invocation: Invocation): Promise<number> {
  const { options, io } = invocation;
  const archive = { home, file, passphrase: passphrase ?? configuredPassphrase(home), schemas: knownSchemas };
  if (options["dry-run"]) {
    const staged = await checkArchive(archive);
    printWarnings(staged, io);
    print(
      invocation,
      { restored: false, archive: name, ...described(staged) },
      () => `${stagedText(staged)}${name} is sound and can be restored; nothing was changed\n`,
    );
    return 0;
  }
  const { staged, counts, kept } = await restoreHome({ ...archive, now: io.platform.clock.now() });
  printWarnings(staged, io);
  printConfigProblems(home, io);
  print(invocation, { restored: true, home: home.root, archive: name, ...described(staged), counts, kept }, () => {
    const found = `${comparison(staged.manifest?.counts, counts)}restored ${home.root} from ${name}\n`;
    return `${stagedText(staged)}${found}the old state is in ${kept}; \`hub restore --undo\` brings it back\n`;
  });
  return 0;
}

function described({ manifest, counts }: Staged) {
  const { created_at = null, hub_version = null } = manifest ?? {};
  return { created_at, hub_version, counts };
}

async function undo(home: Home, invocation: Invocation): Promise<number> {
  const { positionals, options, io } = invocation;
  if (positionals.length > 0 || options["dry-run"])
    throw new HubError("invalid", "--undo takes neither an archive nor --dry-run");
  using _owner = actAsOwner(home);
  const { counts, kept, at } = await undoRestore(home, io.platform.clock.now());
  print(invocation, { undone: at, home: home.root, counts, kept }, () => {
    const now = `the state until now is in ${kept}; another \`hub restore --undo\` brings it back\n`;
    return `brought back what the restore of ${at} had replaced: ${countsText(counts)}\n${now}`;
  });
  return 0;
}

function named(file: string): string {
  if (file === "-")
    throw new HubError(
      "invalid",
      "an archive is read from its end, so not from standard input: save it to a file first",
    );
  return resolve(file);
}

function stagedText({ manifest, counts }: Staged): string {
  const what = manifest
    ? `a backup of ${manifest.created_at} by hub ${manifest.hub_version}`
    : "an archive without a manifest";
  return `${what}: ${countsText(counts)}\n`;
}

function printWarnings({ warnings }: Staged, { platform: { stderr } }: Io): void {
  for (const warning of warnings) stderr.write(`warning: ${warning}\n`);
}

/** Problems of the restored configuration, and plugin files it names that are not here: a person has to mend those. */
function printConfigProblems(home: Home, { platform: { stderr } }: Io): void {
  using _owner = actAsOwner(home);
  if (!existsSync(home.hubToml)) return;
  const { config, problems } = checkConfig(textOf(home.hubToml), { otherMqttAccounts: true });
  for (const { path, message, line } of problems)
    stderr.write(`warning: ${home.hubToml}${line ? `:${line}` : ""}: ${path ? `${path}: ` : ""}${message}\n`);
  for (const { id, config: file } of config?.plugins ?? [])
    if (file && !existsSync(home.resolve(file)))
      stderr.write(
        `warning: the plugin "${id}" has no ${file} here: backups do not include it, copy it from the old machine\n`,
      );
}

function configuredPassphrase(home: Home): string | undefined {
  using _owner = actAsOwner(home);
  if (!existsSync(home.hubToml)) return undefined;
  const { config } = checkConfig(textOf(home.hubToml), { otherMqttAccounts: true });
  const backup = (config as { backup?: { passphrase?: string } } | undefined)?.backup;
  return backup?.passphrase;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new HubError(
      "storage",
      `cannot read ${path}: ${messageOf(error)}; run it as the owner of the home, or as root`,
      {
        cause: error,
      },
    );
  }
}

/** The counts of the archive and those found in the home, a line each. */
function comparison(claimed: Counts | undefined, found: Counts): string {
  if (!claimed) return `found here now: ${countsText(found)}\n`;
  const names = Object.keys(CountsSchema.properties) as (keyof Counts)[];
  const lines = names.map((name) => {
    const verdict = claimed[name] === found[name] ? "as in the backup" : "DIFFERENT";
    return `  ${name.padEnd(8)} ${String(claimed[name]).padStart(6)} in the backup, ${String(found[name]).padStart(6)} here: ${verdict}\n`;
  });
  return lines.join("");
}
