// What the kernel offers to whoever answers the signals of plugins: the calls of its filters (seccomp_unotify(2)), processes by file
// descriptors, which stay theirs when their numbers are given to others, and file descriptors through sockets.
import { dlopen, type Pointer, ptr } from "bun:ffi";
import { existsSync, readFileSync } from "node:fs";
import { errnoAt } from "../landlock.ts";

// The same on x64 and arm64.
const PIDFD_SEND_SIGNAL = 424n;
const PIDFD_OPEN = 434n;
const NOTIF_RECV = 0xc050_2100n;
const NOTIF_SEND = 0xc018_2101n;
const NOTIF_ID_VALID = 0x4008_2102n;
const MSG_CMSG_CLOEXEC = 0x4000_0000;
const EINTR = 4;
/** Is there to be read; has ended; is none. */
const POLLIN = 1;
const POLL_END = 0x38;
const NOTICE_BYTES = 80;
/** struct cmsghdr, and the descriptor behind it. */
const CONTROL_BYTES = 24;

/** A call that waits for an answer. */
export interface Notice {
  id: bigint;
  /** The number of the thread that calls. */
  caller: number;
  call: number;
  /** The kernel's ints. */
  args: readonly [number, number, number];
}

/** `goOn`: the kernel does it itself, with what it was called with. Else 0 or an error's number. */
export type Answer = { goOn: true } | { error: number };

export type Kernel = ReturnType<typeof openKernel>;

export function openKernel() {
  const { symbols } = dlopen("libc.so.6", {
    syscall: { args: ["i64", "i64", "i64", "i64", "i64"], returns: "i64" },
    ioctl: { args: ["i32", "u64", "ptr"], returns: "i32" },
    poll: { args: ["ptr", "u64", "i32"], returns: "i32" },
    recvmsg: { args: ["i32", "ptr", "i32"], returns: "i64" },
    close: { args: ["i32"], returns: "i32" },
    __errno_location: { args: [], returns: "ptr" },
  });
  /** As the kernel itself answers: an error's number is below zero. */
  const orError = (result: number): number => (result < 0 ? -errnoAt(symbols.__errno_location()) : result);
  const notice = new DataView(new ArrayBuffer(NOTICE_BYTES));
  const response = new DataView(new ArrayBuffer(24));
  const identity = new BigUint64Array(1);

  return {
    close: (fd: number): void => void symbols.close(fd),

    /** Waits until something happens; answers the descriptors that have something, and those that have ended. */
    wait(fds: readonly number[]): { ready: number[]; ended: number[] } {
      const entries = new Int32Array(fds.flatMap((fd) => [fd, POLLIN]));
      while (orError(symbols.poll(entries, BigInt(fds.length), -1)) === -EINTR);
      const having = (bits: number) => fds.filter((_, index) => ((entries[index * 2 + 1] ?? 0) >> 16) & bits);
      const ready = having(POLLIN);
      return { ready, ended: having(POLL_END).filter((fd) => !ready.includes(fd)) };
    },

    /** Undefined where it was taken back meanwhile. */
    receive(listener: number): Notice | undefined {
      new Uint8Array(notice.buffer).fill(0);
      if (symbols.ioctl(listener, NOTIF_RECV, ptr(notice)) !== 0) return undefined;
      // id, pid, flags, then struct seccomp_data: its number, what kind of machine, where it was called, its arguments.
      const int = (at: number): number => notice.getInt32(at, true);
      return {
        id: notice.getBigUint64(0, true),
        caller: int(8),
        call: int(16),
        args: [int(32), int(40), int(48)],
      };
    },

    /** Whether it still waits, and so whether the caller's number was the caller's. */
    waits(listener: number, { id }: Notice): boolean {
      identity[0] = id;
      return symbols.ioctl(listener, NOTIF_ID_VALID, ptr(identity)) === 0;
    },

    answer(listener: number, { id }: Notice, answer: Answer): void {
      response.setBigUint64(0, id, true);
      response.setBigInt64(8, 0n, true);
      response.setInt32(16, "error" in answer ? -answer.error : 0, true);
      response.setUint32(20, "goOn" in answer ? 1 : 0, true);
      symbols.ioctl(listener, NOTIF_SEND, ptr(response));
    },

    /** A descriptor of the process, or an error below zero. */
    openProcess: (pid: number): number => orError(Number(symbols.syscall(PIDFD_OPEN, BigInt(pid), 0n, 0n, 0n))),

    /** 0, or an error below zero. Signal 0 only asks. */
    signal: (process: number, signal: number): number =>
      orError(Number(symbols.syscall(PIDFD_SEND_SIGNAL, BigInt(process), BigInt(signal), 0n, 0n))),

    /** The descriptor that came through a socket with one byte; undefined where none did. */
    receiveDescriptor(socket: number): { fd: number; byte: number } | undefined {
      const byte = new Uint8Array(1);
      const control = new DataView(new ArrayBuffer(CONTROL_BYTES));
      const message = messageOf(byte, control);
      const got = Number(symbols.recvmsg(socket, ptr(message), MSG_CMSG_CLOEXEC));
      // The length of what came beside it is that of one descriptor.
      if (got !== 1 || control.getBigUint64(0, true) !== 20n) return undefined;
      return { fd: control.getInt32(16, true), byte: byte[0] ?? 0 };
    },
  };
}

/** struct msghdr, for one byte and one descriptor. */
function messageOf(byte: Uint8Array, control: DataView): BigUint64Array {
  const address = (of: NodeJS.TypedArray | DataView): bigint => BigInt(ptr(of) as Pointer);
  const vector = new BigUint64Array([address(byte), 1n]);
  kept.vector = vector;
  return new BigUint64Array([0n, 0n, address(vector), 1n, address(control), BigInt(CONTROL_BYTES), 0n]);
}

// Until the call that reads its address is over.
const kept: { vector: BigUint64Array | undefined } = { vector: undefined };

/** The number of the process that this process or thread is of; undefined where there is none, or it is hidden. */
export function processOf(number: number): number | undefined {
  const [, found] = /^Tgid:\s+(\d+)$/m.exec(textOf(`/proc/${number}/status`)) ?? [];
  return found === undefined ? undefined : Number(found);
}

export function isThreadOf(thread: number, pid: number): boolean {
  return existsSync(`/proc/${pid}/task/${thread}`);
}

/** The process group of a process: the fields of proc(5) from the third on, as the name before them may contain anything. */
export function groupOf(pid: number): number | undefined {
  const text = textOf(`/proc/${pid}/stat`);
  const [, , group] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return group === undefined ? undefined : Number(group);
}

// Empty for what has ended meanwhile.
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
