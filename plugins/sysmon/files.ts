// Reading what the kernel shows as files.
import { readFile } from "node:fs/promises";

/** The text of a file, without the line break or NUL at its end; undefined where the machine does not have it. */
export type ReadText = (path: string) => Promise<string | undefined>;

export async function readText(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, "utf8")).replace(/[\0\s]+$/, "");
  } catch {
    return undefined;
  }
}
