// Archives of the house: saving one as a file, and sending one with its progress.
import { API, ApiError, ask } from "./api.ts";
import { session, sessionExpired } from "./session.ts";

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

export interface AcceptedRestore {
  counts: Record<string, number>;
  created_at: string | null;
  hub_version: string | null;
  warnings: string[];
}

export interface Upload {
  file: Blob;
  passphrase: string;
  /** 0 to 1. */
  onProgress: (sent: number) => void;
}

/** Sends an archive to be restored. Only XMLHttpRequest says how much was sent. Rejects with an ApiError. */
export function sendArchive({ file, passphrase, onProgress }: Upload): Promise<AcceptedRestore> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    // Headers hold nothing else.
    if (!/^[\x20-\x7e]*$/.test(passphrase)) return reject(new ApiError(0, { code: "passphrase_letters" }));
    request.open("POST", `${API}/system/restore`);
    request.responseType = "json";
    request.setRequestHeader("authorization", `Bearer ${session.value?.token ?? ""}`);
    request.setRequestHeader("content-type", "application/zip");
    if (passphrase !== "") request.setRequestHeader("x-backup-passphrase", passphrase);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onerror = () => reject(new ApiError(0, { code: "unreachable" }));
    request.onload = () => {
      const body = (request.response ?? {}) as AcceptedRestore;
      if (request.status === 202) return resolve(body);
      if (request.status === 401) sessionExpired();
      reject(new ApiError(request.status, body as unknown as ConstructorParameters<typeof ApiError>[1]));
    };
    request.send(file);
  });
}
