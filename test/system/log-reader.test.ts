// Reading the log while it is written and rotates: every line once, in its order.
import { afterAll, afterEach, expect, test } from "bun:test";
import { appendFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { type Log, openLog } from "../../src/kit/lifecycle/log.ts";
import { lastLines, linesAfter } from "../../src/server/system/log-reader.ts";
import { createTestOutput } from "../support/platform.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const folder = createTemporaryFolder();
const path = folder.at("hub.log");
afterEach(() => {
  for (const end of ["", ".1", ".2"]) rmSync(`${path}${end}`, { force: true });
});
afterAll(() => folder[Symbol.dispose]());

const line = (message: string): string => `2026-11-23 02:00:00.000 +00:00 [INF] hub·test: ${message}\n`;
const messages = (part: { lines: readonly { message: string }[] }): string[] =>
  part.lines.map(({ message }) => message);

test("what the hub's own log writes is read, with level and part", async () => {
  const opened = openLog({ clock: createVirtualClock(), output: createTestOutput(), level: "debug", file: path });
  const log: Log = opened.log.child("mqtt");
  log.warn("slow: a client", { ms: 5, text: "a\nb" });
  opened.log.error("it failed", { stack: "Error: x\n    at y" });
  opened.flush();
  const { lines } = lastLines(path, 10);
  expect(lines[0]).toMatchObject({
    level: "warning",
    part: "hub·mqtt",
    message: expect.stringMatching(/^slow: a client ms=5/),
  });
  expect(lines[1]).toMatchObject({ level: "error", part: "hub" });
  await opened[Symbol.asyncDispose]();
});

test("a line is read once, also over a rotation, and only when it is whole", () => {
  writeFileSync(path, line("1") + line("2"));
  const first = lastLines(path, 1);
  expect(messages(first)).toEqual(["2"]);
  appendFileSync(path, `${line("3")}2026-11-23 02:00:00.000 +00:00 [INF] hub: beg`);
  const second = linesAfter(path, first.next);
  expect(messages(second)).toEqual(["3"]);
  appendFileSync(path, "un\n  and its second line\n");
  renameSync(path, `${path}.1`);
  writeFileSync(path, line("4"));
  const third = linesAfter(path, second.next);
  expect(messages(third)).toEqual(["begun\n  and its second line"]);
  const fourth = linesAfter(path, third.next);
  expect(messages(fourth)).toEqual(["4"]);
  expect(messages(linesAfter(path, fourth.next))).toEqual([]);
});

test("old lines are there where the present file has few", () => {
  writeFileSync(`${path}.1`, line("old"));
  writeFileSync(path, line("new"));
  expect(messages(lastLines(path, 5))).toEqual(["old", "new"]);
});

test("a line without an end holds nobody up", () => {
  writeFileSync(path, line("before"));
  const { next } = lastLines(path, 1);
  appendFileSync(path, `${"x".repeat(600_000)}\n${line("behind")}`);
  let part = linesAfter(path, next);
  for (let reads = 0; reads < 5 && !messages(part).includes("behind"); reads++) part = linesAfter(path, part.next);
  expect(messages(part)).toContain("behind");
});

test("without a file there is nothing, and a file that is gone begins anew", () => {
  expect(lastLines(path, 5)).toEqual({ lines: [], next: "" });
  writeFileSync(path, line("1"));
  expect(messages(linesAfter(path, "99999999-5"))).toEqual(["1"]);
  expect(messages(linesAfter(path, ""))).toEqual(["1"]);
});
