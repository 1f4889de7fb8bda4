// What is done at a target, as the hub asks a thread for it. Everything can be sent between threads.
import type { BackupTarget } from "./config.ts";
import type { Known, StoredFile } from "./storage.ts";

interface At {
  target: BackupTarget;
  /** HUB_HOME. */
  root: string;
  known: Known;
}

/** Brings what is missing there, reads it back, and gives up what is not to be kept any more. */
export interface SyncJob extends At {
  kind: "sync";
  house: string;
  /** This hub, in the names of its copies. */
  hub: string;
  locals: readonly LocalArchive[];
  /** Epoch ms. */
  now: number;
  /** Names of copies that were read back before. */
  verified: readonly string[];
  /** The copy that was made last. */
  spare: readonly string[];
}

export interface LocalArchive {
  /** `hub-backup-<UTC>.zip`, perhaps with `.age`. */
  name: string;
  path: string;
}

export interface Synced {
  copies: Copy[];
  /** Names of those that were read back and are the same as here. */
  verified: string[];
  removed: string[];
  /** The copy of the backup that was made last; null where there is none to copy. */
  newest: string | null;
  /** Other hubs that save the same house there. */
  others: string[];
  known: Known;
}

export interface Copy {
  name: string;
  /** UTC, from its name. */
  at: string;
  bytes: number;
  encrypted: boolean;
}

/** Lists the copies of all houses. */
export interface LookJob extends At {
  kind: "look";
}

export interface HouseCopies {
  house: string;
  /** Newest first. */
  copies: Copy[];
}

/** Writes, reads, renames and removes a small file. */
export interface TryJob extends At {
  kind: "try";
  house: string;
  hub: string;
}

/** Saves a copy as a file, which must not exist yet. */
export interface FetchJob extends At {
  kind: "fetch";
  path: string;
  file: string;
}

/** Opens a copy, and sends a chunk of it for each request. */
export interface OpenJob extends At {
  kind: "open";
  path: string;
}

export type Job = SyncJob | LookJob | TryJob | FetchJob | OpenJob;

export interface JobResults {
  sync: Synced;
  look: HouseCopies[];
  try: { known: Known };
  fetch: StoredFile;
  open: { bytes: number };
}

/** What a job says while it goes on: that it moves, and each copy that is whole. */
export type JobReport =
  | { kind: "moved"; name: string; doing: "sending" | "reading"; done: number; bytes: number }
  | { kind: "copied"; name: string; bytes: number };

export type Report = (report: JobReport) => void;
