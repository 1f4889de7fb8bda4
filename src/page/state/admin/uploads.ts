// Plugins by upload.
import { get, post, remove } from "../hub/api.ts";
import { confirmation } from "../hub/confirmation.ts";

export interface Version {
  bytes: number;
  at: string;
}

export interface Uploaded extends Version {
  id: string;
  file: string;
  previous: Version | null;
}

/** The largest program that the hub takes. */
export const MAX_BYTES = 8 * 1024 * 1024;
const MAX_MS = 120_000;

export const uploads = (): Promise<Uploaded[]> => get("/plugin-uploads");

export interface Install {
  id: string;
  file: File;
  enabled?: boolean;
  replace?: boolean;
}

/** Throws ApiError, with the line of what does not parse. */
export async function install({ id, file, enabled = true, replace = false }: Install): Promise<void> {
  const query = new URLSearchParams({ id, enabled: String(enabled), replace: String(replace) });
  // Browsers take `.ts` for a film.
  const type = file.name.toLowerCase().endsWith(".ts") ? "text/typescript" : "text/javascript";
  const headers = { "content-type": type, ...(await confirmation()) };
  await post(`/plugins?${query}`, file, { headers, timeoutMs: MAX_MS });
}

export async function goBack(id: string): Promise<void> {
  await post(`/plugins/${encodeURIComponent(id)}/rollback`, undefined, { headers: await confirmation() });
}

export const removePlugin = (id: string): Promise<void> => remove(`/plugins/${encodeURIComponent(id)}`);

/** `Hall Lamp (2).bundle.ts` → `Hall-Lamp-2` */
export function idFromFile(name: string): string {
  const plain = name.replace(/\.[jt]s$/i, "").replace(/\.(bundle|min)$/i, "");
  return plain
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[.-]+|[.-]+$/g, "")
    .slice(0, 64);
}
