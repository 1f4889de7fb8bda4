// Redirects, followed by hand: where a request may be sent on to is decided at each step, before anything is sent there.

export interface RedirectOptions {
  fetch: typeof fetch;
  /** Returns what to ask the next address with, given the first one. Throws where it may not be asked. */
  onward: (to: URL, from: URL) => typeof fetch;
  /** Throws for an answer that sends on to no address, or too often. */
  refuse: (what: string) => Error;
}

const MAX_REDIRECTS = 5;
/** Those that ask for the same request there. */
const KEEPING_METHOD = [307, 308];

/** The first answer that is no redirect, or one that names no address. Rejects with what `onward` and `refuse` give. */
export async function fetchFollowing(
  from: URL,
  given: RequestInit,
  { fetch, onward, refuse }: RedirectOptions,
): Promise<Response> {
  let [url, init, send] = [from, given, fetch];
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await send(url.href, { ...init, redirect: "manual" });
    const { status } = response;
    const location = response.headers.get("location");
    if (status < 300 || status >= 400 || status === 304 || location === null) return response;
    await response.body?.cancel();
    if (!URL.canParse(location, url.href)) throw refuse("sends on to what is no address");
    url = new URL(location, url);
    if (!KEEPING_METHOD.includes(status)) init = asGet(init);
    send = onward(url, from);
  }
  throw refuse(`sends on more than ${MAX_REDIRECTS} times`);
}

/** As browsers do it: what was sent has arrived, and its answer stands there. */
function asGet({ method = "GET", body, headers, ...init }: RequestInit): RequestInit {
  if (method === "GET" || method === "HEAD") return { ...init, method, headers: headers ?? {} };
  const kept = new Headers(headers);
  for (const name of ["content-type", "content-length", "content-encoding"]) kept.delete(name);
  return { ...init, method: "GET", headers: kept };
}
