// The disk: nearly full, full, or failing to write; and the daily allowance of bytes.
import { statfsSync } from "node:fs";
import { STORAGE_TEXTS, type StorageFault } from "../../../kit/files/storage-fault.ts";
import type { Finding, Watch } from "../alert.ts";

/** Devices of which not every change is recorded, and about how many seconds lie between two records. */
export interface SampledNow {
  devices: readonly string[];
  everySecs: number;
}

export interface DiskWatchOptions {
  folder: string;
  freeMb: number;
  /** What keeps the hub from writing, if anything does. */
  fault: () => StorageFault | undefined;
  sparing: () => boolean;
  /** What is recorded now and then only, so that the allowance is kept. */
  sampled: () => SampledNow | undefined;
}

const MB = 1_000_000;
// An alert ends only with so much more space than it began with, so that a rotating log file does not raise it again and again.
const RECOVERED = 1.2;
// With less, SQLite cannot commit.
const FULL_MB = 5;

export function diskWatch({ folder, freeMb, fault, sparing, sampled }: DiskWatchOptions): Watch {
  return {
    name: "disk",
    check(isRaised) {
      const { bavail, bsize, blocks } = statfsSync(folder);
      const free = Math.floor((bavail * bsize) / MB);
      // At most a tenth of the disk: a small card must not be nearly full from its first day.
      const wanted = Math.min(freeMb, Math.floor((blocks * bsize) / MB / 10));
      const nearly = free < (isRaised("disk_nearly_full") ? wanted * RECOVERED : wanted);
      const findings: Finding[] = [];
      const wrong = fault();
      if (free < FULL_MB || wrong === "full") findings.push(full(free));
      else if (nearly) findings.push(nearlyFull(free));
      if (wrong === "read_only" || wrong === "failing") findings.push(failing(wrong));
      const thinned = sampled();
      if (thinned) findings.push(sampling(thinned));
      else if (sparing()) findings.push(ALLOWANCE);
      return findings;
    },
  };
}

function full(free: number): Finding {
  return {
    kind: "disk_full",
    severity: "critical",
    message: `The disk of the hub is full: ${free} MB are free, and nothing that changes is kept`,
    mend: "Free some space: old backups and logs are the first to look at.",
    values: { free_mb: free },
  };
}

function nearlyFull(free: number): Finding {
  return {
    kind: "disk_nearly_full",
    severity: "warning",
    message: `The disk of the hub is nearly full: ${free} MB are free`,
    mend: "Free some space, or lower [history] retention_days and [backup] keep.",
    values: { free_mb: free },
  };
}

function failing(fault: StorageFault): Finding {
  const { what, mend } = STORAGE_TEXTS[fault];
  const message = `The hub cannot write: ${what}. The house runs on; what changes now is lost at the next power cut`;
  return {
    kind: "disk_failing",
    severity: "critical",
    message,
    mend: `${mend[0]?.toUpperCase()}${mend.slice(1)}.`,
    variant: fault,
  };
}

const ALLOWANCE: Finding = {
  kind: "write_allowance",
  severity: "info",
  message: "Today's allowance of bytes written is used up, so readings are written up to ten minutes late",
  mend: "Find the device that reports too often, or raise [storage] max_write_mb_per_day.",
};

const MAX_NAMED = 3;

function sampling({ devices, everySecs }: SampledNow): Finding {
  const named = devices.slice(0, MAX_NAMED).join(", ");
  const names = devices.length > MAX_NAMED ? `${named} and ${devices.length - MAX_NAMED} more` : named;
  return {
    ...ALLOWANCE,
    severity: "warning",
    message: `More is reported than may be written in a day, so of what changes most often only one value in about ${everySecs} s is recorded (${names})`,
    mend: "Rules and the page see each change. Let the device report less often, or raise [storage] max_write_mb_per_day.",
    variant: "sampled",
    values: { devices: names, seconds: everySecs },
  };
}
