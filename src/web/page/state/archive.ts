// Archives of the house: saving one as a file.
import { ApiError, ask } from "./api.ts";

const LONGEST_MS = 6 * 3600_000;

/** Creates an archive and hands it to the browser as a file. Returns its name. */
export async function saveArchive(onProgress: (bytes: number) => void): Promise<string> {
  const answer = await ask("POST", "/system/backup", { timeoutMs: LONGEST_MS });
  const name = /filename="([^"]+)"/.exec(answer.headers.get("content-disposition") ?? "")?.[1] ?? "hub-backup.zip";
  const parts: BlobPart[] = [];
  let bytes = 0;
  const reader = answer.body?.getReader();
  try {
    for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
      parts.push(read.value);
      bytes += read.value.byteLength;
      onProgress(bytes);
    }
  } catch {
    throw new ApiError(0, { code: "unreachable" });
  }
  const address = URL.createObjectURL(new Blob(parts, { type: "application/zip" }));
  const link = Object.assign(document.createElement("a"), { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
  return name;
}
