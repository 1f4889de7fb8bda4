// The last pictures of each device as files, each in the folder of its device: bounded in number and in bytes, the oldest go. What
// a folder holds is known by the names in it.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { freeBytes, RESERVE_BYTES } from "../../kit/files/free-space.ts";
import { fileNameOf, type KeptPicture, pictureIn, type Shot } from "./picture.ts";

export interface PictureRing {
  /** Of one device, the newest first. */
  list(deviceId: string): Promise<readonly KeptPicture[]>;
  /** Undefined where it is not there any more. */
  read(deviceId: string, picture: KeptPicture): Promise<Uint8Array | undefined>;
  /** On disk when it resolves. Rejects where the disk does not take it. */
  save(deviceId: string, shot: Shot): Promise<void>;
  /** All of the device. */
  remove(deviceId: string): Promise<void>;
}

export interface RingOptions {
  /** Made when it is first needed. */
  folder: string;
  /** Of each device and kind. */
  keep: number;
  bytes: number;
  /** Ids of the devices that are there: what is kept of others goes. Undefined while they are not known. */
  devices: () => Iterable<string> | undefined;
}

const PART = ".part";

/** A folder's name, as ids have characters that file names have not. */
function folderOf(deviceId: string): string {
  return createHash("sha256").update(deviceId).digest("hex").slice(0, 24);
}

// A file takes whole blocks of the disk: thousands of tiny ones are not free.
const BLOCK_BYTES = 4096;
const roomOf = ({ size }: KeptPicture): number => Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;

const byAge = (a: KeptPicture, b: KeptPicture): number => a.at - b.at;

export function createPictureRing({ folder, keep, bytes: maxBytes, devices }: RingOptions): PictureRing {
  /** By the folder of the device, the oldest first. */
  let kept: Promise<Map<string, KeptPicture[]>> | undefined;
  /** One after the other. */
  let turn: Promise<unknown> = Promise.resolve();

  async function load(): Promise<Map<string, KeptPicture[]>> {
    const found = new Map<string, KeptPicture[]>();
    if (!existsSync(folder)) return found;
    const known = devices();
    const ours = known && new Set([...known].map(folderOf));
    // A disk that cannot be read shows nothing, and takes nothing away.
    for (const name of await readdir(folder).catch(() => [])) {
      if (ours && !ours.has(name)) await rm(join(folder, name), { recursive: true, force: true });
      else found.set(name, await picturesIn(name));
    }
    return found;
  }

  async function picturesIn(name: string): Promise<KeptPicture[]> {
    const files = await readdir(join(folder, name)).catch(() => []);
    const all = await Promise.all(
      files.map(async (file) => {
        const path = join(folder, name, file);
        if (file.endsWith(PART)) await rm(path, { force: true });
        const size = (await stat(path).catch(() => undefined))?.size ?? 0;
        return pictureIn(file, size) ?? [];
      }),
    );
    return all.flat().sort(byAge);
  }

  const all = (): Promise<Map<string, KeptPicture[]>> => {
    kept ??= load();
    return kept;
  };

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = turn.then(work);
    turn = done.catch(() => undefined);
    return done;
  }

  async function drop(place: string, pictures: KeptPicture[], picture: KeptPicture): Promise<void> {
    await rm(join(folder, place, fileNameOf(picture)), { force: true });
    pictures.splice(pictures.indexOf(picture), 1);
  }

  async function makeRoom(place: string, shot: Shot): Promise<void> {
    const found = await all();
    const own = found.get(place) ?? [];
    const alike = own.filter(({ of }) => of === shot.of);
    for (const one of alike.slice(0, Math.max(0, alike.length - keep + 1))) await drop(place, own, one);
    const everything = [...found].flatMap(([at, pictures]) => pictures.map((picture) => ({ at, pictures, picture })));
    let total = everything.reduce((sum, { picture }) => sum + roomOf(picture), roomOf(shot));
    if (total <= maxBytes) return;
    for (const { at, pictures, picture } of everything.sort((a, b) => byAge(a.picture, b.picture))) {
      if (total <= maxBytes) return;
      await drop(at, pictures, picture);
      total -= roomOf(picture);
    }
  }

  async function write(deviceId: string, shot: Shot): Promise<void> {
    const place = folderOf(deviceId);
    const at = join(folder, place);
    if (keep === 0 || roomOf(shot) > maxBytes) return;
    if (freeBytes(folder) - RESERVE_BYTES < shot.size) throw new Error("the disk is full");
    await mkdir(at, { recursive: true, mode: 0o700 });
    const temporary = join(at, `new${PART}`);
    try {
      await using file = await open(temporary, "w", 0o600);
      await file.writeFile(shot.bytes);
      await file.sync();
      await rename(temporary, join(at, fileNameOf(shot)));
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {});
      throw error;
    }
    // Once it is there: a disk that takes nothing costs no earlier one.
    await makeRoom(place, shot);
    const { bytes: _, ...picture } = shot;
    const found = await all();
    found.set(place, [...(found.get(place) ?? []), picture].sort(byAge));
  }

  return {
    list: async (deviceId) => (await all()).get(folderOf(deviceId))?.toReversed() ?? [],
    read: (deviceId, picture) => readFile(join(folder, folderOf(deviceId), fileNameOf(picture))).catch(() => undefined),
    save: (deviceId, shot) => inTurn(() => write(deviceId, shot)),
    remove: (deviceId) =>
      inTurn(async () => {
        const place = folderOf(deviceId);
        (await all()).delete(place);
        await rm(join(folder, place), { recursive: true, force: true });
      }),
  };
}
