// Free space, asked for before anything is written.
import { existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { HubError } from "../core/errors.ts";

/** Left free in any case: the hub goes on writing meanwhile. */
export const RESERVE_BYTES = 16 * 1024 * 1024;

/** Throws HubError `storage` with the numbers where `folder`, or the first there is above it, has less free. */
export function needSpace(folder: string, neededBytes: number, purpose: string): void {
  const available = freeBytes(folder);
  if (available >= neededBytes) return;
  throw new HubError(
    "storage",
    `${purpose} needs ${megabytes(neededBytes)} free in ${folder}, and ${megabytes(available)} are: free ${megabytes(neededBytes - available)} there`,
    { details: { needed_bytes: neededBytes, available_bytes: available, folder } },
  );
}

export function freeBytes(folder: string): number {
  let there = folder;
  while (!existsSync(there) && dirname(there) !== there) there = dirname(there);
  const { bavail, bsize } = statfsSync(there);
  return bavail * bsize;
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toLocaleString("en", { maximumFractionDigits: bytes < 1e7 ? 1 : 0, useGrouping: false })} MB`;
}
