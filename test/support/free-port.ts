// Ports for servers that are named before they listen, or come back where they were.
import { randomInt } from "node:crypto";

// Linux hands out those from 32768 on to connections: one of them that was free may be somebody's a moment later.
const FIRST = 20_000;
// Test processes that run side by side have ids one after the other: each takes its ports from another slice.
const SLICES = 12;
const SLICE = 1000;
const MAX_TRIES = 100;
const given = new Set<number>();

/** Nobody listens there, no connection gets it, and it is not given again. */
export function freePort(): number {
  const first = FIRST + (process.pid % SLICES) * SLICE;
  for (let time = 0; time < MAX_TRIES; time++) {
    const port = randomInt(first, first + SLICE);
    if (given.has(port) || !isFree(port)) continue;
    given.add(port);
    return port;
  }
  throw new Error(`none of ${MAX_TRIES} ports is free`);
}

/** All different. */
export function freePorts(count: number): number[] {
  return Array.from({ length: count }, freePort);
}

function isFree(port: number): boolean {
  try {
    Bun.listen({ hostname: "127.0.0.1", port, socket: { data() {} } }).stop(true);
    return true;
  } catch {
    return false;
  }
}
