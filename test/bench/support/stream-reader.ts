// A WebSocket reader on a raw socket: it counts frames and, where asked, hands their text on. So cheap that on two cores
// the server, not the client, sets the pace.
export interface StreamReader extends Disposable {
  readonly frames: number;
  readonly closed: boolean;
}

export interface StreamReaderOptions {
  port: number;
  /** Path and query. */
  path: string;
  token?: string;
  onFrame?: () => void;
  /** The payload of each text frame; asking for it costs a copy where a frame is split. */
  onText?: (payload: Buffer) => void;
}

const PONG = new Uint8Array([0x8a, 0x80, 0, 0, 0, 0]);

export function openReader({ port, path, token, onFrame, onText }: StreamReaderOptions): Promise<StreamReader> {
  const { promise, resolve, reject } = Promise.withResolvers<StreamReader>();
  const state = { frames: 0, closed: false };
  let upgraded = false;
  let rest: Buffer = Buffer.alloc(0);
  // Bytes of the current frame that are still to come, and are not looked at.
  let skip = 0;

  function frame(socket: Bun.Socket, opcode: number, payload: Buffer | undefined): void {
    if (opcode === 9) socket.write(PONG);
    else if (opcode === 1) {
      state.frames++;
      if (payload) onText?.(payload);
      onFrame?.();
    }
  }

  function frames(socket: Bun.Socket, chunk: Buffer): void {
    let at = Math.min(skip, chunk.length);
    skip -= at;
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    for (;;) {
      const short = (bytes[at + 1] ?? 0) & 0x7f;
      const header = short < 126 ? 2 : short === 126 ? 4 : 10;
      if (bytes.length - at < header) break;
      const opcode = (bytes[at] ?? 0) & 0x0f;
      const length =
        short < 126 ? short : short === 126 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2));
      const end = at + header + length;
      if (end > bytes.length) {
        if (onText) break;
        skip = end - bytes.length;
        frame(socket, opcode, undefined);
        rest = Buffer.alloc(0);
        return;
      }
      frame(socket, opcode, onText ? bytes.subarray(at + header, end) : undefined);
      at = end;
    }
    rest = Buffer.from(bytes.subarray(at));
  }

  function upgrade(socket: Bun.Socket, chunk: Buffer): void {
    rest = Buffer.concat([rest, chunk]);
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) return;
    const head = rest.subarray(0, end).toString("latin1");
    if (!head.startsWith("HTTP/1.1 101")) {
      reject(new Error(`no upgrade: ${rest.toString()}`));
      return;
    }
    upgraded = true;
    const first = rest.subarray(end + 4);
    rest = Buffer.alloc(0);
    resolve({
      get frames() {
        return state.frames;
      },
      get closed() {
        return state.closed;
      },
      [Symbol.dispose]: () => socket.terminate(),
    });
    if (first.length > 0) frames(socket, first);
  }

  Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      open: (socket) => void socket.write(upgradeRequest(port, path, token)),
      data: (socket, chunk) => (upgraded ? frames(socket, chunk) : upgrade(socket, chunk)),
      close() {
        state.closed = true;
        reject(new Error(`the stream on port ${port} closed before the upgrade`));
      },
      error: (_socket, error) => reject(error),
    },
  }).catch(reject);
  return promise;
}

/** The bytes that ask for the upgrade; also for readers that then never read. */
export function upgradeRequest(port: number, path: string, token?: string): string {
  const authorization = token ? `Authorization: Bearer ${token}\r\n` : "";
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${authorization}\r\n`;
}
