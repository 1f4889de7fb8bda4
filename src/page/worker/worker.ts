// The service worker: keeps the files of this version of the page, so that it opens without the hub, and never those of another.
// Addresses of the hub's data are never kept, nor is the help, which is no view of the page.
import "./push.ts";

/** The version of the page, set when it is built. */
declare const SHELL: string;
/** The addresses of its files. */
declare const FILES: readonly string[];

const worker = self as unknown as ServiceWorkerGlobalScope;
const NAME = `page-${SHELL}`;

/** A hub that is hung takes requests and answers none. */
const TIMEOUT_MS = 3000;

worker.addEventListener("install", (event) => {
  const fetched = async (): Promise<void> => {
    await (await caches.open(NAME)).addAll(["/index.html", ...FILES]);
    await worker.skipWaiting();
  };
  event.waitUntil(fetched());
});

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
  if (request.method !== "GET" || origin !== worker.location.origin || /^\/(api|metrics|mcp|help)(\/|$)/.test(pathname))
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
  const hasKnown = (await cache.match(key)) !== undefined;
  try {
    const answer = await (hasKnown ? fetchSoon(request) : fetch(request));
    if (answer.ok) await cache.put(key, answer.clone());
    return answer;
  } catch (error) {
    const known = await cache.match(key);
    if (known) return known;
    throw error;
  }
}

/** Rejects where the answer does not begin soon. */
async function fetchSoon(request: Request): Promise<Response> {
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(), TIMEOUT_MS);
  try {
    return await fetch(request, { signal: end.signal });
  } finally {
    clearTimeout(timer);
  }
}
