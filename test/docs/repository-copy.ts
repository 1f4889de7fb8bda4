// A copy of this repository with all that docs/adding-things.md says to do.
import { cpSync, existsSync, readdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { createTemporaryFolder, type TemporaryFolder } from "../support/temporary-folder.ts";
import { apply, readPage, sectionsOf } from "./steps.ts";

export const REPOSITORY = join(import.meta.dir, "../..");
const NOT_COPIED = new Set([".git", "node_modules", "bin", "dist", "home"]);
/** Of `dist`: what the sources embed, and what `check` knows of all types already. */
const MADE = ["dist/plugins", "dist/web", "dist/types"];

export interface Ended {
  code: number;
  output: string;
}

export interface RepositoryCopy extends Disposable {
  readonly folder: TemporaryFolder;
  readonly root: string;
  /** With the number of the next migration. */
  readonly page: string;
  /** The files that the examples of each section touched. */
  readonly touched: readonly { title: string; files: readonly string[] }[];
  run(command: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended>;
}

export function copyWithExamples(): RepositoryCopy {
  const folder = createTemporaryFolder();
  const root = folder.at("repository");
  for (const name of readdirSync(REPOSITORY))
    if (!NOT_COPIED.has(name)) cpSync(join(REPOSITORY, name), join(root, name), { recursive: true });
  for (const name of MADE)
    if (existsSync(join(REPOSITORY, name))) cpSync(join(REPOSITORY, name), join(root, name), { recursive: true });
  linkPackages(realpathSync(join(REPOSITORY, "node_modules")), join(root, "node_modules"));
  const page = readPage(root);
  const touched = sectionsOf(page).map(({ title, steps }) => ({
    title,
    files: steps.map((step) => apply(root, step)),
  }));
  return {
    ...{ folder, root, page, touched },
    async run(command, env = {}) {
      const { HUB_WRITE_DOCS: _, ...inherited } = process.env;
      const child = Bun.spawn([...command], {
        ...{ cwd: root, env: { ...inherited, ...env } },
        ...{ stdout: "pipe", stderr: "pipe" },
      });
      const texts = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
      return { code: await child.exited, output: texts.join("") };
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

/** By hard links, so that they are where the types that `check` knows have them; on another disk by one symbolic link. */
function linkPackages(from: string, to: string): void {
  const { exitCode } = Bun.spawnSync(["cp", "-al", from, to], { stderr: "ignore" });
  if (exitCode === 0) return;
  rmSync(to, { recursive: true, force: true });
  symlinkSync(from, to);
}
