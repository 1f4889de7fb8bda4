import { expect, test } from "bun:test";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { watchFile } from "../../../src/kit/files/file-watch.ts";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

function watched(content: string | undefined) {
  const folder = createTemporaryFolder();
  const path = folder.at("modes.toml");
  if (content !== undefined) writeFileSync(path, content);
  const clock = createVirtualClock();
  const changes: number[] = [];
  const watch = watchFile({ clock, log: silentLog, path, onChange: () => changes.push(clock.mono()) });
  return {
    path,
    folder,
    clock,
    changes,
    watch,
    [Symbol.dispose]() {
      watch[Symbol.dispose]();
      folder[Symbol.dispose]();
    },
  };
}

test("a change is reported once, within a second", async () => {
  using file = watched("a");
  await file.clock.advance(5000);
  expect(file.changes).toEqual([]);
  writeFileSync(file.path, "ab");
  await file.clock.advance(1000);
  expect(file.changes).toHaveLength(1);
  await file.clock.advance(60_000);
  expect(file.changes).toHaveLength(1);
});

test("a new file of the same size is a change, and so is a file that appears", async () => {
  using file = watched(undefined);
  writeFileSync(file.path, "a");
  await file.clock.advance(1000);
  expect(file.changes).toHaveLength(1);
  writeFileSync(`${file.path}.new`, "b");
  renameSync(`${file.path}.new`, file.path);
  await file.clock.advance(1000);
  expect(file.changes).toHaveLength(2);
});

test("a file that is still being written is not reported yet", async () => {
  using file = watched("a");
  let text = "a";
  for (let poll = 0; poll < 10; poll++) {
    text += "a";
    writeFileSync(file.path, text);
    await file.clock.advance(400);
  }
  expect(file.changes).toEqual([]);
  await file.clock.advance(400);
  expect(file.changes).toHaveLength(1);
});

test("a file that is gone for a moment is one change; a file that stays away is a change of its own", async () => {
  using file = watched("a");
  rmSync(file.path);
  await file.clock.advance(1200);
  expect(file.changes).toEqual([]);
  writeFileSync(file.path, "b");
  await file.clock.advance(1000);
  expect(file.changes).toHaveLength(1);
  rmSync(file.path);
  await file.clock.advance(3000);
  expect(file.changes).toHaveLength(2);
});

test("a folder that cannot be read is a change, reported at once: it is not the same as a missing file", async () => {
  using folder = createTemporaryFolder();
  mkdirSync(folder.at("config"));
  writeFileSync(folder.at("config", "x"), "1");
  const clock = createVirtualClock();
  let calls = 0;
  using _ = watchFile({ clock, log: silentLog, path: folder.at("config", "x"), onChange: () => calls++ });
  rmSync(folder.at("config"), { recursive: true });
  writeFileSync(folder.at("config"), "a file where the folder was");
  await clock.advance(1000);
  expect(calls).toBe(1);
});

test("a listener that throws is called again at the next change, and disposing ends it", async () => {
  using folder = createTemporaryFolder();
  const path = folder.at("x");
  const clock = createVirtualClock();
  let calls = 0;
  const watch = watchFile({
    clock,
    log: silentLog,
    path,
    onChange() {
      calls++;
      throw new Error("no");
    },
  });
  writeFileSync(path, "1");
  await clock.advance(1000);
  writeFileSync(path, "12");
  await clock.advance(1000);
  expect(calls).toBe(2);
  watch[Symbol.dispose]();
  writeFileSync(path, "123");
  await clock.advance(1000);
  expect(calls).toBe(2);
  expect(clock.pending()).toEqual([]);
});
