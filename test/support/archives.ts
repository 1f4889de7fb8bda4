// Archives for tests: downloaded from a hub, read by Python's zipfile, or put together byte by byte by it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { HubProcess } from "./hub-process.ts";

/** Asks a running hub for a backup and answers the response as it is. */
export async function askForBackup(hub: HubProcess, signal?: AbortSignal): Promise<Response> {
  return fetch(`${hub.api}/system/backup`, {
    method: "POST",
    headers: { authorization: `Bearer ${await hub.adminToken()}` },
    ...(signal ? { signal } : {}),
  });
}

/** Downloads one into `path`. */
export async function downloadBackup(hub: HubProcess, path: string): Promise<Response> {
  const response = await askForBackup(hub);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  await Bun.write(path, await response.arrayBuffer());
  return response;
}

/** Names → contents as `zipfile` finds them, after it has checked every sum. */
export function readZip(path: string): Record<string, string> {
  const script = `import zipfile, json, sys
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None
print(json.dumps({n: z.read(n).decode("latin1") for n in z.namelist()}))`;
  return JSON.parse(python(script, path)) as Record<string, string>;
}

/** What a piece of an archive is, for `makeZip`. */
export interface Entry {
  name: string;
  content?: string;
  /** A file of this machine as its content. */
  from?: string;
  /** The Unix mode with the file's type: 0o120777 is a link. */
  mode?: number;
}

/** An archive as strangers make them. */
export function makeZip(path: string, entries: readonly Entry[]): void {
  const script = `import zipfile, json, sys, warnings
warnings.simplefilter("ignore")
z = zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED)
for e in json.loads(sys.argv[2]):
    i = zipfile.ZipInfo(e["name"])
    i.filename = e["name"]
    i.create_system = 3
    i.compress_type = zipfile.ZIP_DEFLATED
    i.external_attr = e.get("mode", 0o100644) << 16
    z.writestr(i, open(e["from"], "rb").read() if "from" in e else e.get("content", ""))
z.close()`;
  python(script, path, JSON.stringify(entries));
}

export function python(script: string, ...args: string[]): string {
  const ran = Bun.spawnSync(["python3", "-c", script, ...args]);
  if (!ran.success) throw new Error(`python3: ${ran.stderr}`);
  return ran.stdout.toString();
}

/** Every file below a folder with its content, but for what changes by itself. */
export function filesBelow(folder: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const name of readdirSync(folder, { recursive: true }) as string[]) {
    const path = join(folder, name);
    const hash = new Bun.CryptoHasher("sha256");
    try {
      found.set(name, hash.update(readFileSync(path)).digest("hex"));
    } catch {
      found.set(name, "folder");
    }
  }
  return found;
}
