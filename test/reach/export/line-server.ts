// A service that takes line protocol over HTTP, and keeps what it got.
import { gunzipSync } from "node:zlib";

export interface LineServer extends Disposable {
  readonly url: string;
  /** Each line as it came, in order; the same line may come twice. */
  readonly lines: string[];
  readonly requests: { path: string; headers: Headers; lines: number }[];
  /** Answers in place of 204 for these lines; undefined takes them. */
  answer: (lines: readonly string[]) => Response | undefined | Promise<Response | undefined>;
}

export function startLineServer(port = 0): LineServer {
  const lines: string[] = [];
  const requests: LineServer["requests"] = [];
  const server = Bun.serve({
    port,
    hostname: "127.0.0.1",
    async fetch(request) {
      const body = Buffer.from(await request.arrayBuffer());
      const text = request.headers.get("content-encoding") === "gzip" ? gunzipSync(body).toString() : body.toString();
      const got = text.split("\n").filter(Boolean);
      const { pathname, search } = new URL(request.url);
      requests.push({ path: pathname + search, headers: request.headers, lines: got.length });
      const refusal = await made.answer(got);
      if (refusal) return refusal;
      lines.push(...got);
      return new Response(null, { status: 204 });
    },
  });
  const made: LineServer = {
    url: `http://127.0.0.1:${server.port}`,
    lines,
    requests,
    answer: () => undefined,
    [Symbol.dispose]: () => void server.stop(true),
  };
  return made;
}
