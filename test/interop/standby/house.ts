// A house of two machines for the scenes of standby.ts, with the lease in a real engine.
import { resolve } from "node:path";
import { createTwoMachines, type Side, type TwoMachines } from "../../support/two-machines.ts";
import { until } from "../../support/wait.ts";

/** Where the lease is: lines of [standby], and its server. */
export interface Engine {
  toml: string;
  stop(): Promise<void>;
  start(): Promise<void>;
}

export interface Scene {
  engine: Engine;
  /** The compiled hub. */
  hub: string;
  /** A folder that goes away with the scenes. */
  folder: string;
  /** The name of a check, with those of the scene and of the engine. */
  say(what: string): string;
}

export const LEASE_SECS = 4;
/** Beyond that the house is without a hub for too long. */
export const MAX_SECS = 15;

interface HouseOptions {
  /** More lines of [standby]. */
  more?: string;
  /** Of `hub standby --of`. */
  options?: string[];
  /** Of all processes of the first machine, and of the second. */
  env?: [Record<string, string>, Record<string, string>];
}

export function houseOn(
  { engine, hub }: Scene,
  { more = "", options = [], env }: HouseOptions = {},
): Promise<TwoMachines> {
  const toml = `[standby]\n${engine.toml}lease_secs = ${LEASE_SECS}\n${more}`;
  return createTwoMachines({ hub: { toml }, options, ...(env && { env }) }, resolve(hub));
}

/** Answers with the status. */
export async function setVariable({ process: running }: Side, name: string, value: number): Promise<number> {
  return (await running.request("PUT", `/variables/${name}`, { body: { value } })).status;
}

export async function variable({ process: running }: Side, name: string): Promise<unknown> {
  const answer = await running.request("GET", `/variables/${name}`);
  return answer.status === 200 ? answer.json<{ value: unknown }>().value : undefined;
}

/** Waits until the standby is whole, and would take over if the hub were gone. */
export async function isReady(standby: Side): Promise<void> {
  await standby.isWhole();
  await until("the lease names the standby", async () =>
    (await standby.status()).takes_over?.includes("has the lease"),
  );
}

/** Kills the hub; for how many seconds there is none then. */
export async function secondsToTakeOver(hub: Side, standby: Side): Promise<number> {
  const at = performance.now();
  hub.process.kill("SIGKILL");
  await standby.isHub();
  return (performance.now() - at) / 1000;
}

/** Asks both machines again and again whether they are the hub, until it is disposed of. */
export function watchHubs({ first, second }: TwoMachines): AsyncDisposable & { readonly most: number } {
  const over = new AbortController();
  let most = 0;
  const isHub = async ({ address }: Side): Promise<boolean> => {
    const answer = await fetch(`${address}/api/v1/health`, { signal: AbortSignal.timeout(1000) });
    const { role } = (await answer.json()) as { role?: string };
    return answer.ok && role === undefined;
  };
  const watching = (async () => {
    while (!over.signal.aborted) {
      const found = await Promise.all([first, second].map((side) => isHub(side).catch(() => false)));
      most = Math.max(most, found.filter(Boolean).length);
      await Bun.sleep(100);
    }
  })();
  return {
    get most() {
      return most;
    },
    async [Symbol.asyncDispose]() {
      over.abort();
      await watching;
    },
  };
}
