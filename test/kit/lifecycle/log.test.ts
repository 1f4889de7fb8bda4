// The log: no secrets, levels for the journal, and a file in which records are soon, without a write for every line.
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { openLog } from "../../../src/kit/lifecycle/log.ts";
import { createTestOutput } from "../../support/platform.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

function logged() {
  const folder = createTemporaryFolder();
  const file = folder.at("logs", "hub.log");
  const clock = createVirtualClock();
  const output = createTestOutput();
  const opened = openLog({ clock, output, level: "info", file });
  return {
    ...{ folder, file, clock, output, log: opened.log, opened },
    text: () => (existsSync(file) ? readFileSync(file, "utf8") : ""),
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

test("a record is in the file within five seconds, even if none follows it", async () => {
  await using hub = logged();
  const { log, clock, text } = hub;
  log.info("the hub starts");
  expect(text()).toContain("the hub starts");
  log.info("the last one before a quiet night");
  expect(text()).not.toContain("a quiet night");
  await clock.advance(5000);
  expect(text()).toContain("a quiet night");
  await clock.advance(3_600_000);
  log.info("the first one of the morning");
  await clock.advance(5000);
  expect(text()).toContain("the morning");
  expect(clock.pending()).toEqual([]);
});

test("an error is in the file at once, with the records before it", async () => {
  await using hub = logged();
  const { log, text } = hub;
  log.info("before");
  log.error("it broke");
  expect(text()).toMatch(/before[\s\S]*it broke/);
});

test("many records need few writes, and so do many errors", async () => {
  await using hub = logged();
  const { log, clock, text } = hub;
  const sizes = new Set<number>();
  for (let count = 0; count < 600; count++) {
    log.info(`reading ${count}`);
    await clock.advance(100);
    sizes.add(text().length);
  }
  // A minute.
  expect(sizes.size).toBeLessThan(18);
  sizes.clear();
  for (let count = 0; count < 1000; count++) {
    log.error(`fault ${count}`);
    await clock.advance(1);
    sizes.add(text().length);
  }
  // A second.
  expect(sizes.size).toBeLessThan(12);
  await clock.advance(250);
  expect(text()).toContain("fault 999");
});

test("the buffer is written when the hub stops", async () => {
  const { log, text, opened, folder, clock } = logged();
  log.info("good night");
  await opened[Symbol.asyncDispose]();
  expect(text()).toContain("good night");
  expect(clock.pending()).toEqual([]);
  folder[Symbol.dispose]();
});

test("it rotates, and five are kept", async () => {
  await using hub = logged();
  const { log, clock, folder } = hub;
  for (let count = 0; count < 40; count++) {
    for (let line = 0; line < 50; line++) log.info("x".repeat(20_000));
    await clock.advance(5000);
  }
  expect(readdirSync(folder.at("logs")).sort()).toEqual([
    "hub.log",
    ...[1, 2, 3, 4, 5].map((number) => `hub.log.${number}`),
  ]);
});

test("a file that cannot be written is reported once, and the output still gets all records", async () => {
  await using hub = logged();
  const { log, clock, output, file, folder, text } = hub;
  mkdirSync(file, { recursive: true });
  for (let count = 0; count < 5; count++) {
    log.error(`fault ${count}`);
    await clock.advance(5000);
  }
  expect(output.text.match(/the log file cannot be written/g)).toHaveLength(1);
  expect(output.text).toContain("fault 4");
  rmSync(folder.at("logs"), { recursive: true });
  log.error("written again");
  expect(text()).toContain("written again");
});

test("no secret reaches the log", () => {
  const output = createTestOutput();
  const { log } = openLog({ clock: createVirtualClock(), output, level: "info" });
  const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlLXNpZ25hdHVyZQ";
  log.warn(`GET /api/v1/events/stream?token=${jwt}&type=x`, { header: `Bearer ${jwt}` });
  log.warn("POST https://api.example/bot123456789:AAabcdefghijklmnopqrstuvwxyz012345/sendMessage", {
    key: `hub_${"a".repeat(43)}`,
  });
  log.debug("below the level");
  expect(output.text).not.toContain(jwt.slice(10));
  expect(output.text).not.toContain("AAabcdefgh");
  expect(output.text).not.toContain("aaaaaaaaaa");
  expect(output.text).not.toContain("below the level");
  expect(output.text).toContain("type=x");
});

test("what somebody asked to have written is written, whatever the level", () => {
  const output = createTestOutput();
  const { log } = openLog({ clock: createVirtualClock(), output, level: "error" });
  log.warn("a warning");
  log.child("notify").always("Door", { message: "open" });
  expect(output.text).toContain("Door message=open");
  expect(output.text).not.toContain("a warning");
});

test("the journal gets levels as prefixes and no time of its own", () => {
  const output = { ...createTestOutput(), isJournal: true, lines: [] as string[] };
  output.write = (text) => void output.lines.push(text);
  const { log } = openLog({ clock: createVirtualClock(), output, level: "debug" });
  log.error("bad");
  log.child("mqtt").info("good");
  expect(output.lines[0]).toMatch(/^<3>\[ERR\] hub: bad\n$/);
  expect(output.lines[1]).toMatch(/^<6>\[INF\] hub·mqtt: good\n$/);
});
