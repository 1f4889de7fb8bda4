// What happens to the house, one thing at a time: something is killed or cut off at a random moment, comes back after a random time,
// and the next thing waits until the house is whole again.
import { print } from "../checks.ts";
import type { Server } from "../machines/server.ts";
import type { Fleet } from "./fleet.ts";
import type { House } from "./house.ts";
import { type Death, FLUSH_SECS, type Hub } from "./hub.ts";

export interface Fault {
  readonly name: string;
  /** The hub that commands is killed, or cannot reach the others any more. */
  readonly takesHub: boolean;
  begin(): Promise<void>;
  end(): Promise<void>;
  /** Of the hub whose memory it took: see `Hub`. */
  lastWrite?(): number;
}

export interface Happened {
  name: string;
  takesHub: boolean;
  /** Monotonic ms. */
  from: number;
  until: number;
  /** Monotonic ms, of a hub whose memory was lost: what it took from then on was only there. */
  unwrittenFrom: number | undefined;
  /** From the beginning to the next command of any lamp; undefined where it took no hub away. */
  commandAgainMs: number | undefined;
  /** From the end of the fault until every sensor's next number was at its lamp, and in the export. */
  wholeAgainMs: number;
  /** The other hub commands now. */
  tookOver: boolean;
}

export function killOf(server: Server): Fault {
  return {
    ...{ name: `${server.name} killed`, takesHub: false },
    begin: () => server.kill(),
    end: () => server.start(),
  };
}

export function stopOf(server: Server, signal: NodeJS.Signals): Fault {
  return { ...killOf(server), name: `${server.name} stopped`, begin: () => server.kill(signal) };
}

export function killOfHub({ server, kill, lastWrite }: Hub, takesHub: boolean, death: Death): Fault {
  return { ...killOf(server), takesHub, begin: () => kill(death), ...(takesHub && death === "power" && { lastWrite }) };
}

export function splitOf({ name, machine }: Server, takesHub: boolean): Fault {
  return {
    ...{ name: `${name} cut off`, takesHub },
    begin: async () => machine.plug(false),
    end: async () => machine.plug(true),
  };
}

/** They reach everything else. */
export function partingOf(one: Server, other: Server): Fault {
  const ignore = async (isIgnored: boolean): Promise<void> => {
    one.machine.ignore(other.machine.address, isIgnored);
    other.machine.ignore(one.machine.address, isIgnored);
  };
  return { name: "hub1|hub2 parted", takesHub: false, begin: () => ignore(true), end: () => ignore(false) };
}

const DOWN_MS = [1000, 9000] as const;
/** Of what may make the other hub take over. */
const HUB_DOWN_MS = [1000, 25_000] as const;
const PAUSE_MS = [500, 3000] as const;
/** Longer would be the hub's own fault; a busy machine is late. */
const MAX_UNWRITTEN_MS = 2 * FLUSH_SECS * 1000;

/** For at least so long; each thing is a line. */
export async function breakFor(
  ms: number,
  house: House,
  { random, only }: { random: () => number; only: readonly string[] },
): Promise<Happened[]> {
  const between = ([least, most]: readonly [number, number]): number => least + random() * (most - least);
  const happened: Happened[] = [];
  const end = performance.now() + ms;
  while (performance.now() < end) {
    await Bun.sleep(between(PAUSE_MS));
    const possible = (await house.faults()).filter(
      ({ name }) => only.length === 0 || only.some((one) => name.includes(one)),
    );
    const fault = possible[Math.floor(random() * possible.length)];
    if (!fault) throw new Error("nothing can happen");
    const before = await house.commander();
    const from = performance.now();
    await fault.begin();
    const wroteAt = fault.lastWrite?.();
    await Bun.sleep(between(fault.takesHub && house.hubs.length > 1 ? HUB_DOWN_MS : DOWN_MS));
    await fault.end();
    const over = performance.now();
    await house.whole();
    const one: Happened = {
      ...{ name: fault.name, takesHub: fault.takesHub, from, until: over },
      unwrittenFrom: wroteAt === undefined ? undefined : Math.max(wroteAt, from - MAX_UNWRITTEN_MS),
      commandAgainMs: fault.takesHub ? firstCommandAfter(house.fleet, from) - from : undefined,
      wholeAgainMs: performance.now() - over,
      tookOver: (await house.commander()) !== before,
    };
    happened.push(one);
    print(line(one));
  }
  return happened;
}

function line({ name, from, until: over, commandAgainMs, wholeAgainMs, tookOver }: Happened): string {
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1).padStart(6)} s`;
  const again = commandAgainMs === undefined ? "" : `, commands again after ${seconds(commandAgainMs).trim()}`;
  const by = tookOver ? " of the other hub" : "";
  return `     ${name.padEnd(18)} for ${seconds(over - from)}, whole after ${seconds(wholeAgainMs)}${again}${by}`;
}

/** A hub that is killed may still have sent one in that moment. */
const SENT_MS = 200;

function firstCommandAfter({ devices }: Fleet, from: number): number {
  const all = devices.flatMap(({ commands }) => [...commands.values()].flatMap((times) => times.map(({ at }) => at)));
  return Math.min(...all.filter((at) => at > from + SENT_MS));
}

/** How long the lamps seen nothing, in the shortest, the middle and the longest case. */
export function takeOvers(happened: readonly Happened[]): string[] {
  const kinds = {
    "the other hub took over": happened.filter(({ takesHub, tookOver }) => takesHub && tookOver),
    "the same hub came back": happened.filter(({ takesHub, tookOver }) => takesHub && !tookOver),
  };
  return Object.entries(kinds).flatMap(([name, cases]) => {
    const times = cases.map(({ commandAgainMs = 0 }) => commandAgainMs).sort((a, b) => a - b);
    const at = (index: number): string => `${((times[index] ?? 0) / 1000).toFixed(1)} s`;
    const middle = Math.floor(times.length / 2);
    if (times.length === 0) return [];
    return [`${name} ${times.length} times; commands again after ${at(0)}, ${at(middle)}, ${at(times.length - 1)}`];
  });
}
