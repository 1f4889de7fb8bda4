// hub backup: the archive of a home, whether its hub runs or not.
import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { openArchive } from "../backup/archive.ts";
import { lockBackups } from "../backup/backup-lock.ts";
import { timeInName } from "../backup/places.ts";
import { recordBackup, saveArchive } from "../backup/save-archive.ts";
import { setAsideStaleWal } from "../backup/stale-wal.ts";
import { isoSeconds } from "../core/clock.ts";
import { HubError } from "../core/errors.ts";
import { megabytes } from "../core/free-space.ts";
import { borrowHome } from "../home/lock.ts";
import { actAsOwner } from "../home/owner.ts";
import type { Home } from "../home/paths.ts";
import { countsText, knownSchemas, passphraseOption, readPassphrase, warningLog } from "./archives.ts";
import { type Command, homeOf, homeOption, type Invocation } from "./command.ts";
import { hubVersion } from "./version.ts";

export const backup: Command = {
  name: "backup",
  args: "[FILE]",
  summary: "Write an archive of the home, of a stopped or a running hub; - writes it to standard output",
  options: { ...homeOption, ...passphraseOption },
  maxPositionals: 1,
  async run(invocation) {
    const { io, positionals } = invocation;
    const home = homeOf(invocation);
    if (!existsSync(home.stateDb))
      throw new HubError("not_found", `there is no hub in ${home.root}: name its home with --home`);
    const passphrase = await readPassphrase(invocation);
    using _turn = begin(home, invocation);
    const now = io.edge.clock.now();
    const archive = { home, hubVersion, now };
    if (positionals[0] === "-") {
      await pourOut(archive, { passphrase, tell: io.edge.stderr.write });
      return 0;
    }
    const target = targetOf(positionals[0], now, passphrase !== undefined);
    const asOwner = (): Disposable => actAsOwner(home);
    const stored = await saveArchive({ ...archive, target, passphrase, schemas: knownSchemas, asOwner });
    remember(home, now);
    tellSkipped(stored.skipped, io.edge.stderr.write);
    io.edge.stdout.write(`${target}: ${megabytes(stored.bytes)}, ${countsText(stored.counts)}; read back and sound\n`);
    return 0;
  },
};

/** What is read and what stays in the home is its owner's; the archive is of whoever asked for it. */
function begin(home: Home, invocation: Invocation): Disposable {
  using _owner = actAsOwner(home);
  settleStopped(home, invocation);
  return lockBackups(home);
}

function remember(home: Home, now: number): void {
  using _owner = actAsOwner(home);
  recordBackup(home, isoSeconds(now));
}

/** What a stopped hub left may be unsettled; of a running one, nothing is. */
function settleStopped(home: Home, { io: { edge } }: Invocation): void {
  try {
    using _lock = borrowHome(home);
    setAsideStaleWal({
      home,
      random: edge.random,
      now: edge.clock.now(),
      log: warningLog(edge.stderr),
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

type Tell = (text: string) => void;

async function pourOut(
  options: Parameters<typeof openArchive>[0],
  { passphrase, tell }: { passphrase: string | undefined; tell: Tell },
): Promise<void> {
  if (passphrase !== undefined)
    throw new HubError(
      "invalid",
      "what goes to standard output is not encrypted: pipe it into `age -p`, or name a file",
    );
  using _owner = actAsOwner(options.home);
  using archive = openArchive(options);
  tellSkipped(archive.skipped, tell);
  const out = Bun.stdout.writer();
  for await (const chunk of archive.read()) {
    out.write(chunk);
    await out.flush();
  }
  await out.end();
}

function tellSkipped(skipped: readonly string[], tell: Tell): void {
  for (const what of skipped) tell(`not in the backup: ${what}\n`);
}
