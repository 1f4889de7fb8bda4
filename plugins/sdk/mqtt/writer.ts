// Bytes on their way out: what the socket does not take at once waits for its drain.

export interface Writer {
  attach(socket: Pick<Bun.Socket, "write">): void;
  write(bytes: Uint8Array): void;
  flush(): void;
}

export function createWriter(): Writer {
  let target: Pick<Bun.Socket, "write"> | undefined;
  let waiting: Uint8Array[] = [];

  function flush(): void {
    while (target) {
      const first = waiting[0];
      if (!first) return;
      const written = Math.max(0, target.write(first));
      if (written < first.length) {
        waiting[0] = first.subarray(written);
        return;
      }
      waiting.shift();
    }
  }

  return {
    attach(socket) {
      target = socket;
      waiting = [];
    },
    write(bytes) {
      waiting.push(bytes);
      // Behind bytes that already wait for the drain, order asks this one to wait as well.
      if (waiting.length === 1) flush();
    },
    flush,
  };
}
