// Checks the profiles of a folder without a hub, for `hub check`.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { messageOf, systemCode } from "../../../../kit/schema/errors.ts";
import type { ExpressionCompiler } from "./profile.ts";
import { isProfileFileName, type ProfileProblem } from "./profiles.ts";
import { createProfileReader } from "./read-profile.ts";

/** All problems, in the order of the files. */
export function checkProfiles(folder: string, compiler: ExpressionCompiler): ProfileProblem[] {
  const reader = createProfileReader(compiler);
  const problemsOf = (path: string, work: () => Omit<ProfileProblem, "file">[]): ProfileProblem[] => {
    try {
      return work().map((problem) => ({ ...problem, file: path }));
    } catch (error) {
      if (systemCode(error) === "ENOENT") return [];
      return [{ file: path, path: "", message: `cannot be read: ${messageOf(error)}` }];
    }
  };
  let names: string[] = [];
  const unread = problemsOf(folder, () => {
    names = readdirSync(folder).filter(isProfileFileName).sort();
    return [];
  });
  const found = names.flatMap((file) => {
    const path = join(folder, file);
    return problemsOf(path, () => reader.readFile(file.replace(/\.toml$/i, ""), path).problems);
  });
  return [...unread, ...found];
}
