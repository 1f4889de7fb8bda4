// Which version the hub is, and exchanging it.
import { ApiError, get, post } from "../hub/api.ts";
import { confirmation } from "../hub/confirmation.ts";
import { upload } from "../hub/upload.ts";

export interface HubVersions {
  version: string;
  previous: string | null;
  /** Why the page cannot exchange it; null if it can. */
  refused: string | null;
  /** The databases as they were before the last upgrade. */
  snapshot: { version: string; at: string; bytes: number } | null;
  last: { at: string; from: string; to: string; ok: boolean | null; error: string | null } | null;
}

const STEP_MS = 1000;
// Another version has a minute to answer, and databases may be converted before.
const MAX_MS = 300_000;

export const hubVersions = (): Promise<HubVersions> => get("/system/upgrade");

export async function sendHub(file: File, onProgress: (part: number) => void): Promise<void> {
  const headers = { "content-type": "application/octet-stream", ...(await confirmation()) };
  await upload("/system/upgrade", file, { headers, onProgress });
}

/** With the databases as they were before the upgrade, or with the present ones. */
export async function goBackToPrevious(withDatabases: boolean): Promise<void> {
  const query = withDatabases ? "?databases=true" : "";
  await post(`/system/upgrade/rollback${query}`, undefined, { headers: await confirmation() });
}

/** Resolves when the hub is up again, in whichever version. Rejects with an ApiError where it does not come back. */
export async function versionChanged(before: HubVersions): Promise<HubVersions> {
  const begun = Date.now();
  while (Date.now() - begun < MAX_MS) {
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
    const now = await settled();
    // Not by its time alone: there and back may take less than the second that it is given in.
    if (now && JSON.stringify(now.last) !== JSON.stringify(before.last)) return now;
  }
  throw new ApiError(0, { code: "not_back" });
}

async function settled(): Promise<HubVersions | undefined> {
  try {
    const now = await hubVersions();
    return now.last?.ok === null ? undefined : now;
  } catch {
    // It is between two of its starts.
    return undefined;
  }
}
