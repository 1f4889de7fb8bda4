// Commands to systemd, and what it knows about the hub's service.
import { HubError } from "../../../kit/schema/errors.ts";
import type { Machine } from "./machine.ts";
import { UNIT_NAME } from "./service-unit.ts";

// Longer than the unit's own time to stop and to start.
const MAX_JOB_MS = 330_000;

export interface ServiceState {
  /** `active`, `activating`, `inactive`, `failed`, … */
  active: string;
  /** `enabled`, `disabled`, …; empty where there is no unit. */
  enabled: string;
  pid: number;
  since: string;
  restarts: number;
  /** Why it ended, where it failed. */
  result: string;
  /** The last status line it sent. */
  statusText: string;
  /** HUB_HOME of its environment. */
  home: string | undefined;
}

const PROPERTIES = [
  "ActiveState",
  "UnitFileState",
  "MainPID",
  "ActiveEnterTimestamp",
  "NRestarts",
  "Result",
  "StatusText",
  "Environment",
] as const;

/** Undefined where there is no systemd, or it does not know the service. */
export async function serviceState(machine: Machine): Promise<ServiceState | undefined> {
  if (!machine.hasSystemd()) return undefined;
  const names = PROPERTIES.map((name) => `--property=${name}`);
  const { code, stdout } = await machine.run(["systemctl", "show", UNIT_NAME, "--property=LoadState", ...names]);
  const of = (name: string): string => new RegExp(`^${name}=(.*)$`, "m").exec(stdout)?.[1] ?? "";
  if (code !== 0 || of("LoadState") !== "loaded") return undefined;
  return {
    active: of("ActiveState"),
    enabled: of("UnitFileState"),
    pid: Number(of("MainPID")),
    since: of("ActiveEnterTimestamp"),
    restarts: Number(of("NRestarts")),
    result: of("Result"),
    statusText: of("StatusText"),
    home: /(?:^|\s)"?HUB_HOME=([^\s"]+)/.exec(of("Environment"))?.[1],
  };
}

/** Undefined where there is none. */
export async function versionOfSystemd(machine: Machine): Promise<number | undefined> {
  if (!machine.hasSystemd()) return undefined;
  const { code, stdout } = await machine.run(["systemctl", "--version"]);
  const version = code === 0 ? /^systemd (\d+)/.exec(stdout)?.[1] : undefined;
  return version === undefined ? undefined : Number(version);
}

/** Throws HubError `upstream_failed` with the output of the command. */
export async function runOrThrow(machine: Machine, argv: readonly string[], timeoutMs = MAX_JOB_MS): Promise<void> {
  const { code, stderr, stdout } = await machine.run(argv, { timeoutMs });
  if (code === 0) return;
  const output = (stderr.trim() || stdout.trim()).slice(0, 2000);
  throw new HubError(
    "upstream_failed",
    `\`${argv.join(" ")}\` failed with exit code ${code}${output ? `: ${output}` : ""}`,
  );
}

/** The last lines of the service's journal. */
export async function lastLines(machine: Machine, count: number): Promise<string> {
  const { code, stdout } = await machine.run([
    "journalctl",
    `--unit=${UNIT_NAME}`,
    `--lines=${count}`,
    "--no-pager",
    "--output=short-iso",
  ]);
  return code === 0 ? stdout.trimEnd() : "";
}
