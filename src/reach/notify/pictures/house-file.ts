// A picture that is a file of the house: below HUB_HOME/pictures, wherever links lead.
import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { HubError, systemCode } from "../../../kit/schema/errors.ts";
import { PICTURE_FOLDER } from "../../../kit/text/image-source.ts";
import { MAX_PICTURE_BYTES } from "../../../kit/text/picture-type.ts";
import { tooLarge } from "./snapshot.ts";

/** `path` is relative to `home`, and begins with the folder for pictures. Throws HubError. */
export async function readHouseFile(home: string, path: string): Promise<Buffer> {
  try {
    const root = await realpath(home);
    const folder = await realpath(join(home, PICTURE_FOLDER));
    const file = await realpath(join(home, path));
    // The folder itself may lie elsewhere, such as on a larger disk, but not be another folder of the hub.
    const isHubs = isBelow(root, folder) && relative(root, folder) !== PICTURE_FOLDER;
    if (isHubs || isBelow(folder, root) || folder === root || !isBelow(folder, file))
      throw new HubError("invalid", `${path} leads out of the folder ${PICTURE_FOLDER}`);
    return await readBounded(file, path);
  } catch (error) {
    if (error instanceof HubError) throw error;
    throw new HubError("not_found", `the file ${path} cannot be read: ${systemCode(error) ?? "no such file"}`);
  }
}

async function readBounded(file: string, path: string): Promise<Buffer> {
  // No link may have taken its place since, and a pipe would be waited on.
  await using handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const { size, isFile } = await handle.stat().then((stat) => ({ size: stat.size, isFile: stat.isFile() }));
  if (!isFile) throw new HubError("invalid", `${path} is not a file`);
  if (size > MAX_PICTURE_BYTES) throw tooLarge(path);
  const bytes = Buffer.alloc(size);
  const { bytesRead } = await handle.read(bytes, 0, size, 0);
  return bytes.subarray(0, bytesRead);
}

function isBelow(folder: string, path: string): boolean {
  return path.startsWith(folder + sep);
}
