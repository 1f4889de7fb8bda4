// Hubs that are exchanged by upload: started from their home, and asked how it went.
import { freePort } from "./free-port.ts";
import { type HubPlace, SECRET } from "./hub-place.ts";
import type { HubProcess } from "./hub-process.ts";
import { until } from "./wait.ts";

export interface UpgradeStatus {
  version: string;
  previous: string | null;
  refused: string | null;
  snapshot: { version: string; at: string; bytes: number } | null;
  last: { from: string; to: string; ok: boolean | null; error: string | null } | null;
}

/** A hub that was started from its home, as a service is, on ports that stay. Another version is watched for four seconds. */
export async function startAtHome(place: HubPlace, toml = "[upgrade]\nwatch_secs = 4\n"): Promise<HubProcess> {
  const [port, broker] = [freePort(), freePort()];
  place.put(
    "config/hub.toml",
    `[server]\nhost = "127.0.0.1"\nport = ${port}\n[auth]\njwt_secret = "${SECRET}"\n[mqtt]\nport = ${broker}\n${toml}`,
    0o600,
  );
  return place.startFromHome();
}

/** Goes back to the version before. */
export async function goBack(hub: HubProcess, query = "") {
  return hub.request("POST", `/system/upgrade/rollback${query}`, { headers: await hub.confirmed() });
}

/** Uploads the executable. */
export async function sendHub(
  hub: HubProcess,
  file: string,
  query = "",
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${hub.api}/system/upgrade${query}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${await hub.adminToken()}`,
      "content-type": "application/octet-stream",
      ...(await hub.confirmed()),
    },
    body: Bun.file(file),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** Resolves when that version runs, and how the upgrade went is known. */
export async function runs(hub: HubProcess, version: string): Promise<void> {
  const answers = async (): Promise<boolean> => {
    try {
      const health = await hub.get<{ version: string; ready: boolean }>("/health");
      return health.version === version && health.ready && (await statusOf(hub)).last?.ok !== null;
    } catch {
      // It is between two of its starts.
      return false;
    }
  };
  await until(`version ${version} runs`, answers, { timeoutMs: 60_000 });
}

export const statusOf = (hub: HubProcess): Promise<UpgradeStatus> => hub.get<UpgradeStatus>("/system/upgrade");
