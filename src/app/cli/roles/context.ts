// What the roles of a process share, one after the other.
import { readCertificate } from "../../../api/http/listen/certificate.ts";
import { fingerprintOf, type HubLink, openHubLink } from "../../../copies/standby/follow/hub-link.ts";
import type { LeaseEngine, LeaseHolder, Machine } from "../../../copies/standby/lease/lease.ts";
import { type MachineFile, readMachine, writeMachine } from "../../../copies/standby/machine.ts";
import type { TakeOver } from "../../../copies/standby/standing.ts";
import { forgetWanted } from "../../../copies/standby/wanted.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { messageOf } from "../../../kit/schema/errors.ts";
import { isObject, parseJson } from "../../../kit/schema/json.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import { knownMeta } from "../../../server/db/known-ids.ts";
import { STANDBY_META } from "../../../server/db/meta.ts";
import type { Home } from "../../../server/home/paths.ts";
import type { HubConfig } from "../../config/sections.ts";
import type { HubProcess } from "../serve-hub.ts";
import { machineOf } from "../serve-standing.ts";

/** The lease, while this machine has it. */
export interface HeldLease {
  engine: LeaseEngine;
  leaseHolder: LeaseHolder;
}

/** What comes next. */
export type Next =
  | {
      as: "hub";
      /** It has it already. */
      lease?: HeldLease | undefined;
      tookOver?: TakeOver;
      /** It was the hub until another machine may have taken the lease. */
      isBeaten?: boolean;
    }
  | { as: "standby" }
  | { as: "end"; code: number };

export interface Roles {
  readonly all: HubProcess;
  readonly home: Home;
  readonly log: Log;
  readonly clock: Clock;
  /** Written through. */
  file: MachineFile;
  /** Where this process answers. */
  port: number | undefined;
  change(changes: Partial<MachineFile>): void;
  /** From now on, also after a power cut; `other`: the hub. */
  becomeStandby(other?: MachineFile["other"]): Next;
  self(config: HubConfig): Machine;
  link(config: HubConfig, address: string): HubLink;
  /** Undefined where this machine was never paired, or it is not known where the other one is. */
  other(): NonNullable<MachineFile["other"]> | undefined;
  /** Of the pair. */
  key(): string | undefined;
}

export function createRoles(all: HubProcess, file: MachineFile, port: number | undefined): Roles {
  const { home, opened, io } = all;
  const { clock } = io.platform;
  const roles: Roles = {
    all,
    home,
    log: opened.log.child("standby"),
    clock,
    file,
    port,
    change(changes) {
      // The hub may have paired meanwhile.
      roles.file = { ...(readMachine(home) ?? roles.file), ...changes };
      writeMachine(home, roles.file);
    },
    becomeStandby(given) {
      const other = given ?? roles.other();
      roles.change({ role: "standby", ...(other && { other }) });
      forgetWanted(home);
      return { as: "standby" };
    },
    self: (config) => machineOf(roles.file, config, home, config.server.port || roles.port),
    link(config, address) {
      const { ca, fingerprint } = roles.file.other ?? {};
      // The other machine of the house has the house's certificate.
      const own = ownFingerprint(config, home);
      const fingerprints = [fingerprint, own].flatMap((one) => (one === undefined ? [] : (fingerprintOf(one) ?? [])));
      return openHubLink(address, { ca, fingerprints }, clock);
    },
    other() {
      const { other, id, role } = roles.file;
      if (role === "standby") return other;
      // What the standby said last, wherever it has moved.
      const last = machineIn(knownMeta(home.stateDb, STANDBY_META.machine));
      const key = roles.key();
      if (key === undefined || !last || last.id === id) return other;
      return { ...other, ...last, key };
    },
    key: () => (roles.file.role === "hub" && knownMeta(home.stateDb, STANDBY_META.key)) || roles.file.other?.key,
  };
  return roles;
}

function machineIn(text: string | undefined): { id: string; address: string } | undefined {
  const parsed = text ? parseJson(text) : undefined;
  const { id, address } = parsed?.ok && isObject(parsed.value) ? parsed.value : {};
  return typeof id === "string" && typeof address === "string" && address !== "" ? { id, address } : undefined;
}

function ownFingerprint({ server }: HubConfig, home: Home): string | undefined {
  const certificate = readCertificate(server, home.resolve);
  if (!certificate?.ok) return undefined;
  const { X509Certificate } = process.getBuiltinModule("node:crypto");
  return new X509Certificate(certificate.cert).fingerprint256;
}

export interface OpenedEngine {
  engine: LeaseEngine;
  ttlMs: number;
}

/** Undefined where hub.toml names no lease. Throws HubError `config`. */
export async function openEngine({ home, log, all }: Roles, config: HubConfig): Promise<OpenedEngine | undefined> {
  const { standby } = config;
  if (standby.lease === undefined) return undefined;
  const { openLeaseEngine } = await import("../../../copies/standby/lease/engines.ts");
  const { clock, random } = all.io.platform;
  const engine = await openLeaseEngine(standby, { resolvePath: home.resolve, clock, random, log });
  return { engine, ttlMs: standby.lease_secs * 1000 };
}

export async function closeQuietly(log: Log, what: AsyncDisposable | undefined): Promise<void> {
  try {
    await what?.[Symbol.asyncDispose]();
  } catch (error) {
    log.warn("the lease's engine could not be left", { error: messageOf(error) });
  }
}
