// What the rules take and give at their entry point.
import type { DiskBudget } from "../../kit/files/write-behind.ts";
import type { FolderNotices } from "../../kit/lifecycle/folder-notices.ts";
import type { WaitKept } from "../../kit/lifecycle/kept.ts";
import type { Limits } from "../../kit/lifecycle/limits.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import type { RandomBytes } from "../../kit/schema/ids.ts";
import type { Problem } from "../../kit/schema/schema.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { StateDb } from "../../server/db/state-db.ts";
import type { EventFeed } from "../../server/events/feed.ts";
import type { RulesSection } from "../config.ts";
import type { RunJournal } from "../engine/runs/run-store.ts";
import type { RuleHost, RuleTexts } from "../model/host.ts";
import type { OtherNames } from "./bound-rules.ts";
import type { RuleStatus } from "./describe.ts";
import type { ReadCacheOptions } from "./read-cache.ts";
import type { RenamedNames } from "./renamed/renamed-rules.ts";

export interface RulesFilter {
  tag?: string | undefined;
  state?: RuleStatus | undefined;
  /** Only rules that name it. */
  device_id?: string | undefined;
}

export interface RuleFileText {
  text: string;
  etag: string;
}

export interface RulesProblem extends Problem {
  /** Path of the file, or of the folder. */
  file: string;
  line?: number;
}

export interface RulesOptions extends OtherNames {
  /** Called once, when all rules are loaded. */
  onLoaded?: (() => void) | undefined;
  folder: string;
  feed: EventFeed;
  clock: Clock;
  /** See kit/files/folder-watch.ts. */
  notices?: FolderNotices | undefined;
  log: Log;
  random: RandomBytes;
  host: RuleHost;
  /** Absent where there are no channels to ask. */
  texts?: RuleTexts | undefined;
  db: Pick<StateDb, "durable" | "relaxed" | "own" | "trouble">;
  journal?: RunJournal | undefined;
  flushMs?: number;
  /** See kit/files/write-budget.ts. */
  budget?: DiskBudget;
  config?: RulesSection;
  limits?: Limits;
  /** See EngineOptions. */
  waitKept?: WaitKept;
  onDecided?: (seconds: number) => void;
  onRan?: (seconds: number) => void;
  /** Which attributes of devices have other names now. */
  renamed?: RenamedNames | undefined;
  /** Where to keep what rules were read into: see read-cache.ts. Without it, all are read anew at each start. */
  readCache?: Pick<ReadCacheOptions, "path" | "readBy"> | undefined;
}
