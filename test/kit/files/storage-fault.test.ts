import { expect, test } from "bun:test";
import { createStorageTrouble, isStorageFault, storageFaultOf } from "../../../src/kit/files/storage-fault.ts";
import { HubError } from "../../../src/kit/schema/errors.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const failure = (code: string) => Object.assign(new Error("it failed"), { code });

test("one table says which errors report a fault of the disk", () => {
  for (const [code, fault, isCertain] of [
    ["ENOSPC", "full", true],
    ["SQLITE_FULL", "full", true],
    ["EROFS", "read_only", true],
    ["SQLITE_READONLY_DBMOVED", "read_only", true],
    ["SQLITE_IOERR_FSYNC", "failing", true],
    ["EACCES", "read_only", false],
    ["SQLITE_CANTOPEN", "failing", false],
    ["ENOENT", undefined, false],
    ["SQLITE_BUSY", undefined, false],
  ] as const) {
    expect(storageFaultOf(failure(code))).toBe(fault);
    expect(isStorageFault(failure(code))).toBe(isCertain);
  }
  expect(isStorageFault(new HubError("storage", "it cannot be written", { cause: failure("EIO") }))).toBe(true);
});

test("a fault that a write reported counts for half a minute, also as the cause of a HubError", async () => {
  using folder = createTemporaryFolder();
  const clock = createVirtualClock();
  const trouble = createStorageTrouble(clock, folder.path);
  trouble.note(failure("SQLITE_FULL"));
  expect(trouble.fault()).toBe("full");
  await clock.advance(30_000);
  expect(trouble.fault()).toBeUndefined();
  trouble.note(new HubError("storage", "door.ron cannot be written", { cause: failure("EROFS") }));
  expect(trouble.fault()).toBe("read_only");
});

test("missing rights to a file are no fault of the disk, nor is any other error", () => {
  using folder = createTemporaryFolder();
  const trouble = createStorageTrouble(createVirtualClock(), folder.path);
  trouble.note(failure("EACCES"));
  trouble.note(new HubError("storage", "door.ron cannot be written", { cause: failure("EPERM") }));
  trouble.note(new HubError("invalid", "no"));
  trouble.note("no error at all");
  expect(trouble.fault()).toBeUndefined();
});
