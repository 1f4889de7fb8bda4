// A disk that takes readings and does not sync them: it is said once, and once more when it does.
import { expect, test } from "bun:test";
import { renameSync } from "node:fs";
import { openReadingJournal } from "../../../src/house/state/reading-journal.ts";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";
import { until } from "../../support/wait.ts";

test("a journal that is written, and not synced, fails until it is synced", async () => {
  using folder = createTemporaryFolder();
  const clock = createVirtualClock();
  const said: string[] = [];
  const say = (message: string): void => void said.push(message);
  let noted = 0;
  using journal = openReadingJournal({
    ...{ folder: folder.at("readings"), id: "house", first: 1, clock, flushSecs: 5 },
    log: { ...silentLog, info: say, error: say },
    trouble: { note: () => void noted++ },
  });
  using _target = journal.enlist("nobody", { checkpoint() {}, through: 0 });
  journal.note({ device: "lamp", at: clock.now(), set: { on: true } });
  await clock.advance(5000);
  // Without the folder the file is written as before, and its name cannot be synced.
  renameSync(folder.at("readings"), folder.at("moved"));
  await clock.advance(20_000);
  await until("the first sync has failed", () => noted === 1);
  expect(journal.failingSince()).toBeDefined();
  await clock.advance(5000);
  await until("the next one, too", () => noted === 2);
  expect(journal.failingSince()).toBeDefined();
  // Its next segment is in a folder of its own.
  await clock.advance(5000);
  await until("it is synced", () => journal.failingSince() === undefined);
  expect(said).toEqual([expect.stringContaining("cannot be written"), "readings are written again"]);
});
