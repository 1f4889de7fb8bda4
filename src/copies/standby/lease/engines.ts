// Opens the engine that hub.toml names, and loads its client only then.
import { readFileSync } from "node:fs";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import type { StandbySection } from "../config.ts";
import type { EngineOptions } from "./engine-options.ts";
import type { LeaseEngine } from "./lease.ts";

export interface EngineDeps extends Pick<EngineOptions, "clock" | "random"> {
  /** Of `ca`, which may be relative to the home. */
  resolvePath: (path: string) => string;
  log: Log;
}

const MAX_MS = 2000;

/** Connects with the first question. Throws HubError `config` where hub.toml names no lease, or `ca` cannot be read. */
export async function openLeaseEngine(config: StandbySection, deps: EngineDeps): Promise<LeaseEngine> {
  const { lease } = config;
  if (lease === undefined) throw new HubError("config", "hub.toml names no lease in [standby]");
  const withinMs = Math.min(MAX_MS, config.lease_secs * 300);
  const { clock, random } = deps;
  const options = { lease, config, withinMs, clock, random, ca: readCa(config, deps) };
  if (lease.startsWith("postgres")) return (await import("./postgres.ts")).openPostgresLease(options);
  return (await import("./nats.ts")).openNatsLease(options);
}

/** Whether it answers. Throws HubError that says why not. */
export async function askEngine(config: StandbySection, deps: EngineDeps): Promise<void> {
  const engine = await openLeaseEngine(config, deps);
  try {
    await engine.read();
  } catch (error) {
    throw new HubError("unavailable", `the lease at ${engine.url} cannot be taken: ${messageOf(error)}`, {
      cause: error,
    });
  } finally {
    await engine[Symbol.asyncDispose]();
  }
}

function readCa({ ca }: StandbySection, { resolvePath }: EngineDeps): string | undefined {
  if (ca === undefined) return undefined;
  const path = resolvePath(ca);
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new HubError("config", `standby.ca: cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
}
