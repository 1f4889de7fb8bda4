// This process as the commands see it.
import { randomBytes } from "node:crypto";
import { fstatSync, writeSync } from "node:fs";
import { systemClock } from "../core/clock.ts";
import type { Output } from "../core/edge.ts";
import type { Io } from "./command.ts";

export function processIo(): Io {
  return {
    edge: {
      clock: systemClock,
      fetch,
      random: (bytes) => randomBytes(bytes),
      env: process.env,
      stdout: output(process.stdout, 1),
      stderr: output(process.stderr, 2),
    },
    execPath: process.execPath,
    compiled: Bun.main.startsWith("/$bunfs/") || Bun.main.startsWith("B:/~BUN/"),
    isRoot: process.getuid?.() === 0,
    readStdin: () => Bun.stdin.text(),
    stopRequested,
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

function output(stream: { isTTY?: boolean }, descriptor: number): Output {
  return {
    isTerminal: stream.isTTY === true,
    isJournal: isJournal(descriptor),
    write(text) {
      try {
        writeSync(descriptor, text);
      } catch {
        // If the program that reads the output has ended, the hub goes on.
      }
    },
  };
}

/** systemd names the journal's socket by device and inode. */
function isJournal(descriptor: number): boolean {
  const named = process.env.JOURNAL_STREAM;
  if (!named) return false;
  const { dev, ino } = fstatSync(descriptor);
  return named === `${dev}:${ino}`;
}
