// Which connections to a port of this process are open: from where, and since when nothing came. Bun reports requests only, so this asks
// the kernel. Linux alone.

import { dlopen, ptr } from "bun:ffi";
import { readdirSync } from "node:fs";

export interface OpenConnection {
  readonly descriptor: number;
  readonly address: string;
  /** Milliseconds since the client sent anything. */
  readonly silentMs: number;
}

export interface OpenConnections {
  /** No more than so many can be open: a cheap upper bound. */
  most(): number;
  to(port: number): OpenConnection[];
  /** Bun sees the client hang up, and frees what it holds. */
  end(connection: OpenConnection): void;
}

// Linux on x64 and arm64 alike.
const DESCRIPTORS = "/proc/self/fd";
const MAX_TRIED = 65_536;
const AF_INET = 2;
const AF_INET6 = 10;
const ADDRESS_BYTES = 28;
const IPPROTO_TCP = 6;
const TCP_INFO = 11;
const INFO_BYTES = 104;
const LAST_DATA_RECEIVED_AT = 52;
const SHUT_RDWR = 2;

const SYMBOLS = {
  getsockname: { args: ["i32", "ptr", "ptr"], returns: "i32" },
  getpeername: { args: ["i32", "ptr", "ptr"], returns: "i32" },
  getsockopt: { args: ["i32", "i32", "i32", "ptr", "ptr"], returns: "i32" },
  shutdown: { args: ["i32", "i32"], returns: "i32" },
} as const;

/** Undefined where the system has no such thing. */
export function readOpenConnections(): OpenConnections | undefined {
  if (process.platform !== "linux") return undefined;
  let opened: Asked | undefined;
  return {
    most() {
      // Not before the first look: a start does not wait for it.
      opened ??= openKernel();
      return openDescriptors().length;
    },
    to: (port) => opened?.to(port) ?? [],
    end: (connection) => opened?.end(connection),
  };
}

type Asked = Pick<OpenConnections, "to" | "end">;

function openKernel(): Asked | undefined {
  try {
    // It works with musl, too: its loader accepts glibc's name.
    return fromKernel(dlopen("libc.so.6", SYMBOLS).symbols);
  } catch {
    return undefined;
  }
}

type Kernel = ReturnType<typeof dlopen<typeof SYMBOLS>>["symbols"];

function fromKernel({ getsockname, getpeername, getsockopt, shutdown }: Kernel): Asked {
  const bytes = new Uint8Array(INFO_BYTES);
  const view = new DataView(bytes.buffer);
  const length = new Uint32Array(1);
  const [at, lengthAt] = [ptr(bytes), ptr(length)];
  const isDone = (size: number, ask: () => number): boolean => {
    length[0] = size;
    return ask() === 0;
  };

  return {
    to(port) {
      const found: OpenConnection[] = [];
      for (const descriptor of openDescriptors()) {
        if (!isDone(ADDRESS_BYTES, () => getsockname(descriptor, at, lengthAt)) || portIn(view) !== port) continue;
        // Fails for the socket that listens.
        if (!isDone(ADDRESS_BYTES, () => getpeername(descriptor, at, lengthAt))) continue;
        const address = addressIn(view);
        if (!isDone(INFO_BYTES, () => getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, at, lengthAt))) continue;
        found.push({ descriptor, address, silentMs: view.getUint32(LAST_DATA_RECEIVED_AT, true) });
      }
      return found;
    },
    end: ({ descriptor }) => void shutdown(descriptor, SHUT_RDWR),
  };
}

/** All that may be open where there are so many that even these cannot be listed. */
function openDescriptors(): number[] {
  try {
    return readdirSync(DESCRIPTORS).map(Number);
  } catch {
    return Array.from({ length: MAX_TRIED }, (_, descriptor) => descriptor);
  }
}

/** Of a `struct sockaddr_in` or `sockaddr_in6`; undefined for another kind of socket. */
function portIn(view: DataView): number | undefined {
  const family = view.getUint16(0, true);
  return family === AF_INET || family === AF_INET6 ? view.getUint16(2) : undefined;
}

function addressIn(view: DataView): string {
  if (view.getUint16(0, true) === AF_INET) return [4, 5, 6, 7].map((at) => view.getUint8(at)).join(".");
  return Array.from({ length: 8 }, (_, index) => view.getUint16(8 + 2 * index).toString(16)).join(":");
}
