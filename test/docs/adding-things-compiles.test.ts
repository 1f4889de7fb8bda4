// Over 10 s, as it is all of the sources and tests, any of which may be what does not fit any more: what
// comes out of all examples of docs/adding-things.md compiles, the page's as well, and is formatted as it stands there.
import { afterAll, expect, test } from "bun:test";
import { copyWithExamples } from "./repository-copy.ts";

const MINUTES = 60_000;
const copy = copyWithExamples();
afterAll(() => copy[Symbol.dispose]());

test(
  "what comes out compiles",
  async () => {
    const PROJECTS = { hub: ".", page: "src/page", "page-tests": "test/page" };
    for (const [name, project] of Object.entries(PROJECTS)) {
      // As `check` asks, whose knowledge is copied along.
      const options = ["--noEmit", "--checkers", "2", "--incremental", "--tsBuildInfoFile", `dist/types/${name}`];
      const command = ["node_modules/.bin/tsc", "-p", project, ...options];
      expect({ project, ...(await copy.run(command)) }).toEqual({ project, code: 0, output: "" });
    }
  },
  5 * MINUTES,
);

test(
  "nothing is left for `bun run fix`",
  async () => {
    const files = [...new Set(copy.touched.flatMap(({ files }) => files))].filter((file) => /\.tsx?$/.test(file));
    // Without the rules, which look through the whole project.
    const { code, output } = await copy.run([
      "node_modules/.bin/biome",
      "check",
      "--linter-enabled=false",
      "--vcs-enabled=false",
      ...files,
    ]);
    expect({ code, output: code === 0 ? "" : output }).toEqual({ code: 0, output: "" });
  },
  MINUTES,
);
