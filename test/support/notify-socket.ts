// A fake of systemd's end of NOTIFY_SOCKET. Bun has no Unix datagram sockets, so this calls libc, as the hub does.
import { dlopen, ptr } from "bun:ffi";
import { until } from "./wait.ts";

export interface NotifySocket extends Disposable {
  /** For NOTIFY_SOCKET. */
  readonly name: string;
  /** The lines of every message that has come, in order. */
  lines(): string[];
  /** Waits for one more line of this kind than `before`. */
  received(line: string | RegExp, before?: number): Promise<void>;
  count(line: string | RegExp): number;
}

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const MSG_DONTWAIT = 0x40;

/** `name` is a path, or an abstract name that begins with `@`. */
export function openNotifySocket(name: string): NotifySocket {
  const library = dlopen("libc.so.6", {
    socket: { args: ["i32", "i32", "i32"], returns: "i32" },
    bind: { args: ["i32", "ptr", "u32"], returns: "i32" },
    recv: { args: ["i32", "ptr", "u64", "i32"], returns: "i64" },
    close: { args: ["i32"], returns: "i32" },
  });
  const { socket, bind, recv, close } = library.symbols;
  const address = Buffer.concat([Buffer.from([AF_UNIX, 0]), Buffer.from(name.replace(/^@/, "\0"))]);
  const descriptor = socket(AF_UNIX, SOCK_DGRAM, 0);
  if (descriptor < 0 || bind(descriptor, ptr(address), address.length) !== 0) throw new Error(`cannot bind ${name}`);
  const come: string[] = [];
  const buffer = new Uint8Array(4096);
  const own: NotifySocket = {
    name,
    lines() {
      for (;;) {
        const length = Number(recv(descriptor, ptr(buffer), buffer.length, MSG_DONTWAIT));
        if (length < 0) return come;
        come.push(...Buffer.from(buffer.subarray(0, length)).toString().split("\n"));
      }
    },
    count: (line) => own.lines().filter((one) => (typeof line === "string" ? one === line : line.test(one))).length,
    async received(line, before = 0) {
      await until(`systemd receives ${line}`, () => own.count(line) > before);
    },
    [Symbol.dispose]() {
      close(descriptor);
      library.close();
    },
  };
  return own;
}
