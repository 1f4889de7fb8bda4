// The rule files of a home. Reading what is in them is the engine's work.
import { readdirSync } from "node:fs";

/** Names of the rule files directly in the folder; examples in sub-folders are not rules yet. */
export function listRuleFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(".ron"))
      .map(({ name }) => name)
      .sort();
  } catch {
    return [];
  }
}
