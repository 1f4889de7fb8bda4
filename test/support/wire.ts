// A cable between two programs of this machine that can be pulled (connections end, and new ones are refused) or left to hang (nothing
// passes, and nobody is notified).
import type { Socket } from "bun";

export type WireState = "whole" | "hangs" | "pulled";

export interface Wire extends Disposable {
  /** `http://127.0.0.1:PORT` */
  readonly address: string;
  /** The port at its other end, for connections from now on. */
  target: number;
  set(state: WireState): void;
}

interface Half {
  other: Socket<Half> | undefined;
  /** What has not passed yet, towards the other one. */
  waiting: Uint8Array[];
}

export function openWire(target: number): Wire {
  let state: WireState = "whole";
  const open = new Set<Socket<Half>>();

  /** Sockets of Bun take what they can; the rest waits for `drain`. */
  function pass({ data }: Socket<Half>): void {
    if (state !== "whole" || !data.other) return;
    for (let next = data.waiting.shift(); next; next = data.waiting.shift()) {
      const taken = data.other.write(next);
      if (taken >= next.length) continue;
      data.waiting.unshift(next.subarray(Math.max(0, taken)));
      return;
    }
  }

  const handlers = {
    data(socket: Socket<Half>, bytes: Buffer): void {
      socket.data.waiting.push(new Uint8Array(bytes));
      pass(socket);
    },
    drain(socket: Socket<Half>): void {
      if (socket.data.other) pass(socket.data.other);
    },
    close(socket: Socket<Half>): void {
      open.delete(socket);
      if (state !== "hangs") socket.data.other?.end();
    },
    error(): void {},
  };

  const server = Bun.listen<Half>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      ...handlers,
      open(socket) {
        socket.data = { other: undefined, waiting: [] };
        if (state === "pulled") {
          socket.terminate();
          return;
        }
        open.add(socket);
        Bun.connect<Half>({
          ...{ hostname: "127.0.0.1", port: wire.target, data: { other: socket, waiting: [] } },
          socket: {
            ...handlers,
            open(far) {
              open.add(far);
              socket.data.other = far;
              pass(socket);
            },
          },
        }).catch(() => socket.terminate());
      },
    },
  });

  const wire: Wire = {
    address: `http://127.0.0.1:${server.port}`,
    target,
    set(next) {
      state = next;
      if (next === "pulled") for (const socket of open) socket.terminate();
      else for (const socket of open) pass(socket);
    },
    [Symbol.dispose]() {
      state = "pulled";
      for (const socket of open) socket.terminate();
      server.stop(true);
    },
  };
  return wire;
}
