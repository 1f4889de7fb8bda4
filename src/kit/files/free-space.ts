// Free disk space, checked before anything is written.
import { existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { HubError } from "../schema/errors.ts";

/** Left free in any case: the hub goes on writing meanwhile. */
export const RESERVE_BYTES = 16 * 1024 * 1024;

/** Throws HubError `storage` with the numbers where `folder`, or its nearest existing parent, has less free space. */
export function requireSpace(folder: string, neededBytes: number, purpose: string): void {
  const available = freeBytes(folder);
  if (available >= neededBytes) return;
  throw new HubError(
    "storage",
    `${purpose} needs ${megabytes(neededBytes)} of free space in ${folder}, but only ${megabytes(available)} are free: free ${megabytes(neededBytes - available)} there`,
    { details: { needed_bytes: neededBytes, available_bytes: available, folder } },
  );
}

export function freeBytes(folder: string): number {
  let existing = folder;
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  const { bavail, bsize } = statfsSync(existing);
  return bavail * bsize;
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toLocaleString("en", { maximumFractionDigits: bytes < 1e7 ? 1 : 0, useGrouping: false })} MB`;
}
