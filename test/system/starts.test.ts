// The record of how starts ended, where time matters.
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { openStarts } from "../../src/system/starts.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const SETTINGS = {
  version: "1.0.0",
  boot: "this one" as string | undefined,
  optional: ["rules", "plugins", "mqtt"],
  suspects: ["plugins"],
};

test("a start counts as successful after a minute, and not before", async () => {
  using folder = createTemporaryFolder();
  const path = folder.at("starts.json");
  const clock = createVirtualClock();
  const open = (settings = SETTINGS) => openStarts({ ...settings, path, clock });
  const begin = () => {
    const starts = open();
    starts.entering("mqtt");
    starts.up();
    return starts;
  };
  begin();
  await clock.advance(59_999);
  expect(existsSync(path)).toBe(true);
  await clock.advance(1);
  expect(existsSync(path)).toBe(false);

  // Each dies in its first minute: the clock does not move.
  for (let time = 0; time < 3; time++) begin();
  expect(open().safe).toMatchObject({ failedPart: "unknown", off: ["plugins"] });
  // It does not count for another version, or after another boot of the machine.
  expect(open({ ...SETTINGS, version: "1.0.1" }).safe).toBeUndefined();
  expect(open({ ...SETTINGS, boot: "another" }).safe).toBeUndefined();
  expect(open({ ...SETTINGS, boot: undefined }).safe).toBeUndefined();

  const safe = begin();
  expect(safe.safe).toBeDefined();
  await clock.advance(60_000);
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ failures: 2 });
  // The next start is a full one; when it fails, the one after it is safe again.
  const full = open();
  expect(full.safe).toBeUndefined();
  full.entering("mqtt");
  full.failed(new Error("the port is taken"));
  expect(open().safe).toMatchObject({ failedPart: "mqtt", error: "the port is taken", off: ["mqtt"] });
});

test("where the machine has no boot id, only errors count", () => {
  using folder = createTemporaryFolder();
  const path = folder.at("starts.json");
  const settings = { ...SETTINGS, boot: undefined, path, clock: createVirtualClock() };
  for (let time = 0; time < 3; time++) {
    openStarts(settings).entering("rules");
    const starts = openStarts(settings);
    starts.entering("mqtt");
    starts.failed(new Error("no"));
  }
  expect(openStarts(settings).safe?.off).toEqual(["mqtt"]);
});
