// What this machine is in its house (`data/standby.json`): its hub, or the standby of another. Neither backups nor the copy for a standby
// contain it.
import { closeSync, existsSync, fstatSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { writeFileAtomic } from "../../kit/files/atomic-file.ts";
import { storageFaultOf } from "../../kit/files/storage-fault.ts";
import { HubError, messageOf, systemCode } from "../../kit/schema/errors.ts";
import { parseJson } from "../../kit/schema/json.ts";
import type { Home } from "../../server/home/paths.ts";

/** Another machine of the house, and how to reach it. */
const Other = Type.Object({
  id: Type.Optional(Type.String()),
  address: Type.String(),
  /** Opens the routes of `/standby` there. */
  key: Type.String(),
  /** SHA-256 of its certificate, where no authority of this machine knows it. */
  fingerprint: Type.Optional(Type.String()),
  /** The authority that signed its certificate, in PEM form, where it is one of one's own. */
  ca: Type.Optional(Type.String()),
});

const MachineFile = Type.Object({
  version: Type.Literal(1),
  id: Type.String({ minLength: 8 }),
  /** `hub`: this machine's hub commands the house, as far as it knows. */
  role: Type.Union([Type.Literal("hub"), Type.Literal("standby")]),
  /** Where others reach it, where a person said so. */
  address: Type.Optional(Type.String()),
  /** Only a person makes it the hub. */
  manual: Type.Boolean(),
  /** The last epoch in which this machine was the hub, or which its copy is of. */
  epoch: Type.Integer({ minimum: 0 }),
  other: Type.Optional(Other),
});
export type MachineFile = Static<typeof MachineFile>;

export function machinePath({ data }: Pick<Home, "data">): string {
  return join(data, "standby.json");
}

/** Whether this machine ever had to do with a standby. */
export function isPaired(home: Pick<Home, "data">): boolean {
  return existsSync(machinePath(home));
}

/** Undefined on a machine that never had to do with a standby. Throws HubError `storage` where it cannot be read. */
export function readMachine(home: Pick<Home, "data">): MachineFile | undefined {
  const path = machinePath(home);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw new HubError("storage", `cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
  const parsed = parseJson(text);
  if (parsed.ok && Value.Check(MachineFile, parsed.value)) return parsed.value;
  throw new HubError(
    "storage",
    `${path} is damaged, so it is not known whether this machine is the hub or the standby: if it is the only hub, remove the file; if it is the standby, run \`hub standby --of URL\` again`,
  );
}

/** Throws the system's error. A full disk takes it too where the file is there already: it must not keep a standby from being the hub. */
export function writeMachine(home: Pick<Home, "data">, machine: MachineFile): void {
  const path = machinePath(home);
  const text = `${JSON.stringify(machine)}\n`;
  try {
    writeFileAtomic(path, text, 0o600);
  } catch (error) {
    if (storageFaultOf(error) !== "full" || !writeInPlace(path, text)) throw error;
  }
}

/** What a file takes up at least, on any file system that is in use; the disk writes so much as a whole. */
const SECTOR_BYTES = 512;

/** In the room that the file has already, with one write. False where there is none; then it is as it was. */
function writeInPlace(path: string, text: string): boolean {
  if (!existsSync(path)) return false;
  const file = openSync(path, "r+");
  try {
    const { size } = fstatSync(file);
    const room = Math.ceil(size / SECTOR_BYTES) * SECTOR_BYTES;
    // Spaces where the former text was longer: JSON has no meaning for them.
    const bytes = Buffer.from(text.padEnd(size));
    if (bytes.length > room) return false;
    writeSync(file, bytes, 0, bytes.length, 0);
    fsyncSync(file);
    return true;
  } finally {
    closeSync(file);
  }
}
