// Each campaign is run by .ci/run and has a defect to find, or says what it needs; and what its programs say is read right.
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { CAMPAIGNS } from "./campaigns.ts";
import { DEFECTS } from "./defects.ts";
import { readOutcome } from "./outcome.ts";

const ROOT = join(import.meta.dir, "..", "..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const PLAIN = CAMPAIGNS.filter(({ needs }) => needs === undefined).map(({ name }) => name);

test(".ci/run runs each campaign that needs nothing special, and the corpus whole instead of for a minute", () => {
  const script = read(".ci/run");
  const lines = [...script.matchAll(/^bun run campaign ([a-z -]+) --minutes/gm)];
  const named = lines.flatMap(([, names = ""]) => names.split(" "));
  expect([...named, "corpus"].sort()).toEqual([...PLAIN].sort());
  const whole = [...script.matchAll(/^bun (test\/interop\/(?:corpus|names)\.ts) \$corpus\/(\S+) ?(templates|both)?/gm)];
  const rounds = CAMPAIGNS.find(({ name }) => name === "corpus")?.rounds.map(
    (round) => round({ seed: 1, secs: 60 }).args,
  );
  expect(whole.map(([, file, of, how]) => [file, of, how]).sort()).toEqual(
    (rounds ?? []).map(([file, of = "", how]) => [file, basename(of), how]).sort(),
  );
});

test("each of them has a planted defect, whose place is there once", () => {
  expect([...new Set(DEFECTS.map(({ campaign }) => campaign))].sort()).toEqual([...PLAIN].sort());
  const places = DEFECTS.map(({ name, file, find }) => ({ name, places: read(file).split(find).length - 1 }));
  expect(places).toEqual(DEFECTS.map(({ name }) => ({ name, places: 1 })));
});

test("what a round runs is there", () => {
  for (const round of CAMPAIGNS.flatMap(({ rounds }) => rounds)) {
    const file = round({ seed: 1, secs: 60 }).args.find((one) => /\.(?:ts|sh)$/.test(one)) ?? "";
    expect({ file, there: existsSync(join(ROOT, file)) }).toEqual({ file, there: true });
  }
});

test.each([
  { what: "tests", code: 0, output: " 3 pass\n 0 fail\n 12 expect() calls\n", tried: "3 tests, 12 checks", lost: [] },
  { what: "what it says itself", code: 0, output: "tried: 7 kills\n 1 pass\n", tried: "7 kills", lost: [] },
  {
    ...{ what: "a test that fails", code: 1, tried: "7 kills", lost: ["error: variable v is lost", "(fail) kills"] },
    output: "tried: 7 kills\nerror: variable v is lost\n  at x\n(fail) kills\n",
  },
  {
    ...{ what: "a benchmark, but not how quick it is", code: 0, tried: "all", lost: ["fuzz-http: findings"] },
    output: "tried: all\nMISSED:\n  fuzz-http: /health p99, ms\n  fuzz-http: findings\nwritten to x\n",
  },
  {
    ...{ what: "a fuzzer's example", code: 0, tried: "1", lost: ["FOUND 2 × 500 GET / → 500"] },
    output: "  FOUND 2 × 500\n      GET /\n      → 500\n  statuses\ntried: 1\n",
  },
  { what: "a program that breaks", code: 3, output: "oh no\n", tried: "oh no", lost: ["ended with 3: oh no"] },
  { what: "one that is cut off", code: undefined, output: "hour 1\n", tried: "hour 1", lost: [] },
  { what: "one that is cut off too late", code: undefined, output: "FAIL 1\n", tried: "FAIL 1", lost: ["FAIL 1"] },
  { what: "what is not run", code: 0, output: "NOT RUN: x\nbye\n", tried: "NOT RUN: x", lost: [] },
])("read is $what", ({ code, output, tried, lost }) => {
  expect(readOutcome({ code, output })).toEqual({ tried, lost: [...lost] });
});
