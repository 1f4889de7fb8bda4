// Archives of the house: saving one as a file, and copies elsewhere.
import { ApiError, ask, post } from "../hub/api.ts";
import { confirmation } from "../hub/confirmation.ts";

const MAX_MS = 6 * 3600_000;

/** Creates an archive and hands it to the browser as a file. Returns its name. */
export async function saveArchive(onProgress: (bytes: number) => void): Promise<string> {
  const answer = await ask("POST", "/system/backup", { timeoutMs: MAX_MS });
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
  handOver(new Blob(parts, { type: "application/zip" }), name);
  return name;
}

/** Has the hub make one as its schedule does, and copy it elsewhere. */
export async function makeBackup(): Promise<void> {
  await post("/system/backups", {}, { timeoutMs: MAX_MS });
}

/** Hands the recovery sheet to the browser as a file. */
export async function saveRecoverySheet(): Promise<void> {
  const answer = await ask("POST", "/system/backups/recovery");
  handOver(new Blob([await answer.text()], { type: "text/plain" }), "recovery-sheet.toml");
}

export interface Looked {
  targets: { name: string; address: string }[];
  /** Which of them the houses are of. */
  target: string;
  houses: { house: string; copies: { name: string; at: string; bytes: number }[] }[];
}

/** The copies at a place: one of the hub's own, or of a recovery sheet. */
export function lookAtCopies(place: { target?: string; sheet?: string }): Promise<Looked> {
  return post<Looked>("/system/backups/look", place, { timeoutMs: MAX_MS });
}

export interface WantedCopy {
  target: string;
  sheet?: string;
  house: string;
  name: string;
  dry_run?: boolean;
}

export async function restoreCopy<T>(wanted: WantedCopy): Promise<T> {
  const headers = wanted.dry_run ? {} : await confirmation();
  return post<T>("/system/restore-copy", wanted, { headers, timeoutMs: MAX_MS });
}

function handOver(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = Object.assign(document.createElement("a"), { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
