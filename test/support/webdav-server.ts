// A small WebDAV on 127.0.0.1, over TLS where a certificate is given: one account, in memory.

export interface WebdavServer extends AsyncDisposable {
  readonly url: string;
  readonly files: Map<string, Uint8Array>;
  readonly folders: Set<string>;
  readonly requests: string[];
  /** Answers instead of the server, where it gives something. */
  fault: (request: Request, url: URL) => Response | undefined;
}

export const ACCOUNT = { username: "anna", password: "pässwort: of anna" };

export function startWebdavServer(tls?: { key: string; cert: string }): WebdavServer {
  const files = new Map<string, Uint8Array>();
  const folders = new Set(["/dav"]);
  const requests: string[] = [];
  const authorization = `Basic ${Buffer.from(`${ACCOUNT.username}:${ACCOUNT.password}`).toString("base64")}`;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    ...(tls && { tls }),
    async fetch(request) {
      const url = new URL(request.url);
      const path = decodeURIComponent(url.pathname).replace(/\/$/, "");
      requests.push(`${request.method} ${path} ${request.headers.get("content-length") ?? "-"}`);
      const faulty = self.fault(request, url);
      if (faulty) return faulty;
      if (request.headers.get("authorization") !== authorization) return new Response("", { status: 401 });
      const parent = path.slice(0, path.lastIndexOf("/"));
      switch (request.method) {
        case "PROPFIND":
          return folders.has(path) ? listing(path) : new Response("", { status: 404 });
        case "MKCOL":
          if (folders.has(path)) return new Response("", { status: 405 });
          if (!folders.has(parent)) return new Response("", { status: 409 });
          folders.add(path);
          return new Response("", { status: 201 });
        case "PUT":
          if (!folders.has(parent)) return new Response("", { status: 409 });
          if (request.headers.get("content-length") === null) return new Response("", { status: 411 });
          files.set(path, await request.bytes());
          return new Response("", { status: 201 });
        case "GET": {
          const found = files.get(path);
          return found ? new Response(found.slice()) : new Response("", { status: 404 });
        }
        case "MOVE": {
          const to = decodeURIComponent(new URL(request.headers.get("destination") ?? "").pathname);
          files.set(to, files.get(path) ?? new Uint8Array());
          files.delete(path);
          return new Response("", { status: 201 });
        }
        case "DELETE":
          return new Response(null, { status: files.delete(path) ? 204 : 404 });
        default:
          return new Response("", { status: 405 });
      }
    },
  });

  function listing(folder: string): Response {
    const isIn = (path: string): boolean => path.slice(0, path.lastIndexOf("/")) === folder;
    const encoded = (path: string): string => path.split("/").map(encodeURIComponent).join("/");
    const entries = [
      ...[folder, ...[...folders].filter(isIn)].map(
        (path) =>
          `<d:response><d:href>${encoded(path)}/</d:href><d:propstat><d:prop><d:resourcetype><d:collection/></d:resourcetype></d:prop></d:propstat></d:response>`,
      ),
      ...[...files].flatMap(([path, { length }]) =>
        isIn(path)
          ? `<d:response><d:href>${encoded(path)}</d:href><d:propstat><d:prop><d:getcontentlength>${length}</d:getcontentlength><d:resourcetype/></d:prop></d:propstat></d:response>`
          : [],
      ),
    ];
    return new Response(`<?xml version="1.0"?><d:multistatus xmlns:d="DAV:">${entries.join("")}</d:multistatus>`, {
      status: 207,
    });
  }

  const self: WebdavServer = {
    url: `${tls ? "https" : "http"}://127.0.0.1:${server.port}/dav`,
    files,
    folders,
    requests,
    fault: () => undefined,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
  return self;
}
