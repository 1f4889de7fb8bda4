// hub backup: saves an archive of a home, whether its hub runs or not.
import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { openArchive } from "../../copies/backup/archive/archive.ts";
import { saveArchive } from "../../copies/backup/archive/save-archive.ts";
import { lockBackups } from "../../copies/backup/backup-lock.ts";
import { recordBackup } from "../../copies/backup/last-backup.ts";
import { timeInName } from "../../copies/backup/places.ts";
import { setAsideStaleWal } from "../../copies/backup/restore/stale-wal.ts";
import { megabytes } from "../../kit/files/free-space.ts";
import type { Fields } from "../../kit/lifecycle/log.ts";
import type { Output } from "../../kit/lifecycle/platform.ts";
import { HubError, messageOf } from "../../kit/schema/errors.ts";
import { isoSeconds } from "../../kit/time/clock.ts";
import { borrowHome } from "../../server/home/lock.ts";
import { actAsOwner } from "../../server/home/owner.ts";
import type { Home } from "../../server/home/paths.ts";
import { countsText, knownSchemas, passphraseOption, readPassphrase, sheetOptions } from "./archives.ts";
import { type Command, findHomeOf, homeOf, homeOption, type Invocation, jsonOption, print } from "./command.ts";
import { historyCheckpointing } from "./history-checkpointing.ts";
import { assertHasDatabase } from "./home-database.ts";
import { assertNoStandby } from "./hub-only.ts";
import { hubVersion } from "./version.ts";

export const backup: Command = {
  options: {
    ...homeOption,
    ...passphraseOption,
    target: {
      type: "string",
      value: "NAME",
      completes: "target",
      doc: "with `list`: only the copies at this place of [[backup.targets]]",
    },
    ...sheetOptions,
    recovery: { type: "boolean", doc: "print the recovery sheet: what brings the house back from copies elsewhere" },
    ...jsonOption,
  },
  maxPositionals: 1,
  completes: { "": "file" },
  async run(invocation) {
    const { io, positionals, options } = invocation;
    refuseJson(invocation);
    if (options.recovery) return (await import("./copies.ts")).printSheet(findHomeOf(invocation), invocation);
    if (options.target !== undefined || positionals[0] === "list") return await list(invocation);
    const home = homeOf(invocation);
    assertNoStandby(
      home,
      (hub) => `its copy changes all the time, so save the house on the machine of ${hub}, or on its page`,
    );
    assertHasDatabase(home);
    const passphrase = await readPassphrase(invocation);
    using _lock = lock(home, invocation);
    const now = io.platform.clock.now();
    const archive = { home, hubVersion, now, checkpointHistory: historyCheckpointing(home) };
    if (positionals[0] === "-") {
      await writeToStdout(archive, { passphrase, stderr: io.platform.stderr });
      return 0;
    }
    const target = targetOf(positionals[0], now, passphrase !== undefined);
    const asOwner = (): Disposable => actAsOwner(home);
    const saved = await saveArchive({ ...archive, target, passphrase, schemas: knownSchemas, asOwner });
    record(home, now);
    printSkipped(saved.skipped, io.platform.stderr);
    const { bytes, counts, skipped } = saved;
    print(
      invocation,
      { file: target, bytes, counts, skipped, encrypted: passphrase !== undefined },
      () => `${target}: ${megabytes(bytes)}, ${countsText(counts)}; read back and sound\n`,
    );
    return 0;
  },
};

function refuseJson({ options, positionals }: Invocation): void {
  if (options.json && options.recovery)
    throw new HubError("invalid", "--json does not go with --recovery: the sheet is TOML, which people read too");
  if (options.json && positionals[0] === "-")
    throw new HubError("invalid", "--json does not go with -: the archive itself is on standard output then");
}

async function list(invocation: Invocation): Promise<number> {
  if (invocation.positionals[0] !== "list")
    throw new HubError("invalid", "--target goes with `hub backup list`, which lists the copies there");
  return (await import("./copies.ts")).listCopies(findHomeOf(invocation), invocation);
}

/** Works in the home with its owner's rights; the archive belongs to the user who runs the command. */
function lock(home: Home, invocation: Invocation): Disposable {
  using _owner = actAsOwner(home);
  checkStopped(home, invocation);
  return lockBackups(home);
}

function record(home: Home, now: number): void {
  using _owner = actAsOwner(home);
  recordBackup(home, isoSeconds(now));
}

/** In the home of a stopped hub, files may have been replaced by hand; a running hub has checked them at its start. */
function checkStopped(home: Home, { io: { platform } }: Invocation): void {
  try {
    using _lock = borrowHome(home);
    setAsideStaleWal({
      home,
      random: platform.random,
      now: platform.clock.now(),
      log: { warn: (message, fields = {}) => printWarning(message, fields, platform.stderr) },
      schemas: knownSchemas,
    });
  } catch (error) {
    if (!(error instanceof HubError) || error.code !== "in_use") throw error;
  }
}

function targetOf(named: string | undefined, now: number, encrypted: boolean): string {
  const name = `hub-backup-${timeInName(now)}.zip${encrypted ? ".age" : ""}`;
  const path = resolve(named ?? ".");
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ? join(path, name) : path;
}

async function writeToStdout(
  options: Parameters<typeof openArchive>[0],
  { passphrase, stderr }: { passphrase: string | undefined; stderr: Output },
): Promise<void> {
  if (passphrase !== undefined)
    throw new HubError(
      "invalid",
      "an archive on standard output is not encrypted: pipe it into `age -p`, or name a file",
    );
  using _owner = actAsOwner(options.home);
  using archive = openArchive(options);
  printSkipped(archive.skipped, stderr);
  const out = Bun.stdout.writer();
  for await (const chunk of archive.read()) {
    try {
      await out.write(chunk);
      await out.flush();
    } catch (error) {
      throw new HubError("storage", `the archive is not whole: ${messageOf(error)}`, { cause: error });
    }
  }
  await out.end();
}

function printSkipped(skipped: readonly string[], stderr: Output): void {
  for (const what of skipped) stderr.write(`not in the backup: ${what}\n`);
}

function printWarning(message: string, fields: Fields, stderr: Output): void {
  const values = Object.entries(fields).map(([name, value]) => ` ${name}=${value}`);
  stderr.write(`warning: ${message}${values.join("")}\n`);
}
