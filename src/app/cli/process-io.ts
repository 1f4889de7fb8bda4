// This process as the commands see it.
import { fstatSync, writeSync } from "node:fs";
import { createKernelNotices } from "../../kit/lifecycle/folder-notices.ts";
import type { Output } from "../../kit/lifecycle/platform.ts";
import { messageOf, systemCode } from "../../kit/schema/errors.ts";
import { systemClock } from "../../kit/time/clock.ts";
import type { Io } from "./command.ts";

export function processIo(): Io {
  return {
    platform: {
      clock: systemClock,
      notices: createKernelNotices(),
      fetch,
      random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
      env: process.env,
      stdout: output(1),
      stderr: output(2),
    },
    execPath: process.execPath,
    compiled: Bun.main.startsWith("/$bunfs/") || Bun.main.startsWith("B:/~BUN/"),
    isRoot: process.getuid?.() === 0,
    readStdin: () => Bun.stdin.text(),
    stopRequested,
    onCrash,
  };
}

function stopRequested(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      process.on(signal, () => resolve(signal));
    }
    // The terminal was closed, or the program that reads the output ended: neither is a reason to end.
    process.on("SIGHUP", () => {});
    process.on("SIGPIPE", () => {});
  });
}

function onCrash(note: (error: unknown) => void): void {
  for (const event of ["uncaughtException", "unhandledRejection"] as const)
    process.on(event, (error: unknown) => {
      try {
        note(error);
      } finally {
        process.exit(1);
      }
    });
}

function output(descriptor: number): Output {
  let isClosed = false;
  let problem: string | undefined;
  return {
    get isClosed() {
      isClosed ||= hasNoReader(descriptor);
      return isClosed;
    },
    get problem() {
      return problem;
    },
    get isTerminal() {
      return process.getBuiltinModule("node:tty").isatty(descriptor);
    },
    isJournal: isJournal(descriptor),
    write(text) {
      try {
        writeWhole(descriptor, Buffer.from(text));
      } catch (error) {
        isClosed ||= systemCode(error) === "EPIPE";
        // If the program that reads the output has ended, the hub goes on.
        if (!isClosed) problem ??= messageOf(error);
      }
    },
  };
}

const POLLERR = 0x8;
const POLL = { poll: { args: ["ptr", "u64", "i32"], returns: "i32" } } as const;

/** Of a pipe, whether its reader has ended, which a write would show only when there is something to write. Linux. */
function hasNoReader(descriptor: number): boolean {
  try {
    const { dlopen, ptr } = process.getBuiltinModule("bun:ffi") as typeof import("bun:ffi");
    // struct pollfd: the descriptor, then two short integers, the second of which is the answer.
    const asked = new Int16Array(new Int32Array([descriptor, 0]).buffer);
    const { poll } = dlopen("libc.so.6", POLL).symbols;
    return poll(ptr(asked), 1, 0) > 0 && ((asked[3] ?? 0) & POLLERR) !== 0;
  } catch {
    return false;
  }
}

/** A disk that becomes full takes a part. */
function writeWhole(descriptor: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
}

/** systemd names the journal's socket by device and inode. */
function isJournal(descriptor: number): boolean {
  const named = process.env.JOURNAL_STREAM;
  if (!named) return false;
  const { dev, ino } = fstatSync(descriptor);
  return named === `${dev}:${ino}`;
}
