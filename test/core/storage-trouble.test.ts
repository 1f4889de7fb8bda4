import { expect, test } from "bun:test";
import { HubError } from "../../src/core/errors.ts";
import { createStorageTrouble } from "../../src/core/storage-trouble.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const failure = (code: string) => Object.assign(new Error("it failed"), { code });

test("what a write found out counts for half a minute, also where it was put into words since", async () => {
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

test("a file without the right to write it is no fault of the disk, nor is any other error", () => {
  using folder = createTemporaryFolder();
  const trouble = createStorageTrouble(createVirtualClock(), folder.path);
  trouble.note(failure("EACCES"));
  trouble.note(new HubError("storage", "door.ron cannot be written", { cause: failure("EPERM") }));
  trouble.note(new HubError("invalid", "no"));
  trouble.note("no error at all");
  expect(trouble.fault()).toBeUndefined();
});
