// What the rules take and give at their entry point.
import type { FolderNotices } from "../../kit/lifecycle/folder-notices.ts";
import type { Problem } from "../../kit/schema/schema.ts";
import type { EventFeed } from "../../server/events/feed.ts";
import type { EngineOptions } from "../engine/wire-engine.ts";
import type { RuleTexts } from "../model/host.ts";
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

export interface RulesOptions extends OtherNames, Omit<EngineOptions, "feed" | "vocabulary" | "evaluate" | "heldBack"> {
  /** Called once, when all rules are loaded. */
  onLoaded?: (() => void) | undefined;
  folder: string;
  feed: EventFeed;
  /** See kit/files/folder-watch.ts. */
  notices?: FolderNotices | undefined;
  /** Absent where there are no channels to ask. */
  texts?: RuleTexts | undefined;
  /** Which attributes of devices have other names now. */
  renamed?: RenamedNames | undefined;
  /** Where to keep what rules were read into: see read-cache.ts. Without it, all are read anew at each start. */
  readCache?: Pick<ReadCacheOptions, "path" | "readBy"> | undefined;
}
