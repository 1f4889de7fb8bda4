// Copies elsewhere on the command line: listing them, fetching one for a restore, and the recovery sheet.
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { placesIn } from "../../copies/backup/places.ts";
import { carryOut } from "../../copies/backup/remote/carry-out.ts";
import { chooseCopy } from "../../copies/backup/remote/choose-copy.ts";
import { addressOf, type BackupTarget } from "../../copies/backup/remote/config.ts";
import { HOUSE_KEY } from "../../copies/backup/remote/copy-names.ts";
import type { HouseCopies, JobReport } from "../../copies/backup/remote/jobs.ts";
import {
  parseRecoverySheet,
  type RecoverySheet,
  recoverySheet,
  targetNamed,
} from "../../copies/backup/remote/recovery-sheet.ts";
import type { Known } from "../../copies/backup/remote/storage.ts";
import { keyOf } from "../../copies/backup/remote/target.ts";
import { openTargetStates } from "../../copies/backup/remote/target-states.ts";
import { megabytes } from "../../kit/files/free-space.ts";
import { HubError, messageOf } from "../../kit/schema/errors.ts";
import { isoSeconds } from "../../kit/time/clock.ts";
import { knownMeta } from "../../server/db/known-ids.ts";
import { actAsOwner } from "../../server/home/owner.ts";
import type { Home } from "../../server/home/paths.ts";
import { checkConfig } from "../config/load.ts";
import type { Invocation, Io } from "./command.ts";

export interface FetchedCopy extends AsyncDisposable {
  readonly file: string;
  /** What it is, for messages. */
  readonly name: string;
  /** Of the sheet, or of hub.toml. */
  readonly passphrase: string | undefined;
}

/** Prints the copies at a target, or at each; a place that does not answer does not keep back the others. */
export async function listCopies(home: Home, invocation: Invocation): Promise<number> {
  const { io, options } = invocation;
  const given = typeof options.target === "string" ? options.target : undefined;
  const names = given === undefined ? sheetOf(home, invocation).targets.map(({ name }) => name) : [given];
  if (names.length === 0) throw nothingElsewhere(home);
  const places: Place[] = [];
  for (const name of names)
    try {
      places.push(await lookAt(name, home, invocation));
      if (!options.json) io.platform.stdout.write(places.slice(-1).map(placeText).join(""));
    } catch (error) {
      if (!(error instanceof HubError) || given !== undefined) throw error;
      io.platform.stderr.write(`hub: ${error.message}\n`);
    }
  if (options.json) io.platform.stdout.write(`${JSON.stringify(places)}\n`);
  return places.length === names.length ? 0 : 1;
}

interface Place {
  readonly target: string;
  readonly address: string;
  readonly houses: readonly (HouseCopies & { this_house: boolean })[];
}

async function lookAt(name: string, home: Home, invocation: Invocation): Promise<Place> {
  const { sheet, job } = placeOf(home, name, invocation);
  const found = await carryOut({ ...job, kind: "look" }, () => {});
  const houses = found.map((one) => ({ ...one, this_house: one.house === sheet.house }));
  return { target: name, address: addressOf(job.target), houses };
}

function placeText({ address, houses }: Place): string {
  if (houses.length === 0) return `there are no backups at ${address}\n`;
  return houses
    .map(({ house, copies, this_house }) => {
      const lines = copies.map(
        ({ name, at, bytes, encrypted }) =>
          `  ${name}  ${at}  ${megabytes(bytes)}${encrypted ? "" : "  not encrypted"}\n`,
      );
      return `${house}${this_house ? " (this house)" : ""} at ${address}:\n${lines.join("")}`;
    })
    .join("");
}

/** The names of all targets, of the sheet or of hub.toml. */
export function targetNames(home: Home, invocation: Invocation): string[] {
  return sheetOf(home, invocation).targets.map(({ name }) => name);
}

/** Downloads a copy to a temporary file, which goes with the result. `name` may be `latest`. */
export async function fetchCopy(home: Home, from: string, name: string, invocation: Invocation): Promise<FetchedCopy> {
  const { io, options } = invocation;
  const { sheet, job } = placeOf(home, from, invocation);
  const found = await carryOut({ ...job, kind: "look" }, () => {});
  const wanted = typeof options.house === "string" ? options.house : undefined;
  const { house, copy } = chooseCopy(found, { name, house: wanted, ours: sheet.house });
  const folder = await mkdtemp(join(io.platform.env.TMPDIR ?? tmpdir(), "hub-restore-"));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    io.platform.stderr.write(`fetching ${copy.name} (${megabytes(copy.bytes)}) from ${addressOf(job.target)}\n`);
    const file = join(folder, "copy");
    await carryOut({ ...job, kind: "fetch", path: `${house}/${copy.name}`, file }, (report) =>
      printProgress(report, io),
    );
    return { file, name: `${from}/${copy.name}`, passphrase: sheet.passphrase, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Prints the recovery sheet of the house. */
export function printSheet(home: Home, { io }: Invocation): number {
  using _owner = actAsOwner(home);
  const { house, passphrase, targets } = configured(home);
  if (targets.length === 0) throw nothingElsewhere(home);
  const at = isoSeconds(io.platform.clock.now());
  const known = (target: BackupTarget): Known => knownOf(home, target);
  io.platform.stdout.write(recoverySheet({ house, passphrase, targets, at, resolve: home.resolve, known }));
  if (io.platform.stdout.isTerminal)
    io.platform.stderr.write("\nKeep this outside the house: on paper, or on a stick.\n");
  return 0;
}

/** A target of the sheet, or of hub.toml. */
function placeOf(home: Home, name: string, invocation: Invocation) {
  const isOnSheet = typeof invocation.options.sheet === "string";
  const sheet = sheetOf(home, invocation);
  const target = targetNamed(sheet.targets, name);
  using _owner = isOnSheet ? undefined : actAsOwner(home);
  const known = isOnSheet ? {} : knownOf(home, target);
  return { sheet, job: { target, root: home.root, known } };
}

function sheetOf(home: Home, { options: { sheet: file } }: Invocation): RecoverySheet {
  if (typeof file === "string") return parseRecoverySheet(textOf(file));
  using _owner = actAsOwner(home);
  return configured(home);
}

function nothingElsewhere({ hubToml }: Home): HubError {
  return new HubError("invalid", `there is no [[backup.targets]] in ${hubToml}: nothing is kept elsewhere`);
}

function configured(home: Home): RecoverySheet {
  if (!existsSync(home.hubToml))
    throw new HubError("not_found", `there is no ${home.hubToml}: give the recovery sheet with --sheet FILE`);
  const { config } = checkConfig(textOf(home.hubToml), { otherMqttAccounts: true });
  if (!config) throw new HubError("config", `${home.hubToml} has problems: \`hub check\` lists them`);
  const house = existsSync(home.stateDb) ? knownMeta(home.stateDb, HOUSE_KEY) : undefined;
  return { house, passphrase: config.backup.passphrase, targets: config.backup.targets };
}

function knownOf(home: Home, target: BackupTarget): Known {
  const key = keyOf(target);
  return openTargetStates(placesIn(home).targets, { keys: [key], newTag: () => "", now: () => "" }).of(key).known;
}

function printProgress(report: JobReport, { platform: { stderr } }: Io): void {
  if (!stderr.isTerminal || report.kind !== "moved") return;
  stderr.write(`\r${megabytes(report.done)} of ${megabytes(report.bytes)}\u001b[K`);
  if (report.done >= report.bytes) stderr.write("\n");
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new HubError("storage", `cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
}
