// Keep-alive GETs on raw sockets, one request at a time each, no pipelining.

export interface HttpTarget {
  port: number;
  path: string;
  headers?: Record<string, string>;
}

const HEAD_END = Buffer.from("\r\n\r\n");

/** Requests answered with 200 within `ms`. Throws on any other answer. */
export async function loadHttp(target: HttpTarget, connections: number, ms: number): Promise<number> {
  const state = { answered: 0, stopped: false, failure: undefined as string | undefined };
  const request = requestOf(target);
  const open = await Promise.all(
    Array.from({ length: connections }, () =>
      Bun.connect<{ length: number; got: number }>({
        hostname: "127.0.0.1",
        port: target.port,
        data: { length: 0, got: 0 },
        socket: {
          open: (socket) => void socket.write(request),
          data(socket, chunk) {
            const { data } = socket;
            if (data.got === 0) data.length = answerLength(chunk);
            data.got += chunk.length;
            if (Number.isNaN(data.length)) state.failure ??= chunk.toString();
            if (data.got < data.length || state.failure || state.stopped) return;
            data.got = 0;
            state.answered++;
            socket.write(request);
          },
        },
      }),
    ),
  );
  const before = state.answered;
  await Bun.sleep(ms);
  state.stopped = true;
  for (const socket of open) socket.terminate();
  if (state.failure) throw new Error(`GET ${target.path}: ${state.failure}`);
  return state.answered - before;
}

/** Head and body together; NaN for what is no 200 with a length. */
function answerLength(chunk: Buffer): number {
  const end = chunk.indexOf(HEAD_END);
  const head = chunk.toString("latin1", 0, end);
  const length = /^content-length: *(\d+)/im.exec(head)?.[1];
  return head.startsWith("HTTP/1.1 200") && length !== undefined ? end + HEAD_END.length + Number(length) : Number.NaN;
}

function requestOf({ port, path, headers = {} }: HttpTarget): string {
  const lines = Object.entries({ host: `127.0.0.1:${port}`, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
}
