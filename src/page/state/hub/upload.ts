// Sends a large file and says how far it is: `fetch` cannot.
import { API, ApiError } from "./api.ts";
import { session, sessionExpired } from "./session.ts";

interface Upload {
  headers?: Readonly<Record<string, string>>;
  /** From 0 to 1; 1 while the hub works on what it has. */
  onProgress: (part: number) => void;
}

/** Throws ApiError. */
export function upload<T>(path: string, file: Blob, { headers = {}, onProgress }: Upload): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const token = session.value?.token;
  const request = new XMLHttpRequest();
  request.open("POST", API + path);
  if (token !== undefined) request.setRequestHeader("authorization", `Bearer ${token}`);
  for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
  request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
  request.upload.onload = () => onProgress(1);
  request.onerror = () => reject(new ApiError(0, { code: "unreachable" }));
  request.onload = () => {
    const body = parsed(request.responseText);
    if (request.status < 300) return resolve(body as T);
    if (request.status === 401 && token === session.value?.token) sessionExpired();
    reject(new ApiError(request.status, body ?? {}));
  };
  request.send(file);
  return promise;
}

function parsed(text: string): Record<string, never> | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
