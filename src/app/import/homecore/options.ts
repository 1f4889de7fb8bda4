// What an import is given.
import type { Platform } from "../../../kit/lifecycle/platform.ts";
import type { Home } from "../../../server/home/paths.ts";
import type { OldArchive } from "./archive.ts";

export interface HomecoreImport {
  readonly home: Home;
  readonly url: string;
  readonly token: string;
  readonly archive: OldArchive | undefined;
  readonly dryRun: boolean;
  readonly platform: Platform;
  /** The hub.toml of a new home. */
  readonly untouchedHubToml: string;
  /** Called when homeCore was read and before the home is touched: makes a home where there is none. */
  prepareHome(): void;
  /** Said to whoever waits, before each step that takes long. */
  progress(step: string): void;
  /** File → what `hub check` says of it, in the home that is being made. */
  checkRules(home: Home): ReadonlyMap<string, RuleVerdict>;
}

export interface RuleVerdict {
  /** Why it does not run; the first of them. */
  readonly problem: string | undefined;
  readonly warnings: number;
}
