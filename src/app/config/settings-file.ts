// hub.toml while the hub runs: what it says now, and single values of it changed by a person who does not open the file.
import { readFileSync, statSync } from "node:fs";
import { replaceFile } from "../../kit/files/atomic-file.ts";
import { HubError, messageOf } from "../../kit/schema/errors.ts";
import { type ConfigEdit, editConfig } from "./edit.ts";
import { checkConfig } from "./load.ts";
import type { HubConfig } from "./sections.ts";

export interface SettingsFile {
  /** What the file says; while it cannot be used, what the hub runs with. */
  current(): HubConfig;
  /** Whether the hub runs with something else than the file says. */
  restartNeeded(): boolean;
  /** All or none. Throws HubError: `invalid` for a value the hub would not start with, `conflict` where the file is in the way. */
  change(edits: readonly ConfigEdit[]): void;
}

export interface SettingsFileOptions {
  path: string;
  /** What the hub was started with. */
  running: HubConfig;
  /** Whether there are MQTT accounts besides [[mqtt.users]]. */
  otherMqttAccounts: () => boolean;
  onWritten?: () => void;
}

export function openSettingsFile({ path, running, otherMqttAccounts, onWritten }: SettingsFileOptions): SettingsFile {
  const check = (text: string) => checkConfig(text, { otherMqttAccounts: otherMqttAccounts() });

  function current(): HubConfig {
    try {
      return check(readFileSync(path, "utf8")).config ?? running;
    } catch {
      return running;
    }
  }

  return {
    current,
    restartNeeded: () => !Bun.deepEquals(current(), running),
    change(edits) {
      const before = read(path);
      const content = editConfig(before, edits);
      if (content === before) return;
      const sections = new Set(edits.map(({ section }) => section));
      const { config, problems } = check(content);
      const serious = problems.filter(({ warning }) => !warning);
      const own = serious.find((problem) => sections.has(problem.path.split(/[.[]/, 1).join()));
      if (own) throw new HubError("invalid", `${own.path}: ${own.message}`);
      const other = serious.map((problem) => `${problem.path}: ${problem.message}`);
      if (!config) throw new HubError("conflict", `hub.toml has other problems, mend them first: ${other.join("; ")}`);
      if (!replaceFile(path, { expected: before, content, mode: statSync(path).mode & 0o777 }))
        throw new HubError("conflict", "hub.toml was changed by somebody else at this moment: try again");
      onWritten?.();
    },
  };
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new HubError("conflict", `hub.toml cannot be read: ${messageOf(error)}`);
  }
}
