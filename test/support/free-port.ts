// Ports for servers that are named before they listen, or come back where they were.
import { randomInt } from "node:crypto";

// Linux hands out those from 32768 on to connections: one of them that was free may be somebody's a moment later.
const FIRST = 20_000;
const LAST = 32_000;
const MOST_TRIES = 100;

/** Nobody listens there, and no connection gets it. */
export function freePort(): number {
  for (let time = 0; time < MOST_TRIES; time++) {
    const port = randomInt(FIRST, LAST);
    if (isFree(port)) return port;
  }
  throw new Error(`none of ${MOST_TRIES} ports is free`);
}

/** All different. */
export function freePorts(count: number): number[] {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(freePort());
  return [...ports];
}

function isFree(port: number): boolean {
  try {
    Bun.listen({ hostname: "127.0.0.1", port, socket: { data() {} } }).stop(true);
    return true;
  } catch {
    return false;
  }
}
