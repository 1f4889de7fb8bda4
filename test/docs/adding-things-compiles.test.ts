// Over 10 s, as it is all of the sources and tests, any of which may be what does not fit any more: what comes out of all examples of
// docs/adding-things.md compiles.
import { expect, test } from "bun:test";
import { copyWithExamples } from "./repository-copy.ts";

test("what comes out compiles", async () => {
  using copy = copyWithExamples();
  // Each checker works out again what others did: with four of them it is more work than with two.
  const command = ["node_modules/.bin/tsc", "--noEmit", "--checkers", "2"];
  expect(await copy.run(command)).toEqual({ code: 0, output: "" });
}, 300_000);
