// The service worker: keeps the files of this version of the page, so that it opens without the hub, and never those of another.
// Addresses of the hub's data are never kept.
/** The version of the page, set when it is built. */
declare const SHELL: string;

const worker = self as unknown as ServiceWorkerGlobalScope;
const NAME = `page-${SHELL}`;

worker.addEventListener("install", () => void worker.skipWaiting());

worker.addEventListener("activate", (event) => {
  const clean = async (): Promise<void> => {
    for (const name of await caches.keys()) if (name !== NAME) await caches.delete(name);
    await worker.clients.claim();
  };
  event.waitUntil(clean());
});

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const { pathname, origin } = new URL(request.url);
  if (request.method !== "GET" || origin !== worker.location.origin || /^\/(api|metrics|mcp)(\/|$)/.test(pathname))
    return;
  event.respondWith(/-[a-z0-9]{8}\.\w+$/.test(pathname) ? kept(request) : fresh(request));
});

/** A file whose name changes with its content. */
async function kept(request: Request): Promise<Response> {
  const cache = await caches.open(NAME);
  const known = await cache.match(request);
  if (known) return known;
  const answer = await fetch(request);
  if (answer.ok) await cache.put(request, answer.clone());
  return answer;
}

/** From the hub; what was seen last only where the hub cannot be reached. */
async function fresh(request: Request): Promise<Response> {
  const cache = await caches.open(NAME);
  const key = request.mode === "navigate" ? "/index.html" : request;
  try {
    const answer = await fetch(request);
    if (answer.ok) await cache.put(key, answer.clone());
    return answer;
  } catch (error) {
    const known = await cache.match(key);
    if (known) return known;
    throw error;
  }
}
