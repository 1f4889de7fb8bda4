// Downloads a calendar over HTTPS, unless it has not changed. Messages name only the host: whoever knows the whole address can read
// the calendar.
import { HubError, messageOf } from "../../kit/schema/errors.ts";
import { fetchFollowing } from "../../kit/text/redirects.ts";
import type { Clock } from "../../kit/time/clock.ts";

/** By which the server says whether the calendar has changed. */
export interface Validators {
  etag?: string;
  lastModified?: string;
}

export type Downloaded =
  | { kind: "unchanged" }
  | { kind: "changed"; bytes: Uint8Array<ArrayBuffer>; validators: Validators };

export interface DownloadOptions {
  fetch: typeof fetch;
  /** For other hosts that an address sends on to: they are chosen by that server, not by a person. */
  fetchElsewhere: typeof fetch;
  clock: Clock;
}

const MAX_MS = 60_000;
const MAX_BYTES = 32 * 1_048_576;

/** Rejects with HubError `upstream_failed` that says what is wrong. */
export async function download(
  address: string,
  known: Validators,
  { fetch, fetchElsewhere, clock }: DownloadOptions,
  signal: AbortSignal,
): Promise<Downloaded> {
  const timeout = new AbortController();
  const timer = clock.after("calendar download", MAX_MS, () => timeout.abort());
  const url = new URL(address.replace(/^webcal:/i, "https:"));
  try {
    const response = await follow(url, known, {
      fetch,
      fetchElsewhere,
      signal: AbortSignal.any([signal, timeout.signal]),
    });
    if (response.status === 304) return { kind: "unchanged" };
    if (response.status !== 200) throw refused(`answers ${response.status}${adviceFor(response.status)}`);
    const validators = {
      ...validator("etag", response.headers.get("etag")),
      ...validator("lastModified", response.headers.get("last-modified")),
    };
    return { kind: "changed", bytes: await bodyOf(response), validators };
  } catch (error) {
    if (timeout.signal.aborted) throw failed(url, `did not answer in ${MAX_MS / 1000} s`, error);
    throw failed(url, messageOf(error).replaceAll(address, url.host).replaceAll(url.href, url.host), error);
  } finally {
    timer[Symbol.dispose]();
  }
}

async function follow(
  from: URL,
  { etag, lastModified }: Validators,
  { fetch, fetchElsewhere, signal }: Omit<DownloadOptions, "clock"> & { signal: AbortSignal },
): Promise<Response> {
  const headers = {
    accept: "text/calendar, */*;q=0.1",
    ...(etag !== undefined && { "if-none-match": etag }),
    ...(lastModified !== undefined && { "if-modified-since": lastModified }),
  };
  return await fetchFollowing(
    from,
    { headers, signal },
    {
      fetch,
      onward(to, { host }) {
        if (to.protocol !== "https:") throw refused(`sends on to ${to.protocol}, and only https: is safe`);
        return to.host === host ? fetch : fetchElsewhere;
      },
      refuse: refused,
    },
  );
}

async function bodyOf(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw refused(`sends more than the ${MAX_BYTES / 1_048_576} MiB of a calendar`);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

const validator = (name: keyof Validators, value: string | null): Validators =>
  value !== null && value.length <= 1000 ? { [name]: value } : {};

function adviceFor(status: number): string {
  if (status === 401 || status === 403) return ": the address must be the secret one that needs no login";
  return status === 404 || status === 410 ? ": the address is not right any more" : "";
}

const refused = (what: string): HubError => new HubError("upstream_failed", what);

function failed({ host }: URL, what: string, cause: unknown): HubError {
  return new HubError("upstream_failed", `${host} ${what}`, { cause });
}
