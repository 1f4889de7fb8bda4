import { expect, test } from "bun:test";
import { NO_TROUBLE } from "../../../src/kit/files/storage-fault.ts";
import { startWriteBehind } from "../../../src/kit/files/write-behind.ts";
import { openLog } from "../../../src/kit/lifecycle/log.ts";
import { createTestOutput } from "../../support/platform.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

test("what cannot be written is kept, logged once, and written later", async () => {
  const clock = createVirtualClock();
  const output = createTestOutput();
  const { log } = openLog({ clock, output, level: "info" });
  const written: string[][] = [];
  let full = true;
  const writeBehind = startWriteBehind<string>({
    clock,
    log,
    periodMs: 1000,
    trouble: NO_TROUBLE,
    write(items) {
      if (full) throw Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });
      written.push([...items]);
    },
  });
  writeBehind.mark("a");
  await clock.advance(5000);
  writeBehind.mark("b");
  expect(writeBehind.failingSince()).toBe(clock.now() - 4000);
  expect(output.text.match(/cannot be written/g)).toHaveLength(1);
  full = false;
  await clock.advance(1000);
  expect(written).toEqual([["a", "b"]]);
  expect(writeBehind.failingSince()).toBeUndefined();
  await clock.advance(60_000);
  expect(written).toHaveLength(1);
  writeBehind[Symbol.dispose]();
});
