// The HTTP service that the house's messages go to: it counts each, and the hub's repetitions of one by its `webhook-id`.

export interface Channel extends Disposable {
  readonly url: string;
  /** For each text the ids under which it came, one for each time. */
  readonly messages: ReadonlyMap<string, readonly string[]>;
}

export function serveChannel(hostname: string): Channel {
  const messages = new Map<string, string[]>();
  const server = Bun.serve({
    ...{ hostname, port: 0 },
    async fetch(request) {
      const { message: text } = (await request.json()) as { message: string };
      // Behind it, one that comes late says so.
      const [message = ""] = text.split("\n");
      const known = messages.get(message) ?? [];
      known.push(request.headers.get("webhook-id") ?? "");
      messages.set(message, known);
      return new Response("ok");
    },
  });
  return {
    url: `http://${hostname}:${server.port}/`,
    messages,
    [Symbol.dispose]: () => void server.stop(true),
  };
}
