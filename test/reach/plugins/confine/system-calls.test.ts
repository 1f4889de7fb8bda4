// The numbers of the system calls that confined plugins are refused, by the kernel's own headers, where Debian's are there (.ci/run).
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import {
  ABSENT,
  EXAMINED,
  ON_A_PROCESS,
  REFUSED,
  SIGNALS,
  systemCallFilter,
} from "../../../../src/reach/plugins/confine/system-calls.ts";

const ALL = { ...REFUSED, ...ABSENT, ...ON_A_PROCESS, ...SIGNALS, ...EXAMINED };
const HEADERS = [
  { column: 0, path: "/usr/include/x86_64-linux-gnu/asm/unistd_64.h" },
  // What arm64 uses.
  { column: 1, path: "/usr/include/asm-generic/unistd.h" },
] as const;
/** Newer than some headers. */
const NEW = new Set(["open_tree_attr"]);

describe.each(HEADERS.filter(({ path }) => existsSync(path)))("$path", ({ column, path }) => {
  const header = readFileSync(path, "utf8");
  const numbers = new Map(
    [...header.matchAll(/^#define __NR(?:3264)?_(\w+)\s+(\d+)/gm)].map(([, name = "", number]) => [
      name,
      Number(number),
    ]),
  );
  test.each(Object.entries(ALL))("%s", (name, pair) => {
    if (!numbers.has(name) && NEW.has(name)) return;
    expect<number | undefined>(pair[column]).toBe(numbers.get(name));
  });
});

test("one architecture's filter is not another's, and one that is not known has none", () => {
  const options = {
    pid: 7,
    hub: 1,
    network: true,
    unixSockets: false,
    signals: "asked",
    isEmptyingHeld: false,
  } as const;
  const filters = ["x64", "arm64"].map((arch) => systemCallFilter({ arch, ...options }));
  expect(filters[0]).not.toEqual(filters[1]);
  expect(systemCallFilter({ arch: "riscv64", ...options })).toBeUndefined();
});
