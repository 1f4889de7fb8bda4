// A way to the hub that can be shut: what lies between a phone and a hub, with all that goes wrong there. The hub does not notice.
import { createConnection, createServer, type Socket } from "node:net";

export interface Door extends AsyncDisposable {
  readonly origin: string;
  /** Nothing passes, and nobody is notified: a phone out of reach. */
  stall(): void;
  /** Every connection breaks, and new ones are refused. */
  shut(): void;
  open(): void;
}

export async function openDoor(to: string): Promise<Door> {
  const { port: target } = new URL(to);
  const pairs = new Set<readonly [Socket, Socket]>();
  let state: "open" | "stalled" | "shut" = "open";
  const server = createServer((near) => {
    if (state === "shut") {
      near.destroy();
      return;
    }
    const far = createConnection(Number(target), "127.0.0.1");
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const [from, into] of [pair, [far, near]] as const) {
      from.on("data", (bytes) => into.write(bytes));
      from.on("error", () => {});
      from.on("close", () => {
        pairs.delete(pair);
        into.destroy();
      });
      if (state === "stalled") from.pause();
    }
  });
  const port = await new Promise<number>((resolve) =>
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : 0);
    }),
  );
  const each = (how: (socket: Socket) => void): void => [...pairs].flat().forEach(how);
  return {
    origin: `http://127.0.0.1:${port}`,
    stall() {
      state = "stalled";
      each((socket) => socket.pause());
    },
    shut() {
      state = "shut";
      each((socket) => socket.destroy());
    },
    open() {
      state = "open";
      each((socket) => socket.resume());
    },
    async [Symbol.asyncDispose]() {
      each((socket) => socket.destroy());
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
