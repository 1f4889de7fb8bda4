// A push service of the test's own that is down until it is said otherwise, and counts what it took.

export interface PushServer extends Disposable {
  readonly url: string;
  up: boolean;
  /** Message → how often it came. */
  readonly taken: ReadonlyMap<string, number>;
  /** What came since the last call and had come before. */
  repeated(): string[];
}

export function servePushes(): PushServer {
  const taken = new Map<string, number>();
  let again: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const form = new URLSearchParams(await request.text());
      if (!pushes.up) return Response.json({ status: 0, errors: ["down"] }, { status: 503 });
      const message = form.get("message") ?? "";
      if (taken.has(message)) again.push(message);
      taken.set(message, (taken.get(message) ?? 0) + 1);
      return Response.json({ status: 1, request: "r" });
    },
  });
  const pushes: PushServer = {
    url: `http://127.0.0.1:${server.port}`,
    up: false,
    taken,
    repeated() {
      const list = again;
      again = [];
      return list;
    },
    [Symbol.dispose]: () => void server.stop(true),
  };
  return pushes;
}
